"""One pass over a raw token array: what shows a wrong width, a wrong byte order, or a tail that was never written."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel

BIT_LENGTHS = 66
"""Slots of a count by bit length: 0 to 64 bits, then the negative ids."""
NEGATIVE = BIT_LENGTHS - 1
SMALL = 4
"""Ids below it fill the high halves of 32-bit ids that are read as 16-bit ones."""


class RawTokens(NamedTuple):
    """Counts over one array of ids.

    Attributes:
        small_even, small_odd: ids from 0 to 3 at even and at odd places.
        low_zero, low_zero_swapped: ids whose lowest byte is 0, as they are read and with their bytes in reverse.
        bit_lengths: int64[BIT_LENGTHS], ids by the bits they take.
        bit_lengths_swapped: the same with their bytes in reverse, without a sign.
        leading_zeros, trailing_zeros: length of the run of id 0 at either end; the array's length if all are 0.
        longest_zero_run: longest run of id 0 that does not reach the end.
    """

    small_even: int
    small_odd: int
    low_zero: int
    low_zero_swapped: int
    bit_lengths: NDArray[np.int64]
    bit_lengths_swapped: NDArray[np.int64]
    leading_zeros: int
    trailing_zeros: int
    longest_zero_run: int


def raw_tokens(ids: NDArray[Any], first: int) -> RawTokens:
    """Counts over a 1-D array of ids; it is copied, so give it in blocks.

    Args:
        ids: whole numbers of 1, 2, 4 or 8 bytes in the machine's byte order.
        first: place of the first id in its file, from 0.
    """
    size = ids.dtype.itemsize
    values = np.array(ids).view(np.dtype(f"u{size}"))
    small, runs = np.zeros(2, np.int64), np.zeros(3, np.int64)
    _places(values, first, small, runs)
    lows, bits = np.zeros(2, np.int64), np.zeros((2, BIT_LENGTHS), np.int64)
    if size <= 2:
        counts = np.zeros(1 << 8 * size, np.int64)
        _histogram(values, counts)
        values = np.arange(1 << 8 * size).astype(values.dtype)
    else:
        counts = np.ones(1, np.int64)
    _bytes(values, counts, size, ids.dtype.kind == "i", lows, bits)
    ends = (int(run) for run in runs)
    return RawTokens(int(small[0]), int(small[1]), int(lows[0]), int(lows[1]), bits[0], bits[1], *ends)


@kernel
def _places(values: NDArray[Any], first: int, small: NDArray[np.int64], runs: NDArray[np.int64]) -> None:
    run = longest = 0
    leading = -1
    for at in range(len(values)):
        value = values[at]
        small[(first + at) & 1] += value < SMALL
        if value == 0:
            run += 1
        elif run > 0 or leading < 0:
            if leading < 0:
                leading = run
            longest = max(longest, run)
            run = 0
    runs[0] = run if leading < 0 else leading
    runs[1] = run
    runs[2] = longest


@kernel
def _histogram(values: NDArray[Any], counts: NDArray[np.int64]) -> None:
    for value in values:
        counts[value] += 1


@kernel
def _bytes(
    values: NDArray[Any],
    counts: NDArray[np.int64],
    size: int,
    is_signed: bool,
    lows: NDArray[np.int64],
    bits: NDArray[np.int64],
) -> None:
    """Counts by lowest byte and by bit length; *counts* holds how often each value stands, or 1 for all."""
    lengths = np.zeros(1 << 16, np.uint8)
    for at in range(1, 1 << 16):
        lengths[at] = lengths[at >> 1] + 1
    top = np.uint64(1) << np.uint64(8 * size - 1)
    for at in range(len(values)):
        weight = counts[at] if len(counts) > 1 else np.int64(1)
        value = np.uint64(values[at])
        swapped = np.uint64(0)
        rest = value
        for _ in range(size):
            swapped = (swapped << np.uint64(8)) | (rest & np.uint64(255))
            rest >>= np.uint64(8)
        lows[0] += weight * ((value & np.uint64(255)) == 0)
        lows[1] += weight * ((swapped & np.uint64(255)) == 0)
        if is_signed and value >= top:
            bits[0, NEGATIVE] += weight
        else:
            bits[0, _bit_length(value, lengths)] += weight
        bits[1, _bit_length(swapped, lengths)] += weight


@kernel
def _bit_length(value: np.uint64, lengths: NDArray[np.uint8]) -> int:
    above = 0
    while value >= np.uint64(1 << 16):
        value >>= np.uint64(16)
        above += 16
    return above + int(lengths[value])
