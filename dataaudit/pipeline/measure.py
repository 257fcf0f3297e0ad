"""Measures a batch of documents: tokens, then every signal of the first pass."""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dataaudit.kernels.tokens import plain_ids
from dataaudit.kernels.vocabulary import Vocabulary
from dataaudit.pipeline.plan import MapSettings
from dataaudit.pipeline.vocabulary_of import unchanged, vocabulary_of
from dataaudit.signals import DocumentBatch, Lists, Need, all_signals, measure
from dataaudit.tokenize import Encoder, load_encoder


class Measured(NamedTuple):
    """What measuring a batch gave.

    A document that the tokenizer could not encode has null in every signal of tokens, and no ids.

    Attributes:
        signals: a row a document, a column a signal.
        ids, id_offsets: token ids as in DocumentBatch, or None when the corpus is text without a tokenizer.
        batch: what was measured.
    """

    signals: pa.RecordBatch
    ids: NDArray[Any] | None
    id_offsets: NDArray[np.int64] | None
    batch: DocumentBatch


class Measurer:
    """Holds what measuring needs: the tokenizer's engine and its vocabulary."""

    def __init__(self, settings: MapSettings) -> None:
        self.special_strings = settings.special_strings
        self.special_ids = settings.model_ids.special() if settings.model_ids is not None else None
        self.encoder: Encoder | None = None
        self.vocabulary: Vocabulary | None = None
        if settings.tokenizer is not None:
            chosen = settings.tokenizer
            self.vocabulary = vocabulary_of(chosen)
            self.encoder = load_encoder(
                unchanged(chosen),
                engine=chosen.engine,
                special_text=chosen.special_text,
                add_special_tokens=chosen.add_special_tokens,
            )

    def measure(self, documents: pa.RecordBatch) -> Measured:
        """Tokenizes and measures one batch as the readers give it."""
        text: pa.LargeStringArray | None = None
        ids: NDArray[Any] | None = None
        offsets: NDArray[np.int64] | None = None
        unencoded = np.zeros(0, np.int64)
        if "text" in documents.schema.names:
            text = documents.column("text")
            if self.encoder is not None:
                ids, offsets, failures = self.encoder.encode(text)
                unencoded = np.array([each.document for each in failures], np.int64)
        else:
            lists = documents.column("input_ids")
            ids, offsets = _list_buffers(lists)
        if ids is not None:
            ids = plain_ids(ids)
        batch = DocumentBatch(
            text=text,
            ids=ids,
            id_offsets=offsets,
            vocabulary=self.vocabulary,
            special_strings=self.special_strings,
            eos_id=None if self.special_ids is None or self.special_ids.eos < 0 else self.special_ids.eos,
            given=True if text is None else None,
            special_ids=self.special_ids,
            labels=_side(documents, "labels"),
            attention_mask=_side(documents, "attention_mask"),
        )
        needs: list[Need] = ["text"] if text is not None else []
        if ids is not None:
            needs.append("tokens")
        if batch.labels is not None:
            needs.append("labels")
        if batch.attention_mask is not None:
            needs.append("mask")
        signals = measure(batch, needs)
        if len(unencoded):
            signals = _without(signals, unencoded)
        return Measured(signals, ids, offsets, batch)


def _side(documents: pa.RecordBatch, name: str) -> Lists | None:
    if name not in documents.schema.names:
        return None
    lists = documents.column(name)
    missing = lists.is_null().to_numpy(zero_copy_only=False)
    values, offsets = _list_buffers(lists.fill_null([]))
    return Lists(values, offsets, missing)


def _without(signals: pa.RecordBatch, documents: NDArray[np.int64]) -> pa.RecordBatch:
    """Returns the signals with null where they need tokens that these documents do not have."""
    missing = np.zeros(signals.num_rows, np.bool_)
    missing[documents] = True
    known = all_signals()
    columns = [
        pc.if_else(pa.array(missing), pa.scalar(None, column.type), column) if known[name].needs == "tokens" else column
        for name, column in zip(signals.schema.names, signals.columns, strict=True)
    ]
    return pa.record_batch(columns, names=signals.schema.names)


def _list_buffers(lists: pa.LargeListArray) -> tuple[NDArray[Any], NDArray[np.int64]]:
    offsets = lists.offsets.to_numpy().astype(np.int64)
    values = lists.values.to_numpy()[offsets[0] : offsets[-1]]
    return values, offsets - offsets[0]
