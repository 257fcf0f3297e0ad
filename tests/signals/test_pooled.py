"""Second-pass signals: ids against the model and against the corpus's counts."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.signals import DocumentBatch, measure

FAMILY = ["oov_token_count", "truncated_token_count", "rare_token_ratio", "token_surprisal_bits"]


def measured(documents, pooled=(1,), **facts):
    batch = DocumentBatch(
        ids=np.array([id_ for document in documents for id_ in document], np.int64),
        id_offsets=np.cumsum([0, *map(len, documents)]),
        pooled_counts=np.array(pooled, np.int64),
        **facts,
    )
    columns = measure(batch, ["pooled"])
    return {name: columns.column(name).to_pylist() for name in FAMILY if name in columns.schema.names}


ROWS = [[1, 5, 99, 2], [1, 100, 7, 101, 2], [0, 98, 99, 2], [102, 2], [1, 128, 2], [1, 2], [-100]]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (100, [0, 2, 0, 1, 1, 0, 1]),
        (103, [0, 0, 0, 0, 1, 0, 1]),
        (128, [0, 0, 0, 0, 1, 0, 1]),
        (0, [4, 5, 4, 2, 3, 2, 1]),
    ],
)
def test_ids_outside_the_embedding_table(rows, expected):
    """Row 99 is in a table of 100 rows, 128 is outside one of 128, and a negative id is outside any."""
    assert measured(ROWS, embedding_rows=rows)["oov_token_count"] == expected


def test_tokens_past_the_context_length():
    assert measured(ROWS, max_length=3)["truncated_token_count"] == [1, 2, 1, 0, 0, 0, 0]


def test_what_the_model_does_not_say_is_not_measured():
    assert list(measured(ROWS)) == ["rare_token_ratio", "token_surprisal_bits"]


def test_rare_tokens_and_surprisal_by_hand():
    """Of 1024 tokens id 0 has 512 (1 bit), id 1 has 256 (2 bits), id 2 has 157, id 3 has 99; id 4 has none."""
    found = measured([[0, 1], [0, 0, 3], [4, 7, -1, 0], [4], []], pooled=[512, 256, 157, 99, 0])
    assert found["rare_token_ratio"] == [0, 1 / 3, 3 / 4, 1.0, None]
    bits = [1.5, (2 + math.log2(1024 / 99)) / 3, 1.0, None, None]
    assert found["token_surprisal_bits"] == [value if value is None else pytest.approx(value) for value in bits]


def test_100_occurrences_are_not_rare():
    assert measured([[0], [1]], pooled=[99, 100])["rare_token_ratio"] == [1.0, 0.0]


def test_a_corpus_of_one_id_has_no_surprise():
    assert measured([[0] * 7], pooled=[7])["token_surprisal_bits"] == [0.0]


def test_a_corpus_without_tokens():
    assert measured([[], []], pooled=[]) == {"rare_token_ratio": [None, None], "token_surprisal_bits": [None, None]}


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(-2, 6), max_size=30), max_size=5), st.lists(st.integers(0, 10**12), max_size=6))
def test_values_are_in_range_and_a_batch_equals_one_by_one(documents, pooled):
    together = measured(documents, pooled, embedding_rows=4, max_length=5)
    for row, document in enumerate(documents):
        alone = measured([document], pooled, embedding_rows=4, max_length=5)
        assert {name: values[0] for name, values in alone.items()} == {
            name: values[row] for name, values in together.items()
        }
        rare, bits = together["rare_token_ratio"][row], together["token_surprisal_bits"][row]
        assert rare is None or 0 <= rare <= 1
        assert bits is None or 0 <= bits < 64
