"""Lines and paragraphs that stand in many documents, in a table of bounded size that says what it may have missed."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.decode import Decoded
from dataaudit.kernels.lines import Lines
from dataaudit.kernels.repeats import count_repeats, empty_table, put_back

SLOTS, FIRST_SLOTS = 1 << 20, 1 << 14
"""Most slots of a table while a shard is read (32 MB), and how many it starts with."""
KEPT = 4096
"""Lines that a shard keeps: those in most documents."""
SHORTEST_LINE = 10
"""Characters; shorter lines (a brace, a page number) repeat in any text."""


class Repeats(NamedTuple):
    """The lines in most documents of a corpus, most first.

    Attributes:
        hashes: uint64, by ``kernels.hashing``.
        documents: int64, documents that are known to hold the line; the true number is at most *missed* more.
        firsts: uint64, the first document known to hold it.
        missed: in how many more documents a line may stand.
    """

    hashes: NDArray[np.uint64]
    documents: NDArray[np.int64]
    firsts: NDArray[np.uint64]
    missed: int


class RepeatCounts:
    """Counts the lines of one shard; documents come in ascending order.

    When the table is full, the half of the lines that stands in the fewest documents goes; *missed* grows by the
    largest count that went, so that it always bounds what any line lacks (the guarantee of Misra and Gries 1982).
    """

    def __init__(self, *, several_lines: bool) -> None:
        self.several_lines = several_lines
        self.missed = 0
        self._table = empty_table(min(FIRST_SLOTS, SLOTS))
        self._used = 0

    def update(self, characters: Decoded, lines: Lines, doc_ids: NDArray[np.uint64]) -> None:
        """Adds a batch of documents."""
        done = 0
        while done < len(doc_ids):
            self._used, done, cut = count_repeats(
                self._table,
                self._used,
                characters,
                lines,
                doc_ids,
                done,
                shortest=SHORTEST_LINE,
                several_lines=self.several_lines,
            )
            self.missed += cut
            if done < len(doc_ids):
                self.make_room()

    def make_room(self) -> None:
        """Takes a larger table; at the largest, lets the lines that stand in the fewest documents go."""
        slots = min(4 * len(self._table.counts), SLOTS)
        hashes, counts, firsts, lasts = self._largest(slots // 2)
        self._table, self._used = empty_table(slots), len(hashes)
        put_back(hashes, counts, firsts, lasts, *self._table)

    def _largest(
        self, most: int
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64]]:
        """Returns the lines with the largest counts, and adds the largest count left out to *missed*."""
        table = self._table
        chosen = np.flatnonzero(table.counts)
        if len(chosen) > most:
            counts = table.counts[chosen]
            left_out, least = np.partition(counts, [-most - 1, -most])[[-most - 1, -most]]
            self.missed += int(left_out)
            surely, ties = chosen[counts > least], chosen[counts == least]
            by_key = np.argpartition(table.keys[ties], most - len(surely) - 1)
            chosen = np.concatenate([surely, ties[by_key[: most - len(surely)]]])
        return table.keys[chosen], table.counts[chosen], table.firsts[chosen], table.lasts[chosen]

    def to_table(self) -> pa.Table:
        """Returns the KEPT lines in most documents: ``hash``, ``documents``, ``first``; *missed* in the metadata."""
        hashes, counts, firsts, _ = self._largest(KEPT)
        order = np.lexsort((hashes, -counts))
        columns = {"hash": hashes[order], "documents": counts[order], "first": firsts[order]}
        return pa.table(columns).replace_schema_metadata({"missed": str(self.missed)})


def merge_repeats(tables: Iterable[pa.Table], most: int) -> Repeats:
    """Returns the lines that stand in most documents of the shards together; at least in two."""
    totals: dict[int, tuple[int, int]] = {}
    missed = 0
    for table in tables:
        missed += int(table.schema.metadata[b"missed"])
        columns = (table.column(name).to_pylist() for name in ("hash", "documents", "first"))
        for key, documents, first in zip(*columns, strict=True):
            before = totals.get(key, (0, first))
            totals[key] = (before[0] + documents, min(before[1], first))
        if len(totals) > 64 * KEPT:
            ranked = sorted(totals.items(), key=lambda item: (-item[1][0], item[0]))
            missed += ranked[32 * KEPT][1][0]
            totals = dict(ranked[: 32 * KEPT])
    ranked = sorted(totals.items(), key=lambda item: (-item[1][0], item[0]))
    chosen = [(key, count, first) for key, (count, first) in ranked[:most] if count > 1]
    return Repeats(
        np.array([key for key, _, _ in chosen], np.uint64),
        np.array([count for _, count, _ in chosen], np.int64),
        np.array([first for _, _, first in chosen], np.uint64),
        missed,
    )
