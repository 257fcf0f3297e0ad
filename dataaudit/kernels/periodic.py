"""Runs of tokens that repeat with a short period."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel

LARGEST_PERIOD = 13
FEWEST_REPEATS = 3
"""A run counts from this many repeats on; two equal neighbours are ordinary text."""


class Periodic(NamedTuple):
    """The most repeated run of each document.

    Attributes:
        times: int64[docs], whole repeats of the period in the run; 1 when there is none.
        period: int64[docs], tokens that repeat; 0 when there is none.
        start: int64[docs], index of the run's first token in its document; -1 when there is none.
    """

    times: NDArray[np.int64]
    period: NDArray[np.int64]
    start: NDArray[np.int64]


def periodic_runs(offsets: NDArray[np.int64], ids: NDArray[Any]) -> Periodic:
    """Finds the run that repeats most often in each document, over periods 1 to 13.

    A run of period p is a longest stretch in which every token equals the one p places before; with L such tokens the
    run is L + p long and repeats ⌊(L + p) / p⌋ times. Runs of fewer than 3 repeats, and periods over a third of the
    document, do not count. On ties the smallest period wins, then the earliest start.

    Args:
        offsets: int64[docs + 1], where each document starts in *ids*.
        ids: whole numbers[tokens].
    """
    docs = len(offsets) - 1
    found = Periodic(np.ones(docs, np.int64), np.zeros(docs, np.int64), np.full(docs, -1, np.int64))
    _periodic_runs(offsets, ids, *found)
    return found


@kernel
def _periodic_runs(
    offsets: NDArray[np.int64],
    ids: NDArray[Any],
    times: NDArray[np.int64],
    periods: NDArray[np.int64],
    starts: NDArray[np.int64],
) -> None:
    for doc in range(len(offsets) - 1):
        first, stop = offsets[doc], offsets[doc + 1]
        for period in range(1, min(LARGEST_PERIOD, (stop - first) // 3) + 1):
            # A run that beats the best so far has at least `stride` equal tokens in a row, so looking at every
            # stride-th token cannot miss it, and reads a small part of a text that does not repeat.
            stride = period * max(FEWEST_REPEATS - 1, times[doc])
            searched = first + period
            at = searched + stride - 1
            while at < stop:
                if ids[at] != ids[at - period]:
                    searched = at + 1
                    at += stride
                    continue
                low, high = _stretch(ids, period, at, searched, stop)
                repeats = (high - low + period) // period
                if repeats >= FEWEST_REPEATS and repeats > times[doc]:
                    times[doc], periods[doc], starts[doc] = repeats, period, low - period - first
                    stride = period * repeats
                searched = high + 1
                at = high + stride


@kernel
def _stretch(ids: NDArray[Any], period: int, at: int, lowest: int, stop: int) -> tuple[int, int]:
    """Returns the range around *at*, from *lowest* on, in which every token equals the one a period before."""
    low, high = at, at + 1
    while low > lowest and ids[low - 1] == ids[low - 1 - period]:
        low -= 1
    while high < stop and ids[high] == ids[high - period]:
        high += 1
    return low, high
