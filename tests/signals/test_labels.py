"""Signals of labels against a plain reference, and what they say of labels as trainers make them."""

from hypothesis import given, settings
from hypothesis import strategies as st
from side_documents import PAIRS, Document, batch_of, content, counted, lists_of, side_of

from dataaudit.signals import measure

IGNORED = -100
OF_EOS = {"eos_label_count", "masked_eos_label_count", "cut_eos_label_count", "cut_eos_label_start"}


def values(documents, special=(-1, -1, -1)):
    batch = batch_of([each.ids for each in documents], special, labels=side_of(documents))
    return measure(batch, ["labels"]).to_pylist()


def expected(document, special):
    ids, labels = document
    named = labels is not None
    labels = labels or []
    kept = [place for place, label in enumerate(labels) if label != IGNORED]
    here = [place for place in kept if place < len(ids)]
    then = [place for place in kept if place + 1 < len(ids)]
    negative, first_negative = counted(place for place in kept if labels[place] < 0)
    largest = max((label for label in labels if label >= 0), default=None)
    found = {
        "label_count": len(labels),
        "masked_label_ratio": (len(labels) - len(kept)) / len(labels) if labels else None,
        "label_match_ratio": sum(labels[i] == ids[i] for i in here) / len(here) if here else None,
        "next_token_label_ratio": sum(labels[i] == ids[i + 1] for i in then) / len(then) if then else None,
        "label_mismatch_start": next((i for i in here if labels[i] != ids[i]), None),
        "negative_label_count": negative,
        "negative_label_start": first_negative,
        "max_label_id": largest,
        "max_label_start": None if largest is None else labels.index(largest),
    }
    if special[1] >= 0:
        ends = [i for i in content(ids, special) if i < len(labels) and ids[i] == special[1]]
        masked = [i for i in ends if labels[i] == IGNORED]
        cut, first_cut = counted(i for i in masked if i and labels[i - 1] != IGNORED)
        found |= {"eos_label_count": len(ends), "masked_eos_label_count": len(masked)}
        found |= {"cut_eos_label_count": cut, "cut_eos_label_start": first_cut}
    if not named:
        found = dict.fromkeys(found)
    return found


@settings(deadline=None, max_examples=300)
@given(lists_of(st.sampled_from([IGNORED, IGNORED, -1, *range(7), 2**40])), PAIRS)
def test_they_equal_the_plain_reference(documents, special):
    assert values(documents, special) == [expected(each, special) for each in documents]


def test_without_an_end_id_nothing_is_said_about_ends():
    assert not OF_EOS & set(values([Document([1], [1])], (1, -1, 3))[0])


def test_a_collator_that_masks_padding_masks_the_end_where_both_are_one_id():
    """transformers#23530: pad is eos, so that every end token has the label -100."""
    ids = [7, 8, 9, 2, 2, 2]
    labels = [IGNORED if token == 2 else token for token in ids]
    (found,) = values([Document(ids, labels)], (1, 2, 2))
    assert (found["eos_label_count"], found["masked_eos_label_count"]) == (1, 1)
    assert (found["cut_eos_label_count"], found["cut_eos_label_start"]) == (1, 3)


def test_the_end_of_a_masked_prompt_is_no_fault():
    ids, labels = [5, 6, 2, 7, 8, 2], [IGNORED, IGNORED, IGNORED, 7, 8, 2]
    (found,) = values([Document(ids, labels)], (1, 2, 3))
    assert (found["masked_eos_label_count"], found["cut_eos_label_count"]) == (1, 0)


def test_labels_that_were_shifted_equal_the_next_token():
    ids = [5, 6, 7, 2]
    (same, shifted) = values([Document(ids, ids), Document(ids, [6, 7, 2, IGNORED])])
    assert (same["label_match_ratio"], same["label_mismatch_start"]) == (1.0, None)
    assert (shifted["label_match_ratio"], shifted["next_token_label_ratio"]) == (0.0, 1.0)
    assert shifted["label_mismatch_start"] == 0
