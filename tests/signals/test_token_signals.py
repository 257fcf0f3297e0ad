"""Token signals of the first pass: values by hand, odd ids, batch against one by one."""

import numpy as np
import pytest
import side_documents
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.kernels.vocabulary import Vocabulary
from dataaudit.signals import DocumentBatch, all_signals, measure

FAMILY = [name for name, each in all_signals().items() if each.family == "tokens"]


def marks(*ids):
    return np.isin(np.arange(10), ids)


VOCABULARY = Vocabulary(
    id_space=10,
    in_use=~marks(4, 9),
    is_digit=marks(2, 3),
    is_byte_fallback=marks(5, 6),
    is_special=marks(0, 1),
    unk_id=0,
    special_strings=("<s>", "<unk>"),
)


def batch_of(documents, dtype=np.int64, vocabulary=VOCABULARY):
    offsets = np.cumsum([0, *map(len, documents)])
    ids = np.array([id_ for document in documents for id_ in document], dtype)
    return DocumentBatch(ids=ids, id_offsets=offsets, vocabulary=vocabulary)


def values(documents, **options):
    return measure(batch_of(documents, **options), ["tokens"]).select(FAMILY).to_pydict()


def test_golden():
    found = values([[1, 2, 3, 2, 7, 0, 0, 5, 6, 4], [7, 7, 7, 7], []])
    assert found == {
        "token_count": [10, 4, 0],
        "max_token_id": [7, 7, None],
        "hole_token_count": [1, 0, 0],
        "unk_token_ratio": [0.2, 0.0, None],
        "byte_fallback_token_ratio": [0.2, 0.0, None],
        "special_id_count": [3, 0, 0],
        "unique_token_ratio": [0.8, 0.25, None],
        "digit_token_ratio": [0.3, 0.0, None],
        "periodic_token_repeat": [1, 4, 1],
        "periodic_token_start": [None, 0, None],
        "periodic_token_period": [None, 1, None],
    }


def test_ids_without_a_token_are_holes():
    assert values([[4, 9, 10, -1, 2**40, 8]])["hole_token_count"] == [5]


def test_without_a_vocabulary_what_needs_one_is_not_measured():
    names = set(measure(batch_of([[1]], vocabulary=None), ["tokens"]).schema.names)
    assert {"token_count", "max_token_id", "unique_token_ratio", "periodic_token_repeat"} <= names
    assert not names & {"hole_token_count", "unk_token_ratio", "special_id_count", "digit_token_ratio"}


def test_ids_do_not_wrap():
    assert values([[2**32 - 1, 5]], dtype=np.uint32)["max_token_id"] == [2**32 - 1]
    extremes = values([[-(2**63), 2**63 - 1], [-5]])
    assert extremes["max_token_id"] == [2**63 - 1, -5]
    assert extremes["unique_token_ratio"] == [1.0, 1.0]


@pytest.mark.parametrize("length", [31, 32, 200_000])
def test_one_token_in_a_row(length):
    found = values([[8, 3, *([6] * length), 3]])
    assert found["periodic_token_repeat"] == [length]
    assert (found["periodic_token_start"], found["periodic_token_period"]) == ([2], [1])


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(-2, 11), max_size=40), max_size=6))
def test_values_are_in_range_and_a_batch_equals_one_by_one(documents):
    together = values(documents)
    for row, document in enumerate(documents):
        alone = values([document])
        for name, column in together.items():
            signal = all_signals()[name]
            assert alone[name][0] == column[row], name
            if column[row] is None:
                assert signal.null is not None, name
                continue
            assert signal.minimum is None or column[row] >= signal.minimum, name
            assert signal.maximum is None or column[row] <= signal.maximum, name


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), max_size=40), max_size=6), st.integers(0, 3), st.integers(0, 3))
def test_padding_at_the_ends_is_no_repetition(documents, pad, bos):
    names = [name for name in FAMILY if name.startswith("periodic")]
    special = (bos, 9, pad)
    found = measure(side_documents.batch_of(documents, special), ["tokens"]).select(names).to_pylist()
    for row, ids in zip(found, documents, strict=True):
        inside = side_documents.content(ids, special)
        (alone,) = measure(batch_of([[ids[place] for place in inside]]), ["tokens"]).select(names).to_pylist()
        if alone["periodic_token_start"] is not None:
            alone["periodic_token_start"] += inside.start
        assert row == alone
