"""Exact lengths of documents, by source."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dataaudit.sketches.grouped import Column, GroupedTable

_KEYS = (pa.field("source", pa.large_string()), pa.field("length", pa.int64()))
_COLUMNS = (Column("documents", pa.int64(), "sum"),)


class Lengths(NamedTuple):
    """Distinct lengths and how many documents have each.

    Attributes:
        lengths: int64[n], ascending.
        documents: int64[n].
    """

    lengths: NDArray[np.int64]
    documents: NDArray[np.int64]


class LengthHistogram:
    """How many documents of each source have each length, in tokens (characters without a tokenizer)."""

    def __init__(self) -> None:
        self._rows = GroupedTable(_KEYS, _COLUMNS)

    def update(self, sources: pa.Array, lengths: NDArray[np.int64]) -> None:
        """Adds a batch: the source and the length of each document."""
        ones = np.ones(len(lengths), np.int64)
        self._add(pa.table({"source": sources, "length": lengths, "documents": ones}))

    def merge(self, other: "LengthHistogram") -> None:
        """Adds the documents of *other*."""
        self._add(other.to_table())

    def _add(self, rows: pa.Table) -> None:
        self._rows.add(rows)
        self.__dict__.pop("distinct", None)

    def to_table(self) -> pa.Table:
        """Returns a row a source and length: ``source``, ``length``, ``documents``; sorted."""
        return self._rows.table()

    @classmethod
    def from_table(cls, table: pa.Table) -> "LengthHistogram":
        """Reads what ``to_table`` gave; several such tables one after the other are merged."""
        found = cls()
        found._add(table)
        return found

    def only(self, source: str) -> "LengthHistogram":
        """Returns the lengths of one source."""
        return LengthHistogram.from_table(self.to_table().filter(pc.field("source") == source))

    @property
    def sources(self) -> list[str]:
        """The sources, sorted."""
        return sorted(self.to_table().column("source").unique().to_pylist())

    @cached_property
    def distinct(self) -> Lengths:
        """The lengths over all sources."""
        table = self.to_table()
        lengths, inverse = np.unique(table.column("length").to_numpy(), return_inverse=True)
        documents = np.zeros(len(lengths), np.int64)
        np.add.at(documents, inverse, table.column("documents").to_numpy())
        return Lengths(lengths, documents)

    @property
    def documents(self) -> int:
        """Number of documents."""
        return int(self.distinct.documents.sum())

    @property
    def total(self) -> int:
        """Sum of the lengths."""
        return int(self.distinct.lengths @ self.distinct.documents)

    def percentile(self, point: int) -> int | None:
        """Returns the least length that at least *point* % of the documents do not pass (nearest rank).

        0 gives the shortest, 100 the longest; None without documents.

        Raises:
            ValueError: if *point* is not from 0 to 100.
        """
        if not 0 <= point <= 100:
            raise ValueError(f"a percentile is from 0 to 100, not {point}")
        if self.documents == 0:
            return None
        rank = max(1, -(-point * self.documents // 100))
        place = np.searchsorted(np.cumsum(self.distinct.documents), rank)
        return int(self.distinct.lengths[place])

    def documents_longer_than(self, length: int) -> int:
        """Returns how many documents are longer than *length*."""
        lengths, documents = self.distinct
        return int(documents[lengths > length].sum())

    def total_past(self, length: int) -> int:
        """Returns how much of the documents lies past *length*: what cutting each there would lose."""
        lengths, documents = self.distinct
        return int(np.maximum(lengths - length, 0) @ documents)
