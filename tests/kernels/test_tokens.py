"""Token kernels against plain Python."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.kernels.token_counts import add_documents
from dataaudit.kernels.tokens import (
    IS_BYTE_FALLBACK,
    IS_DIGIT,
    IS_HOLE,
    IS_SPECIAL,
    count_marked,
    distinct_ids,
    id_counts,
    largest_ids,
    rarity,
)

ids_strategy = st.integers(-3, 9) | st.sampled_from([-(2**63), 2**63 - 1, 2**32, 65536])
documents_of_ids = st.lists(st.lists(ids_strategy, max_size=40), max_size=6)


def arrays(documents):
    offsets = np.cumsum([0, *map(len, documents)])
    return offsets, np.array([id_ for document in documents for id_ in document], np.int64)


@settings(deadline=None)
@given(documents_of_ids, st.lists(st.integers(0, 15), max_size=8), st.integers(-1, 9))
def test_facts_are_counted(documents, facts, unk_id):
    found = id_counts(*arrays(documents), np.array(facts, np.uint8), unk_id)
    for row, document in enumerate(documents):
        inside = [id_ for id_ in document if 0 <= id_ < len(facts)]
        bits = [
            sum(bool(facts[id_] & bit) for id_ in inside) for bit in (IS_HOLE, IS_DIGIT, IS_BYTE_FALLBACK, IS_SPECIAL)
        ]
        assert found.holes[row] == bits[0] + len(document) - len(inside)
        assert [found.digits[row], found.byte_fallbacks[row], found.specials[row]] == bits[1:]
        assert found.unknowns[row] == (inside.count(unk_id) if unk_id >= 0 else 0)


@settings(deadline=None)
@given(documents_of_ids, st.integers(1, 40))
def test_distinct_and_largest_ids(documents, limit):
    offsets, ids = arrays(documents)
    assert distinct_ids(offsets, ids, limit).tolist() == [len(set(document[:limit])) for document in documents]
    assert largest_ids(offsets, ids).tolist() == [max(document, default=-1) for document in documents]
    assert count_marked(offsets, ids < 0).tolist() == [sum(id_ < 0 for id_ in document) for document in documents]


@settings(deadline=None)
@given(documents_of_ids, st.lists(st.integers(0, 200), min_size=1, max_size=9))
def test_rarity(documents, pooled):
    found = rarity(*arrays(documents), np.array(pooled, np.int64), 100)
    for row, document in enumerate(documents):
        counts = [pooled[id_] if 0 <= id_ < len(pooled) else 0 for id_ in document]
        assert found.rare[row] == sum(count < 100 for count in counts)
        assert found.known[row] == sum(count > 0 for count in counts)
        bits = math.fsum(math.log2(sum(pooled) / count) for count in counts if count)
        assert found.bits[row] == pytest.approx(bits, abs=1e-9)


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(-2, 12), max_size=30), max_size=6), st.randoms(use_true_random=False))
def test_totals_of_ids(documents, random):
    doc_ids = random.sample(range(1000), len(documents))
    totals = np.zeros((10, 4), np.int64)
    add_documents(totals, *arrays(documents), np.array(doc_ids, np.int64))
    counters = {doc_id: Counter(document) for doc_id, document in zip(doc_ids, documents, strict=True)}
    for id_ in range(10):
        here = {doc_id: counter[id_] for doc_id, counter in counters.items() if counter[id_]}
        largest = max(here.values(), default=0)
        largest_in = min((doc_id for doc_id, count in here.items() if count == largest), default=0)
        assert totals[id_].tolist() == [sum(here.values()), len(here), largest, largest_in]
