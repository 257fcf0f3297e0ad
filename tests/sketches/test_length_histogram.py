"""Exact lengths by source: merge laws, percentiles and sums against plain lists."""

import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.sketches.lengths import LengthHistogram

documents = st.lists(st.tuples(st.sampled_from(["web", "书", ""]), st.integers(0, 30)), max_size=40)


def histogram(rows):
    found = LengthHistogram()
    found.update(pa.array([source for source, _ in rows], pa.large_string()), np.array([n for _, n in rows], np.int64))
    return found


def merged(*parts):
    found = LengthHistogram()
    for part in parts:
        found.merge(part)
    return found


@settings(deadline=None)
@given(documents, documents, documents)
def test_merging_is_exact_in_any_order_and_grouping(a, b, c):
    whole = histogram(a + b + c).to_table()
    x, y, z = histogram(a), histogram(b), histogram(c)
    assert merged(x, y, z).to_table() == whole
    assert merged(z, merged(y, x)).to_table() == whole
    assert LengthHistogram.from_table(pa.concat_tables([z.to_table(), x.to_table(), y.to_table()])).to_table() == whole


@settings(deadline=None)
@given(documents.filter(bool), st.integers(0, 100), st.integers(0, 30))
def test_numbers_equal_those_of_the_list(rows, point, limit):
    found = histogram(rows)
    lengths = sorted(n for _, n in rows)
    assert (found.documents, found.total) == (len(lengths), sum(lengths))
    assert found.percentile(point) == lengths[max(1, math.ceil(point * len(lengths) / 100)) - 1]
    assert found.documents_longer_than(limit) == sum(n > limit for n in lengths)
    assert found.total_past(limit) == sum(max(0, n - limit) for n in lengths)
    for source in found.sources:
        assert found.only(source).total == sum(n for of, n in rows if of == source)


def test_numbers_follow_an_update():
    found = histogram([("web", 3)])
    assert (found.total, found.percentile(50)) == (3, 3)
    found.merge(histogram([("web", 9), ("web", 9)]))
    assert (found.total, found.percentile(50)) == (21, 9)


def test_without_documents():
    found = LengthHistogram()
    assert (found.documents, found.total, found.percentile(50), found.sources) == (0, 0, None, [])
    assert LengthHistogram.from_table(found.to_table()).to_table() == found.to_table()


def test_a_percentile_past_100_is_refused():
    with pytest.raises(ValueError, match="from 0 to 100, not 101"):
        histogram([("web", 3)]).percentile(101)


def test_a_table_of_another_kind_is_refused():
    with pytest.raises(ValueError, match=r"lacks the columns \['source'\]"):
        LengthHistogram.from_table(pa.table({"length": [1], "documents": [1]}))


def test_it_survives_parquet(tmp_path):
    found = histogram([("web", 3), ("web", 3), ("a", 4)])
    pq.write_table(found.to_table(), tmp_path / "lengths.parquet")
    read = pq.read_table(tmp_path / "lengths.parquet")
    assert LengthHistogram.from_table(read).to_table() == found.to_table()
    assert read.to_pylist() == [
        {"source": "a", "length": 4, "documents": 1},
        {"source": "web", "length": 3, "documents": 2},
    ]


def test_many_small_batches_are_one_table():
    found = LengthHistogram()
    for i in range(300):
        found.update(pa.array(["web"], pa.large_string()), np.array([i % 3]))
    assert found.to_table().column("documents").to_pylist() == [100, 100, 100]
