"""Signals of attention masks against a plain reference."""

from hypothesis import given, settings
from hypothesis import strategies as st
from side_documents import PAIRS, Document, batch_of, content, counted, lists_of, side_of

from dataaudit.signals import measure


def values(documents, special=(-1, -1, -1)):
    batch = batch_of([each.ids for each in documents], special, attention_mask=side_of(documents))
    return measure(batch, ["mask"]).to_pylist()


def expected(document, special):
    ids, mask = document
    found = {"mask_count": len(mask or [])}
    on = [place for place, entry in enumerate(mask or []) if entry != 0]
    hole = [place for place, entry in enumerate(mask or []) if entry == 0 and on and on[0] < place < on[-1]]
    faults = {
        "invalid_mask": [place for place, entry in enumerate(mask or []) if entry not in (0, 1)],
        "mask_hole": hole,
    }
    if special[2] >= 0:
        inside, covered = content(ids, special), range(min(len(ids), len(mask or [])))
        faults["hidden_token"] = [
            i for i in covered if mask[i] == 0 and i not in hole and i in inside and ids[i] != special[2]
        ]
        faults["attended_pad"] = [i for i in covered if mask[i] != 0 and i not in inside]
    for name, places in faults.items():
        found[f"{name}_count"], found[f"{name}_start"] = counted(places)
    return dict.fromkeys(found) if mask is None else found


@settings(deadline=None, max_examples=300)
@given(lists_of(st.sampled_from([0, 0, 1, 1, 1, 2, -1])), PAIRS)
def test_they_equal_the_plain_reference(documents, special):
    assert values(documents, special) == [expected(each, special) for each in documents]


def test_masks_as_tokenizers_make_them_have_no_fault():
    special = (1, 2, 3)
    padded = [Document([1, 5, 2, 3, 3], [1, 1, 1, 0, 0]), Document([3, 3, 1, 5, 2], [0, 0, 1, 1, 1])]
    same_as_end = [Document([1, 5, 2, 2, 2], [1, 1, 1, 0, 0]), Document([2, 2, 1, 5, 2], [0, 0, 1, 1, 1])]
    for documents, ids in ((padded, special), (same_as_end, (1, 2, 2))):
        for found in values(documents, ids):
            assert {name: value for name, value in found.items() if name != "mask_count" and value} == {}


def test_each_fault_has_its_place():
    (found,) = values([Document([1, 5, 6, 2, 3], [0, 1, 0, 1, 1])], (1, 2, 3))
    assert (found["hidden_token_count"], found["hidden_token_start"]) == (1, 0)
    assert (found["mask_hole_count"], found["mask_hole_start"]) == (1, 2)
    assert (found["attended_pad_count"], found["attended_pad_start"]) == (1, 4)
