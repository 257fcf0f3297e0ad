"""Shingle sets of token ids against plain Python."""

from itertools import chain

import duplicates_oracle as oracle
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataaudit.kernels import token_shingles
from dataaudit.kernels.token_shingles import token_shingle_sets

IDS = st.one_of(st.integers(0, 3), st.integers(-(2**63), 2**63 - 1))


def joined(documents: list[list[int]]) -> np.ndarray:
    return np.array(list(chain.from_iterable(documents)), np.int64)


def expected(ids: list[int], width: int) -> list[int]:
    return sorted({oracle.hash_id_shingle(shingle) for shingle in oracle.id_shingles(ids, width)})


@given(st.lists(st.lists(IDS, max_size=40), max_size=8), st.sampled_from([1, 2, 5, 13]))
def test_the_sets_are_those_of_plain_python(documents: list[list[int]], width: int) -> None:
    offsets = np.cumsum([0, *map(len, documents)])
    sets = token_shingle_sets(offsets, joined(documents), width)
    found = [sets.hashes[a:b].tolist() for a, b in zip(sets.offsets, sets.offsets[1:], strict=False)]
    assert found == [expected(ids, width) for ids in documents]
    assert sets.units.tolist() == [len(ids) for ids in documents]
    assert not sets.capped.any()


def test_runs_of_the_same_id_differ_by_id_and_short_ones_by_length() -> None:
    documents = [[0], [0, 0], [0] * 5, [0] * 50, [1] * 50]
    sets = token_shingle_sets(np.cumsum([0, *map(len, documents)]), joined(documents), 5)
    assert np.diff(sets.offsets).tolist() == [1] * 5
    a, b, c, d, e = sets.hashes.tolist()
    assert len({a, b, c, e}) == 4
    assert c == d


def test_the_beginning_of_a_huge_document_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_shingles, "MOST_SHINGLES", 10)
    ids = np.arange(100)
    sets = token_shingle_sets(np.array([0, 14, 15, 100]), ids, 5)
    assert sets.capped.tolist() == [False, False, True]
    assert sets.units.tolist() == [14, 1, 14]
    assert np.diff(sets.offsets).tolist() == [10, 1, 10]
    assert sets.hashes[11:].tolist() == expected(ids[15:29].tolist(), 5)
