"""Segments of a document (lines, paragraphs) that repeat an earlier one."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.hashtable import COUNT, PREFIX_LIMIT, count_key, longest_document, mix, new_table, table_size
from dataaudit.kernels.jit import kernel


class Copies(NamedTuple):
    """Extra copies, one value a document.

    Attributes:
        segments: int64[docs], segments that were looked at.
        copies: int64[docs], how many of them equal an earlier one.
        copy_characters: int64[docs], their characters.
    """

    segments: NDArray[np.int64]
    copies: NDArray[np.int64]
    copy_characters: NDArray[np.int64]


def extra_copies(
    offsets: NDArray[np.int64], hashes: NDArray[np.uint64], lengths: NDArray[np.int64], limit: int = PREFIX_LIMIT
) -> Copies:
    """Counts the segments of each document that equal an earlier one of it, among its first *limit*.

    Two segments are the same when their 64-bit hashes are.

    Args:
        offsets: int64[docs + 1], where each document starts in the next two.
        hashes: uint64[segments].
        lengths: int64[segments], in characters.
        limit: segments of a document that are looked at.
    """
    docs = len(offsets) - 1
    found = Copies(np.zeros(docs, np.int64), np.zeros(docs, np.int64), np.zeros(docs, np.int64))
    _extra_copies(offsets, hashes, lengths, limit, *found)
    return found


@kernel
def _extra_copies(
    offsets: NDArray[np.int64],
    hashes: NDArray[np.uint64],
    lengths: NDArray[np.int64],
    limit: int,
    segments: NDArray[np.int64],
    copies: NDArray[np.int64],
    characters: NDArray[np.int64],
) -> None:
    table = new_table(longest_document(offsets, limit))
    for doc in range(len(offsets) - 1):
        start = offsets[doc]
        stop = min(start + limit, offsets[doc + 1])
        segments[doc] = stop - start
        size = table_size(stop - start)
        table[:size] = 0
        for i in range(start, stop):
            if table[count_key(table, size, mix(hashes[i]))] & COUNT > 1:
                copies[doc] += 1
                characters[doc] += lengths[i]
