"""An open-addressing hash table in one array, shared by the kernels that count within a document.

A table is ``uint64[size]`` with a power-of-two size at least twice the number of keys. A slot holds the upper 41
bits of a key and, below them, its count; the lower bits of the key say where to look for it; a free slot is 0.
Kernels allocate the table once a batch and use, and clear, only as many slots as the document at hand needs.

Two keys are taken for one when their upper 41 bits are the same and their lower bits lead to the same place: in a
document of n distinct keys with a chance of about n / 2**41, as 2**-31 for a thousand words.
"""

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import ONE, kernel

PREFIX_LIMIT = 1 << 22
"""Most words, characters, lines or tokens of one document that a table holds; a kernel then needs at most 210 MB."""

COUNT = np.uint64((1 << 23) - 1)
"""The bits of a slot that hold the count, which is at most PREFIX_LIMIT."""

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
def new_table(entries: int) -> NDArray[np.uint64]:
    """Returns a table for up to *entries* keys; it is not yet cleared."""
    return np.empty(table_size(entries), np.uint64)


@kernel
def count_key(table: NDArray[np.uint64], size: int, key: np.uint64) -> np.uint64:
    """Adds one to the count of *key* (which must be well mixed) in the first *size* slots; returns its slot."""
    mask = np.uint64(size - 1)
    at = key & mask
    while table[at] != 0 and (table[at] ^ key) > COUNT:
        at = (at + ONE) & mask
    table[at] = (key & ~COUNT) + (table[at] & COUNT) + ONE
    return at
