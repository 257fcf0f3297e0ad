"""Where a document starts and ends in its tokens."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.token_places import doubled, inside
from dataaudit.signals.batch import DocumentBatch
from dataaudit.signals.signal import count, place, signal
from dataaudit.signals.tokens import NO_TOKENS, content_spans, token_ids, token_lengths, token_offsets

COUNTED = "counted exactly"
NO_SUCH = "the document has no such token"
NO_CONTENT = "the document has no tokens besides padding"


def _token_at(batch: DocumentBatch, positions: np.ndarray) -> pa.Array:
    empty = token_lengths(batch) == 0
    ids = batch.once(token_ids)
    found = np.zeros(batch.rows, np.int64)
    found[~empty] = ids[positions[~empty]]
    return pa.array(found, mask=empty)


@signal(unit="id", source=COUNTED, needs="tokens", minimum=None, null=NO_TOKENS)
def first_token_id(batch: DocumentBatch) -> pa.Array:
    """Id of the document's first token."""
    return _token_at(batch, token_offsets(batch)[:-1])


@signal(unit="id", source=COUNTED, needs="tokens", minimum=None, null=NO_TOKENS)
def last_token_id(batch: DocumentBatch) -> pa.Array:
    """Id of the document's last token."""
    return _token_at(batch, token_offsets(batch)[1:] - 1)


@signal(unit="tokens", source=COUNTED, needs="pooled", requires=("eos_id",), version=2)
def inner_eos_count(batch: DocumentBatch) -> pa.Array:
    """Number of ``model.eos_id`` tokens before the document's last token: false document ends.

    Padding (``model.pad_id`` at the document's ends) is left out.
    """
    return count(batch.once(_inner_eos)[0])


@signal(unit="tokens", source=COUNTED, needs="pooled", requires=("given", "eos_id"), null=NO_SUCH)
def inner_eos_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first token that inner_eos_count counts."""
    return _place_in_document(batch, batch.once(_inner_eos)[1])


@signal(unit="tokens", source=COUNTED, needs="pooled", requires=("given", "pad_id"))
def padding_token_count(batch: DocumentBatch) -> pa.Array:
    """Number of padding tokens: ``model.pad_id`` at the document's ends.

    Where the padding token is the start or the end token too, one of the run at that end is none.
    """
    starts, stops = batch.once(content_spans)
    return count(token_lengths(batch) - (stops - starts))


@signal(unit="id", source=COUNTED, needs="pooled", requires=("given", "special_ids"), minimum=None, null=NO_CONTENT)
def first_content_token_id(batch: DocumentBatch) -> pa.Array:
    """Id of the first token that is no padding (``model.pad_id`` at the document's ends)."""
    return _content_end(batch, last=False)


@signal(unit="id", source=COUNTED, needs="pooled", requires=("given", "special_ids"), minimum=None, null=NO_CONTENT)
def last_content_token_id(batch: DocumentBatch) -> pa.Array:
    """Id of the last token that is no padding (``model.pad_id`` at the document's ends).

    Where the padding token is the end token too, the first of the run at the end is taken for the end token.
    """
    return _content_end(batch, last=True)


@signal(
    unit="tokens",
    source=COUNTED,
    needs="pooled",
    requires=("given", "special_ids"),
    null="the config has neither model.bos_id nor model.eos_id",
)
def double_special_count(batch: DocumentBatch) -> pa.Array:
    """Number of ``model.bos_id`` or ``model.eos_id`` tokens right after the same token.

    Padding (``model.pad_id`` at the document's ends) is left out.
    """
    assert batch.special_ids is not None
    unknown = batch.special_ids.bos < 0 and batch.special_ids.eos < 0
    return pa.array(batch.once(_doubled)[0], pa.int64(), mask=np.full(batch.rows, unknown))


@signal(unit="tokens", source=COUNTED, needs="pooled", requires=("given", "special_ids"), null=NO_SUCH)
def double_special_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first token that double_special_count counts."""
    return _place_in_document(batch, batch.once(_doubled)[1])


def _inner_eos(batch: DocumentBatch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    assert batch.eos_id is not None
    return inside(*batch.once(content_spans), batch.once(token_ids), batch.eos_id)


def _doubled(batch: DocumentBatch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    assert batch.special_ids is not None
    return doubled(*batch.once(content_spans), batch.once(token_ids), batch.special_ids.bos, batch.special_ids.eos)


def _place_in_document(batch: DocumentBatch, places: NDArray[np.int64]) -> pa.Array:
    return place(np.where(places < 0, -1, places - token_offsets(batch)[:-1]))


def _content_end(batch: DocumentBatch, *, last: bool) -> pa.Array:
    starts, stops = batch.once(content_spans)
    ids, empty = batch.once(token_ids), starts >= stops
    found = np.zeros(batch.rows, np.int64)
    found[~empty] = ids[(stops - 1 if last else starts)[~empty]]
    return pa.array(found, mask=empty)
