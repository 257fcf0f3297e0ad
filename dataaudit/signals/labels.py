"""The labels beside the token ids of a document: what a trainer would learn from it."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.label_faults import LabelCounts, label_counts
from dataaudit.signals.batch import DocumentBatch, Lists
from dataaudit.signals.signal import place, ratio, signal
from dataaudit.signals.tokens import content_spans, token_ids, token_offsets

TORCH = "torch.nn.CrossEntropyLoss (ignore_index=-100); transformers#23530"
NO_LABELS = "the document has no labels"
NONE_SUCH = "the document has no such label"


def _lists(batch: DocumentBatch) -> Lists:
    assert batch.labels is not None, "a signal of labels was measured on a batch without them"
    return batch.labels


def _counts(batch: DocumentBatch) -> LabelCounts:
    labels, spans = _lists(batch), batch.once(content_spans)
    eos = -1 if batch.eos_id is None else batch.eos_id
    return label_counts(token_offsets(batch), batch.once(token_ids), spans, labels.offsets, labels.values, eos)


def _count(batch: DocumentBatch, values: NDArray[np.int64]) -> pa.Array:
    """Returns counts, null for documents without labels."""
    return pa.array(values, pa.int64(), mask=_lists(batch).missing)


@signal(unit="labels", source=TORCH, needs="labels", null=NO_LABELS)
def label_count(batch: DocumentBatch) -> pa.Array:
    """Number of labels, masked ones too; a causal model needs one a token."""
    return _count(batch, np.diff(_lists(batch).offsets))


@signal(unit="ratio", source=TORCH, needs="labels", null=NO_LABELS)
def masked_label_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of the labels that are -100: what the loss leaves out."""
    return ratio(batch.once(_counts).masked, np.diff(_lists(batch).offsets))


@signal(unit="ratio", source=TORCH, needs="labels", null="no label that is not -100 has a token at its place")
def label_match_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of the labels other than -100 that equal the token at the same place.

    1 where the model shifts labels itself, as those of transformers do.
    """
    found = batch.once(_counts)
    return ratio(found.equal, found.compared)


@signal(unit="ratio", source=TORCH, needs="labels", null="no label that is not -100 has a token at the next place")
def next_token_label_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of the labels other than -100 that equal the next token; 1 where they were shifted already."""
    found = batch.once(_counts)
    return ratio(found.next_equal, found.next_compared)


@signal(unit="tokens", source=TORCH, needs="labels", null=NONE_SUCH)
def label_mismatch_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first label other than -100 that does not equal the token at the same place."""
    return place(batch.once(_counts).first_unequal)


@signal(unit="labels", source=TORCH, needs="labels", null=NO_LABELS)
def negative_label_count(batch: DocumentBatch) -> pa.Array:
    """Number of labels below 0 that are not -100."""
    return _count(batch, batch.once(_counts).negative)


@signal(unit="tokens", source=TORCH, needs="labels", null=NONE_SUCH)
def negative_label_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first label that negative_label_count counts."""
    return place(batch.once(_counts).first_negative)


@signal(unit="id", source=TORCH, needs="labels", null="no label is 0 or above")
def max_label_id(batch: DocumentBatch) -> pa.Array:
    """Largest label."""
    return place(batch.once(_counts).largest)


@signal(unit="tokens", source=TORCH, needs="labels", null="no label is 0 or above")
def max_label_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first of the largest labels."""
    return place(batch.once(_counts).first_largest)


@signal(unit="tokens", source=TORCH, needs="labels", requires=("eos_id",), null=NO_LABELS)
def eos_label_count(batch: DocumentBatch) -> pa.Array:
    """Number of ``model.eos_id`` tokens with a label, -100 or not; padding is left out."""
    return _count(batch, batch.once(_counts).eos)


@signal(unit="tokens", source=TORCH, needs="labels", requires=("eos_id",), null=NO_LABELS)
def masked_eos_label_count(batch: DocumentBatch) -> pa.Array:
    """Number of ``model.eos_id`` tokens whose label is -100; padding is left out."""
    return _count(batch, batch.once(_counts).masked_eos)


@signal(unit="tokens", source=TORCH, needs="labels", requires=("eos_id",), null=NO_LABELS)
def cut_eos_label_count(batch: DocumentBatch) -> pa.Array:
    """Number of ``model.eos_id`` tokens whose label is -100, right after a token whose label is not.

    The model learns the answer and never learns to end it. Padding is left out.
    """
    return _count(batch, batch.once(_counts).cut_eos)


@signal(unit="tokens", source=TORCH, needs="labels", requires=("eos_id",), null=NONE_SUCH)
def cut_eos_label_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first label that cut_eos_label_count counts."""
    return place(batch.once(_counts).first_cut_eos)
