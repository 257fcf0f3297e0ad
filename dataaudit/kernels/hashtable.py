"""An open-addressing hash table in two arrays, shared by the kernels that count within a document.

A table is ``keys: uint64[size]`` and ``counts: int32[size]`` with a power-of-two size at least twice the number of
keys. A slot is free while its count is 0, so clearing the counts empties the table. Kernels allocate both arrays once
a batch and use, and clear, only as many slots as the document at hand needs.
"""

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel

PREFIX_LIMIT = 1 << 22
"""Most words, characters, lines or tokens of one document that a table holds; a kernel then needs at most 250 MB."""

_MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)


@kernel
def mix(value: np.uint64) -> np.uint64:
    """Returns *value* with every bit depending on every bit, so that near values spread (SplitMix64 finaliser)."""
    value = (value ^ (value >> _SHIFT_1)) * _MULTIPLIER_1
    value = (value ^ (value >> _SHIFT_2)) * _MULTIPLIER_2
    return value ^ (value >> _SHIFT_3)


@kernel
def table_size(entries: int) -> int:
    """Returns the smallest power of two that leaves at least half the slots free."""
    size = 16
    while size < 2 * entries:
        size *= 2
    return size


@kernel
def longest_document(offsets: NDArray[np.int64], limit: int) -> int:
    """Returns the size of the largest document, at most *limit*."""
    longest = 0
    for doc in range(len(offsets) - 1):
        longest = max(longest, min(limit, offsets[doc + 1] - offsets[doc]))
    return longest


@kernel
def new_table(entries: int) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Returns keys and counts for up to *entries* keys; the counts are not yet cleared."""
    size = table_size(entries)
    return np.empty(size, np.uint64), np.empty(size, np.int32)


@kernel
def count_key(keys: NDArray[np.uint64], counts: NDArray[np.int32], size: int, key: np.uint64) -> int:
    """Adds one to the count of *key* (which must be well mixed) in the first *size* slots; returns its slot."""
    mask = np.uint64(size - 1)
    at = key & mask
    while counts[at] != 0 and keys[at] != key:
        at = (at + np.uint64(1)) & mask
    keys[at] = key
    counts[at] += 1
    return int(at)
