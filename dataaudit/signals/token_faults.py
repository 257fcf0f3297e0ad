"""What is wrong with the ids of a corpus that came as tokens, and where in the document it shows first."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.token_places import first_marked
from dataaudit.kernels.tokens import count_marked
from dataaudit.signals.batch import DocumentBatch
from dataaudit.signals.signal import count, place, signal
from dataaudit.signals.tokens import COUNTED, token_ids, token_offsets

NO_SUCH = "the document has no such token"


class _Marked(NamedTuple):
    """Tokens of some kind: how many a document has, and the place of its first one, -1 without; two int64[rows]."""

    counts: NDArray[np.int64]
    firsts: NDArray[np.int64]


def _marked(batch: DocumentBatch, marked: NDArray[np.bool_]) -> _Marked:
    offsets = token_offsets(batch)
    return _Marked(count_marked(offsets, marked), first_marked(offsets, marked))


def _none_marked(batch: DocumentBatch) -> _Marked:
    return _Marked(np.zeros(batch.rows, np.int64), np.full(batch.rows, -1))


def _extremes(batch: DocumentBatch) -> tuple[int, int]:
    """Returns the smallest and the largest id of the batch, which mostly show that no token is at fault."""
    ids = batch.once(token_ids)
    return (int(ids.min()), int(ids.max())) if len(ids) else (0, 0)


def _negative(batch: DocumentBatch) -> _Marked:
    smallest, _ = batch.once(_extremes)
    return _marked(batch, batch.once(token_ids) < 0) if smallest < 0 else _none_marked(batch)


def out_of_range(batch: DocumentBatch) -> _Marked:
    """Returns the tokens that the model's embedding table has no row for."""
    assert batch.embedding_rows is not None
    smallest, largest = batch.once(_extremes)
    if smallest >= 0 and largest < batch.embedding_rows:
        return _none_marked(batch)
    ids = batch.once(token_ids)
    return _marked(batch, (ids < 0) | (ids >= batch.embedding_rows))


def _unused(batch: DocumentBatch) -> _Marked:
    assert batch.vocabulary is not None
    ids, in_use = batch.once(token_ids), batch.vocabulary.in_use
    if in_use.all():
        return _none_marked(batch)
    known = (ids >= 0) & (ids < len(in_use))
    return _marked(batch, known & ~in_use[np.where(known, ids, 0)])


def _padded_rows(batch: DocumentBatch) -> _Marked:
    assert batch.vocabulary is not None and batch.embedding_rows is not None
    _, largest = batch.once(_extremes)
    if largest < batch.vocabulary.id_space:
        return _none_marked(batch)
    ids = batch.once(token_ids)
    return _marked(batch, (ids >= batch.vocabulary.id_space) & (ids < batch.embedding_rows))


@signal(unit="tokens", source=COUNTED, needs="tokens", requires=("given",))
def negative_token_count(batch: DocumentBatch) -> pa.Array:
    """Number of tokens whose id is below 0."""
    return count(batch.once(_negative).counts)


@signal(unit="tokens", source=COUNTED, needs="tokens", requires=("given",), null=NO_SUCH)
def negative_token_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first token that negative_token_count counts."""
    return place(batch.once(_negative).firsts)


@signal(unit="tokens", source=COUNTED, needs="tokens", requires=("given", "vocabulary"))
def unused_id_token_count(batch: DocumentBatch) -> pa.Array:
    """Number of tokens whose id lies in the tokenizer's id space, where it has no token."""
    return count(batch.once(_unused).counts)


@signal(unit="tokens", source=COUNTED, needs="tokens", requires=("given", "vocabulary"), null=NO_SUCH)
def unused_id_token_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first token that unused_id_token_count counts."""
    return place(batch.once(_unused).firsts)


@signal(unit="tokens", source=COUNTED, needs="pooled", requires=("given", "vocabulary", "embedding_rows"))
def padded_row_token_count(batch: DocumentBatch) -> pa.Array:
    """Number of tokens whose id lies past the tokenizer's id space and below the model's embedding rows.

    The table is padded to a round number of rows; nothing trains the rows that no token has.
    """
    return count(batch.once(_padded_rows).counts)


@signal(unit="tokens", source=COUNTED, needs="pooled", requires=("given", "vocabulary", "embedding_rows"), null=NO_SUCH)
def padded_row_token_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first token that padded_row_token_count counts."""
    return place(batch.once(_padded_rows).firsts)


@signal(unit="tokens", source=COUNTED, needs="pooled", requires=("given", "embedding_rows"), null=NO_SUCH)
def oov_token_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first token that oov_token_count counts."""
    return place(batch.once(out_of_range).firsts)
