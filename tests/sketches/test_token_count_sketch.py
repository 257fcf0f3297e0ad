"""Counts of token ids: merge laws and sums against Counter, ids outside the id space too."""

from collections import Counter

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.sketches import token_counts
from dataaudit.sketches.token_counts import TokenCounts

ID_SPACE = 8
ids_strategy = st.integers(-3, 14) | st.sampled_from([-(2**63), 2**63 - 1])
documents_strategy = st.dictionaries(st.integers(0, 2**40), st.lists(ids_strategy, max_size=20), max_size=5)


@pytest.fixture(autouse=True)
def _few_outside(monkeypatch):
    monkeypatch.setattr(token_counts, "OUTSIDE_LIMIT", 3)


def counted(documents, id_space=ID_SPACE):
    found = TokenCounts(id_space)
    offsets = np.cumsum([0, *(len(ids) for ids in documents.values())])
    ids = np.array([id_ for ids in documents.values() for id_ in ids], np.int64)
    found.update(ids, offsets, np.array(list(documents), np.uint64))
    return found


def merged(*parts):
    found = TokenCounts(ID_SPACE)
    for part in parts:
        found.merge(part)
    return found


def expected(documents):
    counters = {doc_id: Counter(ids) for doc_id, ids in documents.items()}
    rows, overflow = [], 0
    every = sorted({id_ for ids in documents.values() for id_ in ids})
    kept = [id_ for id_ in every if not 0 <= id_ < ID_SPACE][:3]
    for id_ in every:
        here = {doc_id: counter[id_] for doc_id, counter in counters.items() if counter[id_]}
        if 0 <= id_ < ID_SPACE or id_ in kept:
            most = max(here.values())
            first = min(doc_id for doc_id, count in here.items() if count == most)
            rows.append((id_, sum(here.values()), len(here), most, first))
        else:
            overflow += sum(here.values())
    return rows + ([(None, overflow, 0, 0, 0)] if overflow else [])


@settings(deadline=None)
@given(documents_strategy)
def test_counts_equal_the_plain_definition(documents):
    found = counted(documents)
    assert [tuple(row.values()) for row in found.to_table().to_pylist()] == expected(documents)
    assert found.total == sum(map(len, documents.values()))
    assert found.total_outside == sum(not 0 <= id_ < ID_SPACE for ids in documents.values() for id_ in ids)


@settings(deadline=None)
@given(documents_strategy, st.randoms(use_true_random=False))
def test_merging_is_exact_in_any_order_and_grouping(documents, random):
    whole = counted(documents).to_table()
    parts = [{}, {}, {}]
    for doc_id, ids in documents.items():
        random.choice(parts)[doc_id] = ids
    x, y, z = map(counted, parts)
    assert merged(x, y, z).to_table() == whole
    assert merged(z, merged(y, x)).to_table() == whole
    assert merged(merged(y, z), x).to_table() == whole


@settings(deadline=None)
@given(documents_strategy)
def test_batches_equal_one_batch(documents):
    found = TokenCounts(ID_SPACE)
    for doc_id, ids in documents.items():
        found.update(np.array(ids, np.int64), np.array([0, len(ids)]), np.array([doc_id]))
    assert found.to_table() == counted(documents).to_table()


@settings(deadline=None)
@given(documents_strategy)
def test_a_table_reads_back(documents):
    found = counted(documents)
    again = TokenCounts.from_table(found.to_table(), ID_SPACE)
    assert again.to_table() == found.to_table()
    assert (again.total, again.overflow) == (found.total, found.overflow)
    assert merged(again, found).to_table() == merged(found, found).to_table()


def test_unsigned_ids_are_counted_as_they_are():
    found = TokenCounts(10)
    found.update(np.array([9, 9, 2**32 - 1], np.uint32), np.array([0, 1, 3]), np.array([5, 6], np.uint64))
    assert found.counts[9] == 2
    assert found.doc_counts[9] == 2
    assert (found.max_doc_counts[9], found.max_doc_ids[9]) == (1, 5)
    assert (found.outside_ids.tolist(), found.outside_counts.tolist()) == ([2**32 - 1], [1])


def test_an_unknown_id_space_takes_any_plausible_id():
    found = TokenCounts()
    found.update(np.array([0, 4_194_303, 4_194_304, -1]), np.array([0, 4]), np.array([1]))
    assert (found.counts[4_194_303], found.outside_ids.tolist()) == (1, [-1, 4_194_304])


def test_memory_follows_the_largest_id_seen():
    found = TokenCounts()
    found.update(np.array([5000]), np.array([0, 1]), np.array([1]))
    assert len(found.counts) == 8192


def test_without_tokens():
    found = counted({1: [], 2: []})
    assert (found.total, found.to_table().num_rows) == (0, 0)
    assert TokenCounts.from_table(found.to_table(), ID_SPACE).total == 0


def test_counts_over_other_id_spaces_do_not_add_up():
    with pytest.raises(ValueError, match="counts over 9 ids cannot be added to counts over 8"):
        TokenCounts(8).merge(TokenCounts(9))


def test_it_survives_parquet(tmp_path):
    found = counted({7: [1, 1, 2, -5, 99, 100, 101, 102]})
    pq.write_table(found.to_table(), tmp_path / "token_counts.parquet")
    read = TokenCounts.from_table(pq.read_table(tmp_path / "token_counts.parquet"), ID_SPACE)
    assert read.to_table() == found.to_table()
    assert (read.overflow, read.outside_ids.tolist()) == (2, [-5, 99, 100])
