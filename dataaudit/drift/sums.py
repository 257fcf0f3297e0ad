"""Sums and logarithms of counts, the same whatever the order of the counts."""

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

DIGITS = 9


def total(values: Floats) -> float:
    """Returns the sum, rounded once."""
    return math.fsum(values.tolist())


def logs(values: Counts) -> Floats:
    """Returns the natural logarithm of each count; 0 for 0, since it is only ever multiplied by that count."""
    distinct, places = np.unique(values, return_inverse=True)
    found: Floats = np.fromiter((math.log(value) if value else 0.0 for value in distinct.tolist()), np.float64)
    return found[places]


def log_sum(values: Counts) -> float:
    """Returns Σ x ln x."""
    distinct, times = np.unique(values[values > 0], return_counts=True)
    pairs = zip(distinct.tolist(), times.tolist(), strict=True)
    return math.fsum(value * times * math.log(value) for value, times in pairs)


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
