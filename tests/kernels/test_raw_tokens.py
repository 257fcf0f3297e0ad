"""Raw token arrays against a plain-Python reference, and pieces against the whole."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dataaudit.corpus.token_facts import MOST_PROBLEMS, TokenFacts, measure
from dataaudit.kernels.raw_tokens import NEGATIVE, raw_tokens

DTYPES = ("uint8", "uint16", "uint32", "int32", "int64", "uint64", "int16", "int8")


def zero_runs(ids: list[int]) -> tuple[int, int, int]:
    """Returns the run of zeros at the start, at the end, and the longest that does not reach the end."""
    runs, start = [], None
    for at, token in enumerate([*ids, 1]):
        if token == 0 and start is None:
            start = at
        elif token != 0 and start is not None:
            runs.append((start, at))
            start = None
    leading = next((stop - start for start, stop in runs if start == 0), 0)
    trailing = next((stop - start for start, stop in runs if stop == len(ids)), 0)
    return leading, trailing, max((stop - start for start, stop in runs if stop != len(ids)), default=0)


@st.composite
def arrays(draw: st.DrawFn) -> NDArray[np.generic]:
    dtype = draw(st.sampled_from(DTYPES))
    limits = np.iinfo(dtype)
    values = st.one_of(st.sampled_from([0, 1, 3, 4]), st.integers(limits.min, limits.max))
    return np.array(draw(st.lists(values, max_size=60)), dtype)


@given(arrays(), st.integers(0, 3))
def test_counts_equal_a_plain_reference(ids: NDArray[np.generic], first: int) -> None:
    found = raw_tokens(ids, first)
    values = [int(each) for each in ids]
    size = ids.dtype.itemsize
    mask = (1 << 8 * size) - 1
    swapped = [int.from_bytes((each & mask).to_bytes(size, "little"), "big") for each in values]

    def small(parity: int) -> int:
        return sum(0 <= each < 4 for at, each in enumerate(values, first) if at % 2 == parity)

    assert (found.small_even, found.small_odd) == (small(0), small(1))
    assert found.low_zero == sum(each & 255 == 0 for each in values)
    assert found.low_zero_swapped == sum(each & 255 == 0 for each in swapped)
    for at in range(65):
        assert found.bit_lengths[at] == sum(each >= 0 and each.bit_length() == at for each in values)
        assert found.bit_lengths_swapped[at] == sum(each.bit_length() == at for each in swapped)
    assert found.bit_lengths[NEGATIVE] == sum(each < 0 for each in values)
    assert (found.leading_zeros, found.trailing_zeros, found.longest_zero_run) == zero_runs(values)


@given(st.lists(st.sampled_from([0, 0, 0, 7, 2]), max_size=40), st.lists(st.integers(0, 40), max_size=3))
def test_pieces_merge_to_the_whole(values: list[int], cuts: list[int]) -> None:
    ids = np.array(values, np.uint16)
    whole = measure(ids, declared_tokens=len(ids))
    bounds = [0, *sorted(min(cut, len(ids)) for cut in cuts), len(ids)]
    parts = [
        measure(ids[start:stop], first=start, declared_tokens=len(ids) if at == 0 else None)
        for at, (start, stop) in enumerate(pairwise(bounds))
    ]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merge(part)
    if values:
        assert merged == whole
    assert merged.tokens == len(values)


def test_blocks_of_a_long_array_merge() -> None:
    ids = np.zeros((1 << 20) + 5, np.uint32)
    ids[3] = 9
    found = measure(ids)
    assert (found.leading_zeros, found.trailing_zeros, found.longest_zero_run) == (3, len(ids) - 4, 3)
    assert found.bit_lengths[0] == len(ids) - 1


def test_read_only_memory_is_read() -> None:
    ids = np.frombuffer(b"\1\0\0\2", np.uint16)
    assert measure(ids).bit_lengths[10] == 1


@settings(max_examples=20)
@given(st.lists(st.sampled_from(["pointer", "order"]), max_size=60))
def test_problems_are_counted_and_bounded(kinds: list[str]) -> None:
    facts = TokenFacts(dtype="uint16", itemsize=2)
    for at, kind in enumerate(kinds):
        facts = facts.with_problem(kind, "wrong", sequence=at)
    merged = facts.merge(facts)
    for kind in ("pointer", "order"):
        assert merged.problem_counts.get(kind, 0) == 2 * kinds.count(kind)
        kept = [each.sequence for each in merged.problems if each.kind == kind]
        assert kept[: kinds.count(kind)] == [at for at, each in enumerate(kinds) if each == kind][:MOST_PROBLEMS]
        assert len(kept) == min(MOST_PROBLEMS, 2 * kinds.count(kind))


@pytest.mark.parametrize("dtype", ["float32", "bool", ">u2"])
def test_other_types_are_refused(dtype: str) -> None:
    with pytest.raises(TypeError, match="whole numbers"):
        measure(np.zeros(3, dtype))
