"""Counts in how many documents each line stands, in a table of bounded size."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.decode import Decoded
from dataaudit.kernels.hashtable import mix
from dataaudit.kernels.jit import kernel
from dataaudit.kernels.lines import LF, Lines


class RepeatTable(NamedTuple):
    """An open-addressing table of a power-of-two size; a slot is free while its count is 0.

    Attributes:
        keys: uint64, hash of a line.
        counts: int64, documents that it stands in.
        firsts, lasts: uint64, the first and the last of them.
    """

    keys: NDArray[np.uint64]
    counts: NDArray[np.int64]
    firsts: NDArray[np.uint64]
    lasts: NDArray[np.uint64]


def empty_table(size: int) -> RepeatTable:
    """Returns a table of so many slots, a power of two."""
    return RepeatTable(
        np.zeros(size, np.uint64), np.zeros(size, np.int64), np.zeros(size, np.uint64), np.zeros(size, np.uint64)
    )


def count_repeats(
    table: RepeatTable,
    used: int,
    characters: Decoded,
    lines: Lines,
    doc_ids: NDArray[np.uint64],
    first: int,
    *,
    shortest: int,
    several_lines: bool,
) -> tuple[int, int, int]:
    """Counts the lines of documents from *first* on, until the table is three quarters full.

    Args:
        table: is changed.
        used: its slots in use.
        characters: of the documents.
        lines: of the documents; they may be paragraphs.
        doc_ids: of the documents.
        first: where to begin.
        shortest: lines of fewer characters are not counted.
        several_lines: whether only those that hold a line feed are.

    Returns:
        The slots in use, the first document that was not counted, and how many documents were cut off because their
        own lines alone filled the table.
    """
    return _count(*table, used, characters.codepoints, *lines, doc_ids, first, shortest, several_lines)


@kernel
def _count(
    keys: NDArray[np.uint64],
    counts: NDArray[np.int64],
    firsts: NDArray[np.uint64],
    lasts: NDArray[np.uint64],
    used: int,
    codepoints: NDArray[np.uint32],
    offsets: NDArray[np.int64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    hashes: NDArray[np.uint64],
    doc_ids: NDArray[np.uint64],
    first: int,
    shortest: int,
    several_lines: bool,
) -> tuple[int, int, int]:
    mask = np.uint64(len(keys) - 1)
    limit, most, cut = len(keys) // 4 * 3, len(keys) - 2, 0
    for document in range(first, len(offsets) - 1):
        if used >= limit:
            return used, document, cut
        doc_id = doc_ids[document]
        for line in range(offsets[document], offsets[document + 1]):
            if stops[line] - starts[line] < shortest:
                continue
            if several_lines and not _holds_feed(codepoints[starts[line] : stops[line]]):
                continue
            key = hashes[line]
            at = mix(key) & mask
            while counts[at] and keys[at] != key:
                at = (at + np.uint64(1)) & mask
            if counts[at] == 0:
                if used >= most:
                    cut += 1
                    break
                used += 1
                keys[at], firsts[at], lasts[at], counts[at] = key, doc_id, doc_id, 1
            elif lasts[at] != doc_id:
                counts[at] += 1
                lasts[at] = doc_id
    return used, len(offsets) - 1, cut


@kernel
def _holds_feed(codepoints: NDArray[np.uint32]) -> bool:
    for point in codepoints:  # noqa: SIM110 - compiled, a loop is faster
        if point == LF:
            return True
    return False


@kernel
def put_back(
    keys: NDArray[np.uint64],
    counts: NDArray[np.int64],
    firsts: NDArray[np.uint64],
    lasts: NDArray[np.uint64],
    table_keys: NDArray[np.uint64],
    table_counts: NDArray[np.int64],
    table_firsts: NDArray[np.uint64],
    table_lasts: NDArray[np.uint64],
) -> None:
    """Fills distinct lines into an empty table."""
    mask = np.uint64(len(table_keys) - 1)
    for k in range(len(keys)):
        at = mix(keys[k]) & mask
        while table_counts[at]:
            at = (at + np.uint64(1)) & mask
        table_keys[at], table_counts[at] = keys[k], counts[k]
        table_firsts[at], table_lasts[at] = firsts[k], lasts[k]
