"""Where the sequences of a file stand: a block of them at a time, in the order of the format's index."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST_TOKENS = 1 << 24
"""Tokens of a document that is read as a whole; a longer one is read in parts of this length."""


class Sequences(NamedTuple):
    """Sequences that follow each other in the index.

    Attributes:
        first: number of the first in its file.
        starts: int64[n], the byte of the file at which each starts.
        lengths: int64[n], ids of each.
        names: the user's own ids, or None.
        wrong: why one cannot be read, by its place in the block; it then counts as one without ids.
    """

    first: int
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    names: list[str] | None = None
    wrong: dict[int, str] | None = None


class Part(NamedTuple):
    """Sequences that fit into a batch.

    Attributes:
        records: int64[n], the number of each in its file; parts of a long document have the same number.
        starts, lengths, names: as in ``Sequences``.
        wrong: as there.
    """

    records: NDArray[np.int64]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    names: list[str] | None
    wrong: dict[int, str]


def parts(blocks: Iterator[Sequences], itemsize: int, most_tokens: int, most_rows: int) -> Iterator[Part]:
    """Yields the sequences in parts of at most *most_rows*, and *most_tokens* unless a single one is longer.

    Those that are wrong have a length of 0 already.
    """
    for block in blocks:
        records = np.arange(block.first, block.first + len(block.starts))
        whole = Part(records, block.starts, block.lengths, block.names, block.wrong or {})
        if len(block.lengths) and block.lengths.max() > MOST_TOKENS:
            whole = _split(whole, itemsize)
        yield from _cut(whole, most_tokens, most_rows)


def _split(part: Part, itemsize: int) -> Part:
    counts = np.maximum(1, -(-part.lengths // MOST_TOKENS))
    source = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(source)) - np.repeat(np.cumsum(counts) - counts, counts)
    begun = number * MOST_TOKENS
    first = np.cumsum(counts) - counts
    return Part(
        part.records[source],
        part.starts[source] + begun * itemsize,
        np.minimum(part.lengths[source] - begun, MOST_TOKENS),
        [part.names[at] for at in source] if part.names else None,
        {int(first[at]): reason for at, reason in part.wrong.items()},
    )


def _cut(part: Part, most_tokens: int, most_rows: int) -> Iterator[Part]:
    ends = np.cumsum(part.lengths)
    start = 0
    while start < len(ends):
        before = int(ends[start - 1]) if start else 0
        stop = int(np.searchsorted(ends, before + most_tokens, "right"))
        stop = min(max(stop, start + 1), start + most_rows)
        yield Part(
            part.records[start:stop],
            part.starts[start:stop],
            part.lengths[start:stop],
            part.names[start:stop] if part.names else None,
            {at - start: reason for at, reason in part.wrong.items() if start <= at < stop},
        )
        start = stop
