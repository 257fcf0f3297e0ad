"""What is wrong with the ids of a corpus that came as tokens, and where in the document it shows first."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.token_places import first_marked
from dataaudit.kernels.tokens import count_marked
from dataaudit.signals.batch import DocumentBatch
from dataaudit.signals.signal import count, place, signal
from dataaudit.signals.tokens import COUNTED, token_ids, token_offsets

NO_SUCH = "the document has no such token"


def _negative(batch: DocumentBatch) -> NDArray[np.bool_]:
    return batch.once(token_ids) < 0


def _unused(batch: DocumentBatch) -> NDArray[np.bool_]:
    assert batch.vocabulary is not None
    ids, in_use = batch.once(token_ids), batch.vocabulary.in_use
    known = (ids >= 0) & (ids < len(in_use))
    return known & ~in_use[np.where(known, ids, 0)] if len(in_use) else np.zeros(len(ids), np.bool_)


def _padded_rows(batch: DocumentBatch) -> NDArray[np.bool_]:
    assert batch.vocabulary is not None and batch.embedding_rows is not None
    ids = batch.once(token_ids)
    return (ids >= batch.vocabulary.id_space) & (ids < batch.embedding_rows)


def _out_of_range(batch: DocumentBatch) -> NDArray[np.bool_]:
    assert batch.embedding_rows is not None
    ids = batch.once(token_ids)
    return (ids < 0) | (ids >= batch.embedding_rows)


@signal(unit="tokens", source=COUNTED, needs="tokens", requires=("given",))
def negative_token_count(batch: DocumentBatch) -> pa.Array:
    """Number of tokens whose id is below 0."""
    return count(count_marked(token_offsets(batch), batch.once(_negative)))


@signal(unit="tokens", source=COUNTED, needs="tokens", requires=("given",), null=NO_SUCH)
def negative_token_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first token that negative_token_count counts."""
    return place(first_marked(token_offsets(batch), batch.once(_negative)))


@signal(unit="tokens", source=COUNTED, needs="tokens", requires=("given", "vocabulary"))
def unused_id_token_count(batch: DocumentBatch) -> pa.Array:
    """Number of tokens whose id lies in the tokenizer's id space, where it has no token."""
    return count(count_marked(token_offsets(batch), batch.once(_unused)))


@signal(unit="tokens", source=COUNTED, needs="tokens", requires=("given", "vocabulary"), null=NO_SUCH)
def unused_id_token_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first token that unused_id_token_count counts."""
    return place(first_marked(token_offsets(batch), batch.once(_unused)))


@signal(unit="tokens", source=COUNTED, needs="pooled", requires=("given", "vocabulary", "embedding_rows"))
def padded_row_token_count(batch: DocumentBatch) -> pa.Array:
    """Number of tokens whose id lies past the tokenizer's id space and below the model's embedding rows.

    The table is padded to a round number of rows; nothing trains the rows that no token has.
    """
    return count(count_marked(token_offsets(batch), batch.once(_padded_rows)))


@signal(unit="tokens", source=COUNTED, needs="pooled", requires=("given", "vocabulary", "embedding_rows"), null=NO_SUCH)
def padded_row_token_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first token that padded_row_token_count counts."""
    return place(first_marked(token_offsets(batch), batch.once(_padded_rows)))


@signal(unit="tokens", source=COUNTED, needs="pooled", requires=("given", "embedding_rows"), null=NO_SUCH)
def oov_token_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first token that oov_token_count counts."""
    return place(first_marked(token_offsets(batch), batch.once(_out_of_range)))
