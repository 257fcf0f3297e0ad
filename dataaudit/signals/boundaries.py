"""Where a document starts and ends in its tokens."""

import numpy as np
import pyarrow as pa

from dataaudit.signals.batch import DocumentBatch
from dataaudit.signals.signal import count, signal
from dataaudit.signals.tokens import NO_TOKENS, token_ids, token_lengths, token_offsets

COUNTED = "counted exactly"


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


@signal(unit="tokens", source=COUNTED, needs="pooled", requires=("eos_id",))
def inner_eos_count(batch: DocumentBatch) -> pa.Array:
    """Number of ``model.eos_id`` tokens before the document's last token: false document ends."""
    offsets = token_offsets(batch)
    sums = np.concatenate([[0], np.cumsum(batch.once(token_ids) == batch.eos_id)])
    first, last = offsets[:-1], np.maximum(offsets[1:] - 1, offsets[:-1])
    return count(sums[last] - sums[first])
