"""Measures a batch of documents: tokens, then every signal of the first pass."""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.vocabulary import Vocabulary
from dataaudit.pipeline.plan import MapSettings
from dataaudit.signals import DocumentBatch, Need, measure
from dataaudit.tokenize import Encoder, load_encoder, vocabulary


class Measured(NamedTuple):
    """What measuring a batch gave.

    Attributes:
        signals: a row a document, a column a signal.
        ids, id_offsets: token ids as in DocumentBatch, or None when the corpus is text without a tokenizer.
    """

    signals: pa.RecordBatch
    ids: NDArray[Any] | None
    id_offsets: NDArray[np.int64] | None


class Measurer:
    """Holds what measuring needs: the tokenizer's engine and its vocabulary."""

    def __init__(self, settings: MapSettings) -> None:
        self.special_strings = settings.special_strings
        self.encoder: Encoder | None = None
        self.vocabulary: Vocabulary | None = None
        if settings.tokenizer is not None:
            chosen = settings.tokenizer
            self.vocabulary = vocabulary(chosen.path)
            self.encoder = load_encoder(
                chosen.path,
                engine=chosen.engine,
                special_text=chosen.special_text,
                add_special_tokens=chosen.add_special_tokens,
            )

    def measure(self, documents: pa.RecordBatch) -> Measured:
        """Tokenizes and measures one batch as the readers give it."""
        text, ids, offsets = None, None, None
        if "text" in documents.schema.names:
            text = documents.column("text")
            if self.encoder is not None:
                ids, offsets = self.encoder.encode(text)
        else:
            lists = documents.column("input_ids")
            ids, offsets = _list_buffers(lists)
        batch = DocumentBatch(
            text=text,
            ids=ids,
            id_offsets=offsets,
            vocabulary=self.vocabulary,
            special_strings=self.special_strings,
        )
        needs: list[Need] = ["text"] if text is not None else []
        if ids is not None:
            needs.append("tokens")
        return Measured(measure(batch, needs), ids, offsets)


def _list_buffers(lists: pa.LargeListArray) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    offsets = lists.offsets.to_numpy().astype(np.int64)
    values = lists.values.to_numpy()[offsets[0] : offsets[-1]]
    return values, offsets - offsets[0]
