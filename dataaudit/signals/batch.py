"""A batch of documents as the signals see it."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.vocabulary import Vocabulary

T = TypeVar("T")

NO_BYTES: NDArray[np.uint8] = np.frombuffer(b"", np.uint8)
"""Read-only as Arrow's buffers are, so that no kernel is compiled a second time for an empty batch."""


class SpecialIds(NamedTuple):
    """Ids that the model gives a meaning; -1 where it has none."""

    bos: int
    eos: int
    pad: int


NO_SPECIAL_IDS = SpecialIds(-1, -1, -1)


class Lists(NamedTuple):
    """A list of whole numbers beside each document's tokens.

    Attributes:
        values: int64, the numbers of all documents one after the other.
        offsets: int64[rows + 1], where each document's start in *values*.
        missing: bool[rows], documents without a list.
    """

    values: NDArray[np.int64]
    offsets: NDArray[np.int64]
    missing: NDArray[np.bool_]


class DocumentBatch:
    """Texts, token ids, or both, of a batch of documents, and what has been computed from them.

    Attributes:
        rows: number of documents.
        text: the texts as they came, or None when the corpus came as token ids.
        data: uint8, the UTF-8 bytes of all texts one after the other; empty when there is no text.
        offsets: int64[rows + 1], where each text starts in *data*.
        ids: int64 or uint32, the token ids of all documents one after the other, or None.
        id_offsets: int64[rows + 1], where each document starts in *ids*, or None.
        vocabulary: facts about the tokenizer, or None without one.
        embedding_rows: rows of the model's embedding table; ids outside 0 .. rows - 1 are out of range; None when
            unknown.
        max_length: the model's context length in tokens, or None when unknown.
        eos_id: id of the token that ends a document, or None when unknown.
        pad_id: id of the token that fills documents up, or None when there is none or the tokens were made here.
        pooled_counts: int64[n], occurrences of each id in the whole corpus; only in the second pass.
        special_strings: literal texts to look for in the documents, sorted.
        duplicates: what comparing the documents with all others gave, a column a signal; only after the first pass.
        drift: what comparing shards and windows gave, a column a signal; only after all shards are read.
        given: True when the corpus came as token ids, else None.
        special_ids: the model's, or None when the config has none or the tokens were made here.
        labels, attention_mask: the lists that the corpus has beside its token ids, or None.
    """

    def __init__(
        self,
        *,
        text: pa.LargeStringArray | None = None,
        ids: NDArray[Any] | None = None,
        id_offsets: NDArray[np.int64] | None = None,
        vocabulary: Vocabulary | None = None,
        embedding_rows: int | None = None,
        max_length: int | None = None,
        eos_id: int | None = None,
        pooled_counts: NDArray[np.int64] | None = None,
        special_strings: tuple[str, ...] = (),
        duplicates: pa.RecordBatch | None = None,
        drift: pa.RecordBatch | None = None,
        given: bool | None = None,
        special_ids: SpecialIds | None = None,
        labels: Lists | None = None,
        attention_mask: Lists | None = None,
    ) -> None:
        self.text = text
        if text is not None:
            self.data, self.offsets = text_buffers(text)
            self.rows = len(text)
        elif id_offsets is not None:
            self.data, self.offsets = NO_BYTES, np.zeros(len(id_offsets), np.int64)
            self.rows = len(id_offsets) - 1
        elif duplicates is not None:
            self.data, self.offsets = NO_BYTES, np.zeros(duplicates.num_rows + 1, np.int64)
            self.rows = duplicates.num_rows
        elif drift is not None:
            self.data, self.offsets = NO_BYTES, np.zeros(drift.num_rows + 1, np.int64)
            self.rows = drift.num_rows
        else:
            raise ValueError("a batch needs texts or token ids")
        self.ids = ids
        self.id_offsets = id_offsets
        self.vocabulary = vocabulary
        self.embedding_rows = embedding_rows
        self.max_length = max_length
        self.eos_id = eos_id
        self.pooled_counts = pooled_counts
        self.special_strings = special_strings
        self.duplicates = duplicates
        self.drift = drift
        self.given = given
        self.special_ids = special_ids
        self.pad_id = None if special_ids is None or special_ids.pad < 0 else special_ids.pad
        self.labels = labels
        self.attention_mask = attention_mask
        self._computed: dict[Callable[..., Any], Any] = {}

    def once(self, compute: Callable[["DocumentBatch"], T]) -> T:
        """Returns ``compute(self)``, computed at most once for this batch; signals share their kernels through it."""
        if compute not in self._computed:
            self._computed[compute] = compute(self)
        value: T = self._computed[compute]
        return value

    def forget(self, *but: Callable[["DocumentBatch"], Any]) -> None:
        """Frees what has been computed, except *but*; what is asked for again is computed again."""
        self._computed = {compute: value for compute, value in self._computed.items() if compute in but}


def text_buffers(text: pa.LargeStringArray) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Returns the bytes and the offsets of a text array without nulls; no byte is copied.

    Offsets start at 0: a sliced array gives the bytes of its slice.
    """
    _, offset_buffer, data_buffer = text.buffers()
    if offset_buffer is None or len(text) == 0:
        return NO_BYTES, np.zeros(1, np.int64)
    offsets = np.frombuffer(offset_buffer, np.int64, len(text) + 1, text.offset * 8)
    data = np.frombuffer(data_buffer, np.uint8) if data_buffer else NO_BYTES
    return data[offsets[0] : offsets[-1]], offsets - offsets[0]
