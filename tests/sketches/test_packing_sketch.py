"""Costs of packing, by hand and against simulation over every start."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.sketches.lengths import Lengths
from dataaudit.sketches.packing import concatenation_cuts, expected_truncated_documents, packing

PUBLISHED = [14, 7, 5, 2, 3]


def lengths_of(documents):
    counts = sorted(Counter(documents).items())
    return Lengths(np.array([n for n, _ in counts], np.int64), np.array([times for _, times in counts], np.int64))


def test_the_published_example():
    """arXiv 2404.10830: lengths 14, 7, 5, 2, 3 at a context of 8."""
    found = packing(lengths_of(PUBLISHED), 8)
    assert (found.best_fit_windows, found.best_fit_padding, found.best_fit_efficiency) == (4, 1, 31 / 32)
    assert (found.documents, found.tokens, found.longer_documents, found.unavoidable_cuts) == (5, 31, 1, 1)
    assert (found.concatenated_windows, found.concatenated_remainder) == (3, 7)
    assert found.expected_truncated_documents == (5 + 6 + 4 + 1 + 2) / 8
    cuts = concatenation_cuts(np.array(PUBLISHED), 8)
    assert cuts.cuts.tolist() == [1, 1, 1, 0, 0]
    assert cuts.avoidable.tolist() == [0, 1, 1, 0, 0]


@settings(deadline=None)
@given(st.lists(st.integers(0, 40), max_size=20), st.integers(1, 12))
def test_cuts_equal_the_boundaries_inside_each_document(documents, context):
    start = 0
    expected = []
    for length in documents:
        expected.append(sum(place % context == 0 for place in range(start + 1, start + length)))
        start += length
    cuts = concatenation_cuts(np.array(documents, np.int64), context)
    assert cuts.cuts.tolist() == expected
    unavoidable = [max(0, -(-length // context) - 1) for length in documents]
    assert (cuts.cuts - cuts.avoidable).tolist() == unavoidable
    assert packing(lengths_of(documents), context).unavoidable_cuts == sum(unavoidable)


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(1, 15))
def test_the_expectation_is_the_mean_over_every_start(length, context):
    avoidable = [
        sum(place % context == 0 for place in range(start + 1, start + length)) - (-(-length // context) - 1)
        for start in range(context)
    ]
    assert set(avoidable) <= {0, 1}
    assert expected_truncated_documents(lengths_of([length]), context) == pytest.approx(sum(avoidable) / context)


def test_without_tokens():
    for documents in ([], [0, 0]):
        found = packing(lengths_of(documents), 8)
        assert (found.documents, found.tokens, found.best_fit_windows, found.best_fit_efficiency) == (0, 0, 0, None)
        assert found.expected_truncated_documents == 0
