"""How often each token id occurs, in how many documents, and most often in which."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dataaudit.kernels.token_counts import COUNT, DOCUMENTS, LARGEST, LARGEST_IN, add_documents
from dataaudit.kernels.tokens import plain_ids

DENSE_LIMIT = 1 << 22
"""Ids from here on are outside any id space: larger than any vocabulary in use."""
OUTSIDE_LIMIT = 1000
"""Distinct ids outside the id space that are kept, the smallest ones; the others are only counted."""
COLUMNS = {
    "id": pa.int64(),
    "count": pa.int64(),
    "doc_count": pa.int64(),
    "max_doc_count": pa.int64(),
    "max_doc_id": pa.uint64(),
}


class TokenCounts:
    """Occurrences of every token id; merging is exact, commutative and associative.

    Ids outside 0 .. id_space - 1 are kept apart, the 1,000 smallest of them by id. The arrays are copies.

    Args:
        id_space: one past the largest id that is expected; 0 means unknown, and then ids to 4,194,303 are.
    """

    def __init__(self, id_space: int = 0) -> None:
        self.id_space = min(id_space, DENSE_LIMIT) or DENSE_LIMIT
        self._totals = np.zeros((0, 4), np.int64)
        self.outside_ids = np.zeros(0, np.int64)
        self._outside = np.zeros((0, 4), np.int64)
        self.overflow = 0

    @property
    def counts(self) -> NDArray[np.int64]:
        """int64[n], occurrences by id; n is one past the largest id seen, rounded up."""
        return self._totals[:, COUNT].copy()

    @property
    def doc_counts(self) -> NDArray[np.int64]:
        """int64[n], documents that hold the id."""
        return self._totals[:, DOCUMENTS].copy()

    @property
    def max_doc_counts(self) -> NDArray[np.int64]:
        """int64[n], most occurrences in one document."""
        return self._totals[:, LARGEST].copy()

    @property
    def max_doc_ids(self) -> NDArray[np.int64]:
        """int64[n], that document, the smallest on ties; 0 where the id does not occur."""
        return self._totals[:, LARGEST_IN].copy()

    @property
    def outside_counts(self) -> NDArray[np.int64]:
        """int64[m], occurrences of each of ``outside_ids``."""
        return self._outside[:, COUNT].copy()

    @property
    def total_outside(self) -> int:
        """Tokens whose id is outside the id space."""
        return int(self.outside_counts.sum()) + self.overflow

    @property
    def total(self) -> int:
        """All tokens, those outside the id space included."""
        return int(self._totals[:, COUNT].sum()) + self.total_outside

    def update(self, ids: NDArray[Any], offsets: NDArray[np.int64], doc_ids: NDArray[Any]) -> None:
        """Adds a batch.

        Args:
            ids: token ids of all documents one after the other.
            offsets: int64[docs + 1], where each document starts in *ids*.
            doc_ids: id of each document.
        """
        if not len(ids):
            return
        ids = plain_ids(ids)
        # Copies, because kernels are compiled once more for arrays that cannot be written, as Arrow's are.
        offsets, doc_ids = (np.array(each, np.int64) for each in (offsets, doc_ids))
        smallest, largest = int(ids.min()), int(ids.max())
        self._grow(min(largest, self.id_space - 1) + 1)
        add_documents(self._totals, offsets, ids, doc_ids)
        if smallest < 0 or largest >= self.id_space:
            self._update_outside(ids, offsets, doc_ids)

    def _update_outside(self, ids: NDArray[Any], offsets: NDArray[np.int64], doc_ids: NDArray[np.int64]) -> None:
        is_outside = (ids < 0) | (ids >= self.id_space)
        part = TokenCounts(self.id_space)
        part.outside_ids = np.unique(ids[is_outside])[:OUTSIDE_LIMIT].astype(np.int64)
        part._outside = np.zeros((len(part.outside_ids), 4), np.int64)
        places = np.minimum(np.searchsorted(part.outside_ids, ids), len(part.outside_ids) - 1)
        add_documents(part._outside, offsets, np.where(part.outside_ids[places] == ids, places, -1), doc_ids)
        part.overflow = int(is_outside.sum()) - int(part.outside_counts.sum())
        self._merge_outside(part)

    def _grow(self, rows: int) -> None:
        if rows > len(self._totals):
            size = min(max(1024, 1 << (rows - 1).bit_length()), self.id_space)
            grown = np.zeros((size, 4), np.int64)
            grown[: len(self._totals)] = self._totals
            self._totals = grown

    def merge(self, other: "TokenCounts") -> None:
        """Adds the counts of *other*.

        Raises:
            ValueError: if the id spaces differ.
        """
        if other.id_space != self.id_space:
            raise ValueError(f"counts over {other.id_space} ids cannot be added to counts over {self.id_space}")
        self._grow(len(other._totals))
        _combine(self._totals[: len(other._totals)], other._totals)
        self._merge_outside(other)

    def _merge_outside(self, other: "TokenCounts") -> None:
        total = self.total_outside + other.total_outside
        ids = np.union1d(self.outside_ids, other.outside_ids)
        merged = np.zeros((len(ids), 4), np.int64)
        merged[np.searchsorted(ids, self.outside_ids)] = self._outside
        places = np.searchsorted(ids, other.outside_ids)
        added = merged[places]
        _combine(added, other._outside)
        merged[places] = added
        self.outside_ids, self._outside = ids[:OUTSIDE_LIMIT], merged[:OUTSIDE_LIMIT]
        self.overflow = total - int(self.outside_counts.sum())

    def to_table(self) -> pa.Table:
        """Returns a row an id that occurs: ``id``, ``count``, ``doc_count``, ``max_doc_count``, ``max_doc_id``; sorted.

        Ids outside the id space come with the others. The id null, last, stands for those past the 1,000 smallest.
        """
        inside = np.flatnonzero(self.counts)
        ids = np.concatenate([inside, self.outside_ids])
        rows = np.concatenate([self._totals[inside], self._outside])
        order = np.argsort(ids)
        columns = [pa.array(ids[order]), *(pa.array(rows[order, column]) for column in range(4))]
        table = pa.table(columns, names=list(COLUMNS)).cast(pa.schema(COLUMNS))
        if self.overflow:
            rest = {"id": [None], "count": [self.overflow]} | {name: [0] for name in list(COLUMNS)[2:]}
            table = pa.concat_tables([table, pa.table(rest, pa.schema(COLUMNS))])
        return table

    @classmethod
    def from_table(cls, table: pa.Table, id_space: int = 0) -> "TokenCounts":
        """Reads what one ``to_table`` gave of counts over the same id space."""
        found = cls(id_space)
        named = table.filter(pc.is_valid(table.column("id")))
        found.overflow = pc.sum(table.column("count")).as_py() or 0
        ids, *rows = (named.column(name).to_numpy().astype(np.int64) for name in COLUMNS)
        totals = np.stack(rows, axis=1)
        inside = (ids >= 0) & (ids < found.id_space)
        found._grow(int(ids[inside].max(initial=-1)) + 1)
        found._totals[ids[inside]] = totals[inside]
        found.outside_ids, found._outside = ids[~inside], totals[~inside]
        found.overflow -= int(totals[:, COUNT].sum())
        return found


def _combine(totals: NDArray[np.int64], other: NDArray[np.int64]) -> None:
    """Adds *other* to *totals* row by row, in place."""
    larger = other[:, LARGEST] > totals[:, LARGEST]
    tied_earlier = (other[:, LARGEST] == totals[:, LARGEST]) & (other[:, LARGEST_IN] < totals[:, LARGEST_IN])
    taken = larger | tied_earlier
    totals[taken, LARGEST:] = other[taken, LARGEST:]
    totals[:, : DOCUMENTS + 1] += other[:, : DOCUMENTS + 1]
