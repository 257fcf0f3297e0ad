"""Limits around a rule's own, and what falls outside each of them."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dataaudit.closeup import Curve
from dataaudit.result import SignalSummary

GRID = 40
NEAR = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.05, 1.1, 1.25, 1.5, 2.0, 4.0, 10.0)


def limits_around(limit: float, signal: str, summary: SignalSummary, *, is_integer: bool) -> list[float]:
    """Returns at most 56 limits from the signal's least value to its largest, ascending; *limit* is one of them."""
    assert summary.min is not None
    assert summary.max is not None
    low, high = min(summary.min, limit), max(summary.max, limit)
    grid = _even(low, high) if signal.endswith("_ratio") else _thinned(summary.bin_edges)
    wanted = [low, high, *grid, *(limit * factor for factor in NEAR)]
    rounded = {float(round(each)) if is_integer else float(f"{each:.3g}") for each in wanted}
    return sorted({each for each in rounded if low <= each <= high} | {limit})


def _even(low: float, high: float) -> list[float]:
    """Returns round numbers at even steps."""
    if high <= low:
        return []
    rough = (high - low) / GRID
    scale = 10.0 ** np.floor(np.log10(rough))
    step = float(scale * next(each for each in (1, 2, 2.5, 5, 10) if each * scale >= rough * 0.999))
    first = int(np.ceil(low / step))
    return [each * step for each in range(first, int(high / step) + 1)]


def _thinned(edges: list[float]) -> list[float]:
    step = -(-len(edges) // GRID)
    return edges[::step]


class Tally:
    """Documents and tokens by the first limit that removes them."""

    def __init__(self, side: Literal["min", "max"], limits: list[float]) -> None:
        self.side = side
        self.limits = np.array(limits)
        self._documents = np.zeros(len(limits) + 1, np.int64)
        self._tokens = np.zeros(len(limits) + 1, np.int64)

    def add(self, values: NDArray[np.float64], weight: NDArray[np.int64]) -> None:
        """Adds documents."""
        place = np.searchsorted(self.limits, values, side="left" if self.side == "max" else "right")
        self._documents += np.bincount(place, minlength=len(self._documents))
        # The tokens of a batch are far below 2**53, so these float sums are exact.
        self._tokens += np.bincount(place, weight, minlength=len(self._tokens)).astype(np.int64)

    def curve(self, documents: int, tokens: int) -> Curve:
        """Returns what each limit removes, besides what is removed at any limit."""
        return Curve(
            side=self.side,
            limits=self.limits.tolist(),
            documents=[documents + each for each in self._outside(self._documents)],
            tokens=[tokens + each for each in self._outside(self._tokens)],
        )

    def _outside(self, counts: NDArray[np.int64]) -> list[int]:
        # At place p stand values above limits[:p] (max), or not below limits[:p] (min).
        if self.side == "max":
            return (counts.sum() - np.cumsum(counts))[:-1].tolist()  # type: ignore[no-any-return]
        return np.cumsum(counts)[:-1].tolist()  # type: ignore[no-any-return]
