"""Best-fit-decreasing from lengths in bulk against the plain algorithm, a document at a time."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.kernels.packing import pack_best_fit


def plain(lengths, context):
    pieces = []
    for length in lengths:
        pieces += [context] * (length // context) + ([length % context] if length % context else [])
    rooms = []
    for piece in sorted(pieces, reverse=True):
        fitting = [room for room in rooms if room >= piece]
        if fitting:
            rooms.remove(min(fitting))
            rooms.append(min(fitting) - piece)
        else:
            rooms.append(context - piece)
    return len(rooms), sum(rooms)


def bulk(lengths, context):
    counts = Counter(lengths)
    return tuple(pack_best_fit(np.array(list(counts), np.int64), np.array(list(counts.values()), np.int64), context))


@settings(deadline=None)
@given(st.lists(st.integers(0, 70), max_size=80), st.integers(1, 33))
def test_bulk_equals_plain(lengths, context):
    assert bulk(lengths, context) == plain(lengths, context)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 20), st.integers(1, 60)), max_size=6), st.integers(1, 20))
def test_many_equal_lengths(groups, context):
    lengths = [length for length, number in groups for _ in range(number)]
    assert bulk(lengths, context) == plain(lengths, context)


def test_the_published_example():
    """arXiv 2404.10830: lengths 14, 7, 5, 2, 3 at a context of 8 fill 4 windows with 1 token of padding."""
    assert bulk([14, 7, 5, 2, 3], 8) == (4, 1)


def test_nothing_needs_no_window():
    assert bulk([], 8) == (0, 0)
    assert bulk([0, 0], 8) == (0, 0)


def test_a_trillion_documents_take_no_longer_than_one():
    windows, padding = pack_best_fit(np.array([3, 5]), np.array([10**12, 10**12]), 8)
    assert (windows, padding) == (10**12, 0)


def test_a_context_of_no_tokens_is_refused():
    with pytest.raises(ValueError, match="at least one token, not 0"):
        bulk([1], 0)
