"""The shingles of documents that came as token ids: runs of consecutive ids, as a set of 64-bit hashes a document.

The hash of a unit is ``mix(BASIS ^ id)``, the id as an unsigned number of 64 bits; the rest is as for texts
(``kernels.shingles``). A document of fewer ids than a shingle has one shingle of all of them.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.hashing import BASIS
from dataaudit.kernels.hashtable import longest_document, mix, table_size
from dataaudit.kernels.jit import kernel
from dataaudit.kernels.shingles import MOST_SHINGLES, Hashes, ShingleSets, distinct_shingles, sort_distinct


def token_shingle_sets(offsets: NDArray[np.int64], ids: NDArray[Any], units: int) -> ShingleSets:
    """Returns the sets of shingles of *units* ids each.

    Args:
        offsets: int64[documents + 1], where each document starts in *ids*.
        ids: whole numbers[tokens].
        units: ids in a shingle.
    """
    return ShingleSets(*_token_shingle_sets(offsets, ids, units, MOST_SHINGLES))


@kernel
def _token_shingle_sets(
    offsets: NDArray[np.int64], ids: NDArray[Any], width: int, most: int
) -> tuple[NDArray[np.int64], Hashes, NDArray[np.int64], NDArray[np.bool_]]:
    documents, most_units = len(offsets) - 1, most + width - 1
    longest = longest_document(offsets, most_units)
    units = np.empty(longest, np.uint64)
    keys, used = np.empty(table_size(longest), np.uint64), np.zeros(table_size(longest), np.uint8)
    ends, scratch = np.empty(table_size(longest) + 1, np.int64), np.empty(longest, np.uint64)
    lengths = np.diff(offsets)
    counts, capped = np.minimum(lengths, most_units), lengths > most_units
    hashes, size = np.empty(counts.sum(), np.uint64), 0
    starts = np.zeros(documents + 1, np.int64)
    for document in range(documents):
        first, count = offsets[document], counts[document]
        for k in range(count):
            units[k] = mix(BASIS ^ np.uint64(ids[first + k]))
        found = distinct_shingles(units[:count], width, keys, used, hashes[size:])
        sort_distinct(hashes[size : size + found], ends, scratch)
        size += found
        starts[document + 1] = size
    return starts, hashes[:size].copy(), counts, capped
