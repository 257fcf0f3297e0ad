"""Shares of sources in the windows of an order, and whether chance explains how far they are from those expected."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.order import Block, Spans
from dataaudit.order_quality.facts import Documents, Mixture
from dataaudit.order_quality.samples import Samples


class Chance(NamedTuple):
    """What the sum of w · (1 [is of the source] - share) over the samples of a window is like, by source.

    Attributes:
        variance: float64[sources], a sample's part of its variance.
        largest: float64[sources], the largest part of a sample.
        impossible: bool[sources], expected and without a token, or with tokens and not expected.
    """

    variance: NDArray[np.float64]
    largest: NDArray[np.float64]
    impossible: NDArray[np.bool_]

    def p_values(self, off: NDArray[np.float64], samples: int) -> NDArray[np.float64]:
        """Returns a bound of the chance of a sum as far from 0: Bernstein's inequality, two-sided.

        It holds for samples of any sizes, drawn with or without replacement.
        """
        exponent = np.divide(
            -(off**2) / 2,
            samples * self.variance + self.largest * np.abs(off) / 3,
            out=np.zeros(len(off)),
            where=off != 0,
        )
        p = np.minimum(2.0 * np.exp(exponent), 1.0)
        return np.asarray(np.where(self.impossible & (off != 0), 0.0, p))


def chance_of(samples: Samples, expected: NDArray[np.float64], count: int) -> Chance:
    """Returns what chance gives when sources are drawn so that their tokens have the expected shares.

    A sample's tokens of one source are one draw. Those of a sample that holds several are taken as independent, which
    makes the variance larger.
    """
    size = len(expected)
    held, parts, squares, largest = (np.zeros(size) for _ in range(4))
    known = slice(0, len(samples.held))
    held[known], parts[known], squares[known], largest[known] = (
        samples.held,
        samples.parts,
        samples.squares,
        samples.largest,
    )
    mean, second = (np.divide(each, parts, out=np.zeros(size), where=parts > 0) for each in (held, squares))
    drawn = np.divide(expected, mean, out=np.zeros(size), where=mean > 0)
    drawn = drawn / drawn.sum() if drawn.sum() > 0 else drawn
    part = drawn * second
    draws_of_sample = parts.sum() / max(count, 1)
    variance = draws_of_sample * (part * (1 - 2 * expected) + expected**2 * part.sum())
    most = largest.max(initial=0.0)
    return Chance(
        np.maximum(variance, 0.0),
        np.maximum(largest * (1 - expected), most * expected),
        (expected > 0) != (held > 0),
    )


class MixtureFollower:
    """Cuts an order into windows of so many samples, and compares each with the shares that are expected."""

    def __init__(self, samples: Samples, documents: Documents, plan: dict[str, float], size: int) -> None:
        self._sources, self._held, self._is_planned = documents.sources, samples.held, bool(plan)
        self._names = [*documents.source_names, *(name for name in plan if name not in documents.source_names)]
        self._expected = _shares([plan.get(name, 0.0) for name in self._names] if plan else samples.held)
        self._chance = chance_of(samples, self._expected, len(samples.sources))
        self._size, self._samples = size, 0
        self._drawn, self._window = (np.zeros(len(self._names), np.int64) for _ in range(2))
        self._rows: list[tuple[float, int, float, float]] = []

    def add(self, block: Block, spans: Spans) -> None:
        """Reads the next steps."""
        sources, sizes = self._sources[spans.documents], spans.stops - spans.starts
        for first, stop in self._parts(len(block.samples)):
            begin, end = np.searchsorted(spans.places, [first, stop])
            tokens = np.bincount(sources[begin:end], sizes[begin:end], len(self._names)).astype(np.int64)
            self._window += tokens
            self._drawn += tokens
            self._samples += stop - first
            if self._samples == self._size:
                self.close()

    def _parts(self, samples: int) -> Iterator[tuple[int, int]]:
        """Yields the parts of a block that lie in one window."""
        first = 0
        while first < samples:
            stop = min(first + self._size - self._samples, samples)
            yield first, stop
            first = stop

    def close(self) -> None:
        """Closes the window that goes on."""
        whole = int(self._window.sum())
        off = self._window - self._expected * whole
        p = self._chance.p_values(off, self._samples)
        source = int(np.lexsort((-np.abs(off), p))[0])
        share = float(self._window[source] / whole) if whole else 0.0
        of_all = min(float(p[source]) * len(p), 1.0)
        self._rows.append((abs(share - float(self._expected[source])) if whole else 0.0, source, share, of_all))
        self._window[:] = 0
        self._samples = 0

    def result(self) -> Mixture:
        """Returns the windows that were closed."""
        held = np.zeros(len(self._names), np.int64)
        held[: len(self._held)] = self._held
        difference, source, share, p = (np.array(column) for column in zip(*self._rows, strict=True))
        return Mixture(self._names, self._expected, self._is_planned, self._drawn, held, difference, source, share, p)


def _shares(weights: Sequence[float] | NDArray[np.int64]) -> NDArray[np.float64]:
    found = np.asarray(weights, np.float64)
    whole = found.sum()
    return np.asarray(found / whole if whole > 0 else np.full(len(found), 1 / max(len(found), 1)))
