"""Feeds the block sketch of one shard: what drift is measured on later."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.corpus import Piece
from dataaudit.pipeline.measure import Measured
from dataaudit.pipeline.plan import MapSettings
from dataaudit.pipeline.portions import portions
from dataaudit.signals import DocumentBatch
from dataaudit.signals.views import WORD_BUCKETS, decoded, word_buckets, words_of
from dataaudit.sketches.blocks import BlockSketch, Documents
from dataaudit.sketches.coin import coins

BLOCK_VIEWS = {"words": (decoded, words_of, word_buckets), "tokens": ()}
"""What of a measured batch a block sketch looks at, by the unit of drift."""
PERIODIC = 32
"""Repeats from which on a document counts as periodic (OLMo 2)."""
EXAMPLE_CHARACTERS = 40
CHARACTER_SUMS = {
    "control_characters": "control_char_ratio",
    "replacement_characters": "replacement_char_ratio",
    "special_characters": "special_char_ratio",
    "repeated_characters": "dup_10gram_char_ratio",
}
SUMS = ("characters", *CHARACTER_SUMS, "special_tokens", "periodic_documents")
"""What is added up beside documents and tokens."""


class ShardBlocks:
    """The block sketch of a shard, and an example of a word for each bucket."""

    def __init__(self, settings: MapSettings, pieces: Sequence[Piece]) -> None:
        self.unit = settings.drift_unit
        self._portions = portions(pieces)
        id_space = settings.tokenizer.id_space if settings.tokenizer else 0
        self._sketch = BlockSketch(settings.block_documents, WORD_BUCKETS if self.unit == "words" else id_space, SUMS)
        self._examples: dict[int, str] = {}
        self._has_example = np.zeros(WORD_BUCKETS, np.bool_)

    def is_new(self, piece: int) -> bool:
        """Returns whether drift takes the shard's piece of this number apart from the one before it."""
        return not piece or self._portions[piece] != self._portions[piece - 1]

    def start(self, piece: int) -> None:
        """Says that the next documents are of the shard's piece of this number."""
        self._sketch.start(self._portions[piece])

    def add(self, measured: Measured, doc_ids: NDArray[np.uint64], sources: pa.Array, lengths: Any) -> None:
        """Adds a batch of documents."""
        rows = len(doc_ids)
        ids: NDArray[Any] = np.zeros(0, np.int64)
        offsets = np.zeros(rows + 1, np.int64)
        if self.unit == "words":
            if measured.batch.text is not None:
                ids, offsets = self._buckets(measured.batch)
        elif measured.ids is not None and measured.id_offsets is not None:
            ids, offsets = measured.ids, measured.id_offsets
        self._sketch.update(
            Documents(sources, np.asarray(lengths, np.int64), coins(doc_ids), ids, offsets, _sums(measured.signals))
        )

    def _buckets(self, batch: DocumentBatch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns the bucket of each word that has a letter or the like, and where each document starts in them."""
        words, characters = batch.once(words_of), batch.once(decoded)
        buckets, offsets, held = batch.once(word_buckets)
        fresh, places = np.unique(buckets, return_index=True)
        places, fresh = places[~self._has_example[fresh]], fresh[~self._has_example[fresh]]
        self._has_example[fresh] = True
        starts, stops = words.starts[held][places], words.stops[held][places]
        for bucket, start, stop in zip(fresh.tolist(), starts.tolist(), stops.tolist(), strict=True):
            points = characters.codepoints[start : min(stop, start + EXAMPLE_CHARACTERS)]
            self._examples[bucket] = "".join(map(chr, points.tolist()))
        return buckets, offsets

    def tables(self) -> dict[str, pa.Table]:
        """Returns the sketches by name."""
        found = self._sketch.tables()
        if self.unit == "words":
            ids = sorted(self._examples)
            texts = pa.array([self._examples[id_] for id_ in ids], pa.large_string())
            found["word_examples"] = pa.table({"id": pa.array(ids, pa.int64()), "text": texts})
        return found


def _sums(signals: pa.RecordBatch) -> dict[str, NDArray[np.int64]]:
    """Returns the quantities of SUMS for each document; 0 where they were not measured."""
    nothing = np.zeros(signals.num_rows, np.int64)

    def values(name: str) -> NDArray[np.float64] | None:
        if name not in signals.schema.names:
            return None
        numbers: NDArray[np.float64] = signals.column(name).cast(pa.float64()).fill_null(0).to_numpy()
        return numbers

    found = dict.fromkeys(SUMS, nothing)
    characters = values("char_count")
    if characters is not None:
        found["characters"] = characters.astype(np.int64)
        for name, ratio in CHARACTER_SUMS.items():
            if (share := values(ratio)) is not None:
                found[name] = np.rint(share * characters).astype(np.int64)
    special = values("special_token_count")
    if special is None:
        special = values("special_id_count")
    if special is not None:
        found["special_tokens"] = special.astype(np.int64)
    if (repeats := values("periodic_token_repeat")) is not None:
        found["periodic_documents"] = (repeats >= PERIODIC).astype(np.int64)
    return found
