"""How far two binned distributions are apart, beside what two samples of their sizes differ by anyway."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.drift.divergences import jensen_shannon
from dataaudit.drift.excess import g_null_mean
from dataaudit.drift.length_drift import length_drift
from dataaudit.result import SignalSummary

Counts = NDArray[np.int64]


class Distance(NamedTuple):
    """Two distributions.

    Attributes:
        distance: Kolmogorov-Smirnov's D over the bins: 0 to 1.
        p_value: of D under no difference.
        jensen_shannon: with equal weights, nats.
        noise_floor: its mean for two samples of these sizes from one distribution.
    """

    distance: float
    p_value: float
    jensen_shannon: float
    noise_floor: float


def distance(old: Counts, new: Counts) -> Distance | None:
    """Compares two histograms over the same bins; None when either is empty."""
    places = np.arange(len(old), dtype=np.int64)
    lengths, divergence, mean = length_drift(places, old, new), jensen_shannon(old, new), g_null_mean(old, new)
    if lengths is None or divergence is None or mean is None:
        return None
    # G is N times the divergence with the samples' own weights. Near the null both divergences are quadratic in the
    # difference of the shares, and the one with equal weights is G (1/n + 1/m) / 8: exactly so for equal sizes.
    floor = mean * (1 / int(old.sum()) + 1 / int(new.sum())) / 8
    return Distance(lengths.distance, lengths.p_value, divergence, floor)


class Aligned(NamedTuple):
    """Two histograms over the same bins; *edges* has one more than there are bins, or none without documents."""

    edges: list[float]
    old: Counts
    new: Counts


def aligned(old: SignalSummary, new: SignalSummary) -> Aligned | None:
    """Returns both histograms over the same bins; None when their edges do not agree.

    A report holds the bins from the first filled one to the last; beyond them and between two ranges that do not
    touch there are no documents.
    """
    if old.bin_edges and new.bin_edges:
        least = max(old.bin_edges[0], new.bin_edges[0])
        most = min(old.bin_edges[-1], new.bin_edges[-1])
        shared = [[edge for edge in side.bin_edges if least <= edge <= most] for side in (old, new)]
        if shared[0] != shared[1]:
            return None
    edges = sorted({*old.bin_edges, *new.bin_edges})
    place = {edge: number for number, edge in enumerate(edges)}
    found = np.zeros((2, max(1, len(edges) - 1)), np.int64)
    for side, summary in enumerate((old, new)):
        for edge, documents in zip(summary.bin_edges, summary.hist, strict=False):
            found[side, place[edge]] = documents
    return Aligned(edges, found[0], found[1])
