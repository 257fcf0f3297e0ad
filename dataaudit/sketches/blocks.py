"""What drift is measured on: exact counts of short runs of documents, in corpus order.

A block is a run of up to a given number of documents. Windows and shards are sums of blocks, so both come from one
pass over the corpus.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.token_counts import add_symbols
from dataaudit.sketches.token_counts import DENSE_LIMIT

NAMES = ("blocks", "block_lengths", "block_counts")
PORTION_COUNTS = pa.schema({"portion": pa.int32(), "id": pa.int64(), "count": pa.int64()})
COUNTS = pa.schema({"block": pa.int32(), "half": pa.int8(), "id": pa.int64(), "count": pa.int64()})
LENGTHS = pa.schema({"block": pa.int32(), "length": pa.int64(), "documents": pa.int64()})
_HEAD = {
    "block": pa.int32(),
    "portion": pa.int32(),
    "source": pa.large_string(),
    "documents": pa.int64(),
    "weight": pa.int64(),
    "runs": pa.int64(),
    "is_first": pa.int64(),
    "is_last": pa.int64(),
}


class Documents(NamedTuple):
    """A batch of documents, all arrays in their order.

    Attributes:
        sources: the source of each.
        weights: int64, the length of each.
        halves: int8, 0 or 1: a coin of the document id's, which splits every block in two.
        ids: int64 or uint32, token ids (or buckets of words) of all documents one after the other.
        offsets: int64[documents + 1], where each document starts in *ids*.
        sums: int64 a document, quantities that add up, by name.
    """

    sources: pa.Array
    weights: NDArray[np.int64]
    halves: NDArray[np.int8]
    ids: NDArray[Any]
    offsets: NDArray[np.int64]
    sums: Mapping[str, NDArray[np.int64]]


class BlockSketch:
    """Counts of blocks; documents are added in corpus order.

    Args:
        most_documents: documents in a block; the last one of a portion may have fewer.
        id_space: one past the largest id that is expected; 0 means unknown.
        sums: names of the quantities that are added up.
    """

    def __init__(self, most_documents: int, id_space: int, sums: tuple[str, ...]) -> None:
        self.most_documents = most_documents
        self.id_space = min(id_space, DENSE_LIMIT) or DENSE_LIMIT
        self._schema = pa.schema({**_HEAD, **dict.fromkeys(sums, pa.int64())})
        self._sums = sums
        self._portion = 0
        self._block = 0
        self._room = most_documents
        self._pending: list[Documents] = []
        self._counts = np.zeros((2, 1024), np.int64)
        self._of_portion = np.zeros(1024, np.int64)
        self._tables: dict[str, list[pa.Table]] = {name: [] for name in NAMES}
        self._portions: list[pa.Table] = []

    def start(self, portion: int) -> None:
        """Says that the next documents belong to this portion of the shard."""
        if portion != self._portion:
            self._end()
            self._end_portion()
            self._portion = portion

    def update(self, batch: Documents) -> None:
        """Adds documents."""
        first, rows = 0, len(batch.weights)
        while first < rows:
            stop = min(rows, first + self._room)
            self._add(_slice(batch, first, stop))
            self._room -= stop - first
            if not self._room:
                self._end()
            first = stop

    def _add(self, part: Documents) -> None:
        self._pending.append(part._replace(ids=part.ids[:0]))
        if not len(part.ids):
            return
        size = min(int(part.ids.max()) + 1, self.id_space) + 1
        if size > self._counts.shape[1]:
            grown = np.zeros((2, 1 << (size - 1).bit_length()), np.int64)
            grown[:, : self._counts.shape[1]] = self._counts
            self._counts = grown
        add_symbols(self._counts, self.id_space, part.offsets, part.halves, part.ids)

    def _end(self) -> None:
        """Closes the block."""
        self._room = self.most_documents
        if not self._pending:
            return
        sources = pa.concat_arrays([part.sources.cast(pa.large_string()) for part in self._pending])
        weights = np.concatenate([part.weights for part in self._pending])
        sums = {name: np.concatenate([part.sums[name] for part in self._pending]) for name in self._sums}
        self._tables["blocks"].append(self._by_source(sources, weights, sums))
        lengths, documents = np.unique(weights, return_counts=True)
        self._append("block_lengths", LENGTHS, [lengths, documents])
        halves, symbols = np.nonzero(self._counts)
        self._append("block_counts", COUNTS, [halves, symbols - 1, self._counts[halves, symbols]])
        self._of_portion = np.pad(self._of_portion, (0, self._counts.shape[1] - len(self._of_portion)))
        self._of_portion += self._counts.sum(axis=0)
        self._counts[:] = 0
        self._pending = []
        self._block += 1

    def _end_portion(self) -> None:
        symbols = np.flatnonzero(self._of_portion)
        columns = [np.full(len(symbols), self._portion), symbols - 1, self._of_portion[symbols]]
        self._portions.append(pa.table(columns, names=PORTION_COUNTS.names).cast(PORTION_COUNTS))
        self._of_portion[:] = 0

    def _append(self, name: str, schema: pa.Schema, columns: list[NDArray[np.int64]]) -> None:
        block = np.full(len(columns[0]), self._block)
        arrays = [pa.array(column).cast(kind) for column, kind in zip([block, *columns], schema.types, strict=True)]
        self._tables[name].append(pa.Table.from_arrays(arrays, schema=schema))

    def _by_source(
        self, sources: pa.Array, weights: NDArray[np.int64], sums: Mapping[str, NDArray[np.int64]]
    ) -> pa.Table:
        coded = sources.dictionary_encode()
        codes, names = coded.indices.to_numpy(zero_copy_only=False), coded.dictionary
        starts = np.concatenate([[True], np.diff(codes) != 0])
        columns: dict[str, pa.Array] = {
            "block": pa.array(np.full(len(names), self._block)),
            "portion": pa.array(np.full(len(names), self._portion)),
            "source": names,
            "is_first": pa.array((np.arange(len(names)) == codes[0]).astype(np.int64)),
            "is_last": pa.array((np.arange(len(names)) == codes[-1]).astype(np.int64)),
        }
        added = {"documents": np.ones(len(codes), np.int64), "weight": weights, "runs": starts.astype(np.int64), **sums}
        for name, values in added.items():
            whole = np.zeros(len(names), np.int64)
            np.add.at(whole, codes, values)
            columns[name] = pa.array(whole)
        rows = pa.table({name: columns[name] for name in self._schema.names}).cast(self._schema)
        return rows.sort_by("source")

    def tables(self) -> dict[str, pa.Table]:
        """Returns what was counted, by name.

        - ``blocks``: a row a block and source: documents, weight, the sums, runs of equal sources that start there,
          and whether the source is that of the block's first and last document.
        - ``block_lengths``: a row a block and length.
        - ``block_counts``: a row a block, half and id that occurs; ids outside the id space are the id -1.
        - ``portion_counts``: a row a portion and id, over both halves of all its blocks.
        """
        self.start(self._portion + 1)
        schemas = dict(zip(NAMES, (self._schema, LENGTHS, COUNTS), strict=True))
        found = {
            name: pa.concat_tables(parts) if parts else schemas[name].empty_table()
            for name, parts in self._tables.items()
        }
        return {**found, "portion_counts": pa.concat_tables([PORTION_COUNTS.empty_table(), *self._portions])}


def _slice(batch: Documents, first: int, stop: int) -> Documents:
    offsets = batch.offsets[first : stop + 1]
    return Documents(
        batch.sources.slice(first, stop - first),
        batch.weights[first:stop],
        batch.halves[first:stop],
        batch.ids[offsets[0] : offsets[-1]],
        offsets - offsets[0],
        {name: values[first:stop] for name, values in batch.sums.items()},
    )
