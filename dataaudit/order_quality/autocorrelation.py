"""The autocorrelation of a long series, value by value."""

import math

import numpy as np
from numpy.typing import NDArray


class Autocorrelation:
    """Lag-1 autocorrelation Σ (x_t - m)(x_{t+1} - m) / Σ (x_t - m)², m the mean of all.

    About 0, ± 1/√n, for values in random order; near 1 for a slow series.
    """

    def __init__(self) -> None:
        self.count = 0
        self._shift = self._first = self._last = 0.0
        self._sum: list[float] = [0.0, 0.0, 0.0]

    def add(self, values: NDArray[np.float64]) -> None:
        """Adds the next values."""
        if not len(values):
            return
        if not self.count:
            self._shift = float(values[0])
        centred = values - self._shift
        if not self.count:
            self._first = float(centred[0])
        else:
            self._sum[2] += self._last * float(centred[0])
        self._sum[0] += float(centred.sum())
        self._sum[1] += float(centred @ centred)
        self._sum[2] += float(centred[:-1] @ centred[1:])
        self._last = float(centred[-1])
        self.count += len(values)

    def value(self) -> float | None:
        """Returns it; None when all values are equal, or there are fewer than two."""
        if self.count < 2:
            return None
        whole, squares, products = self._sum
        mean = whole / self.count
        variance = squares - whole * mean
        if variance <= 1e-12 * max(squares, 1.0):
            return None
        covariance = products - mean * (2 * whole - self._first - self._last) + (self.count - 1) * mean * mean
        found = covariance / variance
        return found if math.isfinite(found) else None
