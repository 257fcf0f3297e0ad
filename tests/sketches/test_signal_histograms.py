"""Histograms of signals: bins, undefined values, merge laws."""

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.sketches.histograms import SignalHistograms, bin_edges

floats = st.none() | st.floats(width=64)
rows_strategy = st.lists(
    st.tuples(
        st.sampled_from(["web", "book"]),
        st.integers(0, 1000),
        st.none() | st.floats(0, 1),
        st.none() | st.integers(-(2**63), 2**63 - 1),
        floats,
    ),
    max_size=30,
)
NAMES = ["dup_line_ratio", "word_count", "loss"]


def histograms(rows):
    columns = list(zip(*rows, strict=True)) or [()] * 5
    signals = pa.record_batch(
        [pa.array(columns[2], pa.float64()), pa.array(columns[3], pa.int64()), pa.array(columns[4], pa.float64())],
        names=NAMES,
    )
    found = SignalHistograms()
    found.update(pa.array(columns[0], pa.large_string()), np.array(columns[1], np.int64), signals)
    return found


def merged(*parts):
    found = SignalHistograms()
    for part in parts:
        found.merge(part)
    return found


@settings(deadline=None)
@given(rows_strategy, rows_strategy, rows_strategy)
def test_merging_is_exact_in_any_order_and_grouping(a, b, c):
    whole = histograms(a + b + c).to_table()
    x, y, z = histograms(a), histograms(b), histograms(c)
    assert merged(x, y, z).to_table() == whole
    assert merged(z, merged(y, x)).to_table() == whole
    assert SignalHistograms.from_table(pa.concat_tables([z.to_table(), y.to_table(), x.to_table()])).to_table() == whole


@settings(deadline=None)
@given(rows_strategy)
def test_every_document_is_in_one_bin_that_holds_its_value(rows):
    table = histograms(rows).to_table().to_pylist()
    for name, index in zip(NAMES, (2, 3, 4), strict=True):
        expected, weights = Counter(), Counter()
        edges = bin_edges(name, is_integer=name == "word_count")
        for row in rows:
            value = row[index]
            if value is None or math.isnan(value):
                place = None
            else:
                place = min(max(sum(edge <= float(value) for edge in edges.tolist()) - 1, 0), len(edges) - 2)
            expected[row[0], place] += 1
            weights[row[0], place] += row[1]
        found = [row for row in table if row["signal"] == name]
        assert {(row["source"], row["bin"]): row["documents"] for row in found} == expected
        assert {(row["source"], row["bin"]): row["weight"] for row in found} == weights


def test_minimum_and_maximum_are_those_of_the_bin():
    rows = [("web", 1, ratio, None, None) for ratio in (0.501, 0.51, 0.999, 1.0, None)]
    found = [row for row in histograms(rows).to_table().to_pylist() if row["signal"] == "dup_line_ratio"]
    assert [(row["bin"], row["documents"], row["minimum"], row["maximum"]) for row in found] == [
        (30, 2, 0.501, 0.51),
        (59, 2, 0.999, 1.0),
        (None, 1, None, None),
    ]


@pytest.mark.parametrize(
    ("signal", "is_integer", "some"),
    [
        ("dup_line_ratio", False, [0.0, 1 / 60, 0.5, 1.0]),
        ("word_count", True, [-3, -2, -1, 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 2.0**62]),
        ("char_entropy_bits", False, [-1.0, 0.0, 2.0**-10, 4.0, 4.5, 5.0, 7.5, 8.0, 9.0, 1.875 * 2.0**39]),
    ],
)
def test_edges(signal, is_integer, some):
    edges = bin_edges(signal, is_integer=is_integer)
    assert (np.diff(edges) > 0).all()
    assert set(some) <= set(edges.tolist())


def test_negative_zero_is_zero():
    """Which of the two a minimum keeps would depend on the order."""
    found = histograms([("web", 1, None, None, -0.0)]).to_table().to_pylist()
    assert [math.copysign(1, row["minimum"]) for row in found if row["signal"] == "loss"] == [1.0]


def test_without_documents_and_without_signals():
    assert histograms([]).to_table().num_rows == 0
    found = SignalHistograms()
    found.update(pa.array(["web"], pa.large_string()), np.array([1]), pa.record_batch([], names=[]))
    assert found.to_table().num_rows == 0


def test_it_survives_parquet(tmp_path):
    found = histograms([("web", 3, 0.5, 7, None), ("book", 4, None, -7, 2.5)])
    pq.write_table(found.to_table(), tmp_path / "histograms.parquet")
    assert SignalHistograms.from_table(pq.read_table(tmp_path / "histograms.parquet")).to_table() == found.to_table()
