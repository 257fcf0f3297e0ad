"""Ids that are wrong in a corpus of token ids, against a plain reference, and when they are not measured."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from side_documents import batch_of, counted

from dataaudit.kernels.vocabulary import Vocabulary
from dataaudit.signals import DocumentBatch, all_signals, measure

FAMILY = [name for name, each in all_signals().items() if each.family == "token_faults"]
NONE = np.zeros(6, np.bool_)
IN_USE = np.array([True, True, False, True, False, True])
VOCABULARY = Vocabulary(6, IN_USE, NONE, NONE, NONE, -1, ())
ROWS = 8


def values(documents):
    batch = batch_of(documents, vocabulary=VOCABULARY, embedding_rows=ROWS, pooled_counts=np.ones(6, np.int64))
    return measure(batch, ["tokens", "pooled"]).select(FAMILY).to_pylist()


def expected(ids):
    faults = {
        "negative_token": [i for i, token in enumerate(ids) if token < 0],
        "unused_id_token": [i for i, token in enumerate(ids) if token in (2, 4)],
        "padded_row_token": [i for i, token in enumerate(ids) if token in (6, 7)],
    }
    found = {}
    for name, places in faults.items():
        found[f"{name}_count"], found[f"{name}_start"] = counted(places)
    out = [i for i, token in enumerate(ids) if not 0 <= token < ROWS]
    return {**found, "oov_token_start": counted(out)[1]}


@settings(deadline=None, max_examples=300)
@given(st.lists(st.lists(st.integers(-2, 9) | st.sampled_from([-(2**63), 2**63 - 1]), max_size=12), max_size=5))
@example([[]])
def test_they_equal_the_plain_reference(documents):
    assert values(documents) == [expected(each) for each in documents]


def test_ids_that_were_made_here_have_no_such_faults():
    ids = DocumentBatch(
        ids=np.array([1, 2], np.uint32),
        id_offsets=np.array([0, 2]),
        vocabulary=VOCABULARY,
        embedding_rows=ROWS,
        pooled_counts=np.ones(6, np.int64),
    )
    assert not {*FAMILY} & {*measure(ids, ["tokens", "pooled"]).schema.names}
