"""Sums and logarithms of counts, the same whatever the order of the counts."""

import math
from collections.abc import Iterable
from functools import cache

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

DIGITS = 9
SMALL = 1 << 16
"""Logarithms of counts below it are looked up."""


def total(values: Floats) -> float:
    """Returns the sum, rounded once."""
    return math.fsum(values.tolist())


def logs(values: Counts) -> Floats:
    """Returns the natural logarithm of each count; 0 for 0, since it is only ever multiplied by that count."""
    found: Floats = _small_logs()[np.minimum(values, SMALL - 1)]
    large = np.flatnonzero(values >= SMALL)
    found[large] = [math.log(value) for value in values[large].tolist()]
    return found


def log_sum(values: Counts) -> float:
    """Returns Σ x ln x."""
    times = np.bincount(values[values < SMALL])
    small = np.flatnonzero(times)
    large, times_large = np.unique(values[values >= SMALL], return_counts=True)
    distinct = np.concatenate([small, large])
    return total(distinct * np.concatenate([times[small], times_large]) * logs(distinct))


@cache
def _small_logs() -> Floats:
    # The same digits as for the large ones: those of numpy differ between processors.
    return np.array([0.0, *map(math.log, range(1, SMALL))])


def entropy(values: Iterable[int] | Counts) -> float | None:
    """Returns the entropy of a distribution of counts, in nats; None without any."""
    counts = np.asarray(values, np.int64)
    whole = int(counts.sum())
    return max(0.0, math.log(whole) - log_sum(counts) / whole) if whole else None


def plain(value: float | None) -> float | None:
    """Returns a result as it is kept: 9 significant digits, so that a last bit of a processor's does not show.

    What is smaller than 10**-12 is 0: the rest of a difference of equal numbers.
    """
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{DIGITS}g}") if abs(value) > 1e-12 else 0.0
