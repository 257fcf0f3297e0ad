"""The attention mask beside the token ids of a document."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.label_faults import MaskCounts, mask_counts
from dataaudit.signals.batch import NO_SPECIAL_IDS, DocumentBatch, Lists
from dataaudit.signals.signal import place, signal
from dataaudit.signals.tokens import COUNTED, content_spans, token_ids, token_offsets

NO_MASK = "the document has no mask"
NONE_SUCH = "the mask has no such entry"


def _lists(batch: DocumentBatch) -> Lists:
    assert batch.attention_mask is not None, "a signal of the mask was measured on a batch without one"
    return batch.attention_mask


def _counts(batch: DocumentBatch) -> MaskCounts:
    mask, special = _lists(batch), batch.special_ids or NO_SPECIAL_IDS
    spans = batch.once(content_spans)
    return mask_counts(token_offsets(batch), batch.once(token_ids), spans, mask.offsets, mask.values, special.pad)


def _count(batch: DocumentBatch, values: NDArray[np.int64]) -> pa.Array:
    return pa.array(values, pa.int64(), mask=_lists(batch).missing)


@signal(unit="entries", source=COUNTED, needs="mask", null=NO_MASK)
def mask_count(batch: DocumentBatch) -> pa.Array:
    """Number of entries of the attention mask; there has to be one a token."""
    return _count(batch, np.diff(_lists(batch).offsets))


@signal(unit="entries", source=COUNTED, needs="mask", null=NO_MASK)
def invalid_mask_count(batch: DocumentBatch) -> pa.Array:
    """Number of entries that are neither 0 nor 1."""
    return _count(batch, batch.once(_counts).invalid)


@signal(unit="tokens", source=COUNTED, needs="mask", null=NONE_SUCH)
def invalid_mask_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first entry that invalid_mask_count counts."""
    return place(batch.once(_counts).first_invalid)


@signal(unit="entries", source=COUNTED, needs="mask", null=NO_MASK)
def mask_hole_count(batch: DocumentBatch) -> pa.Array:
    """Number of zeros in the mask with other entries before and after them."""
    return _count(batch, batch.once(_counts).holes)


@signal(unit="tokens", source=COUNTED, needs="mask", null=NONE_SUCH)
def mask_hole_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first entry that mask_hole_count counts."""
    return place(batch.once(_counts).first_hole)


@signal(unit="tokens", source=COUNTED, needs="mask", requires=("pad_id",), null=NO_MASK)
def hidden_token_count(batch: DocumentBatch) -> pa.Array:
    """Number of tokens other than ``model.pad_id`` that the mask hides with a 0 at its ends."""
    return _count(batch, batch.once(_counts).hidden)


@signal(unit="tokens", source=COUNTED, needs="mask", requires=("pad_id",), null=NONE_SUCH)
def hidden_token_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first token that hidden_token_count counts."""
    return place(batch.once(_counts).first_hidden)


@signal(unit="tokens", source=COUNTED, needs="mask", requires=("pad_id",), null=NO_MASK)
def attended_pad_count(batch: DocumentBatch) -> pa.Array:
    """Number of ``model.pad_id`` tokens at the document's ends that the mask does not hide."""
    return _count(batch, batch.once(_counts).attended)


@signal(unit="tokens", source=COUNTED, needs="mask", requires=("pad_id",), null=NONE_SUCH)
def attended_pad_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first token that attended_pad_count counts."""
    return place(batch.once(_counts).first_attended)
