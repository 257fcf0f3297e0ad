"""Periodic runs against two plain readings of the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.kernels.periodic import periodic_runs

chunk = st.tuples(st.lists(st.integers(-2, 3), min_size=1, max_size=14), st.integers(1, 12)).map(lambda c: c[0] * c[1])
sequences = st.lists(chunk, max_size=6).map(lambda chunks: [id_ for part in chunks for id_ in part])


def by_runs(ids):
    """times, period and start: e_i = [x_i = x_{i-p}], L the longest run of it, times = (L + p) // p."""
    best = (1, 0, -1)
    for period in range(1, min(13, len(ids) // 3) + 1):
        start = period
        while start < len(ids):
            stop = start
            while stop < len(ids) and ids[stop] == ids[stop - period]:
                stop += 1
            times = (stop - start + period) // period
            if times >= 3 and times > best[0]:
                best = (times, period, start - period)
            start = max(stop, start + 1)
    return best


def by_rows(ids):
    """The most times over all periods, by rows of one period that equal the row before, widened by partial rows."""
    most = 1
    for period in range(1, min(13, len(ids) // 3) + 1):
        rows = [ids[i : i + period] for i in range(0, len(ids), period)]
        row = 1
        while row < len(rows):
            first = row
            while row < len(rows) and rows[row] == rows[row - 1]:
                row += 1
            if row > first:
                start, stop = (first - 1) * period, row * period
                while start > 0 and ids[start - 1] == ids[start - 1 + period]:
                    start -= 1
                while stop < len(ids) and ids[stop] == ids[stop - period]:
                    stop += 1
                times = (stop - start) // period
                most = max(most, times if times > 2 else 1)
            row += 1
    return most


def measure(documents):
    offsets = np.cumsum([0, *map(len, documents)])
    ids = np.array([id_ for document in documents for id_ in document], np.int64)
    return list(zip(*(column.tolist() for column in periodic_runs(offsets, ids)), strict=True))


@settings(deadline=None)
@given(st.lists(sequences, max_size=4))
def test_runs_equal_the_plain_definition(documents):
    assert measure(documents) == [by_runs(document) for document in documents]


@settings(deadline=None)
@given(sequences)
def test_times_equal_rows_that_repeat(document):
    assert measure([document])[0][0] == by_rows(document)


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([], (1, 0, -1)),
        ([7], (1, 0, -1)),
        ([7, 7], (1, 0, -1)),
        ([7, 7, 7], (3, 1, 0)),
        ([1, 2] * 2, (1, 0, -1)),
        ([1, 2] * 3, (3, 2, 0)),
        ([9, *([1, 2] * 4), 1], (4, 2, 1)),
        ([5, *([0] * 31)], (31, 1, 1)),
        ([5, *([0] * 32)], (32, 1, 1)),
        (list(range(13)) * 32, (32, 13, 0)),
        (list(range(14)) * 32, (1, 0, -1)),
        ([*([1] * 4), *([1, 2] * 4)], (5, 1, 0)),
    ],
)
def test_golden(ids, expected):
    assert measure([ids]) == [expected]
    assert by_runs(ids) == expected


def test_a_run_does_not_reach_into_the_next_document():
    assert measure([[4, 4], [4, 4], []]) == [(1, 0, -1)] * 3


def test_long_runs_that_nearly_repeat_are_searched_once():
    """Every period meets long partial runs; the work stays linear, so this ends at once."""
    block = [1] * 25 + [2]
    assert measure([block * 20_000])[0] == (25, 1, 0)
