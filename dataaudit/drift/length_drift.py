"""Whether documents of a part are longer or shorter than the others, from exact histograms."""

import math
from typing import NamedTuple

import numpy as np

from dataaudit.drift.divergences import psi
from dataaudit.drift.special import kolmogorov_sf
from dataaudit.drift.sums import Counts, total

DECILES = 10


class LengthDrift(NamedTuple):
    """Two distributions of length.

    Attributes:
        distance: Kolmogorov-Smirnov's D, the largest difference of the two cumulative shares: 0 to 1.
        p_value: of D under no difference; with 10⁵ documents it is small for any difference at all.
        wasserstein: mean shift between the two, in units of length.
        psi, psi_p_value: over the deciles of the second one.
    """

    distance: float
    p_value: float
    wasserstein: float
    psi: float
    psi_p_value: float


def length_drift(lengths: Counts, first: Counts, second: Counts) -> LengthDrift | None:
    """Compares two histograms over the same ascending *lengths*; None when either is empty."""
    n, m = int(first.sum()), int(second.sum())
    if not n or not m:
        return None
    apart = np.abs(np.cumsum(first) / n - np.cumsum(second) / m)
    distance = float(apart.max())
    size = math.sqrt(n / (n + m) * m)
    bins = _decile_bins(second)
    stability = psi(np.bincount(bins, first).astype(np.int64), np.bincount(bins, second).astype(np.int64))
    assert stability is not None
    return LengthDrift(
        distance,
        kolmogorov_sf(distance * (size + 0.12 + 0.11 / size)),
        total(apart[:-1] * np.diff(lengths)),
        *stability,
    )


def _decile_bins(documents: Counts) -> Counts:
    """Returns for each length the decile of the histogram that it lies in, numbered from 0 without gaps."""
    before = np.cumsum(documents) - documents
    places = before * DECILES // max(1, int(documents.sum()))
    bins: Counts = np.unique(np.minimum(places, DECILES - 1), return_inverse=True)[1]
    return bins


class Concentration(NamedTuple):
    """How unequally the documents of a part share its length.

    Attributes:
        effective_documents: (Σ length)² / Σ length², from 1 to the number of documents: equal documents that would give
            a mean over tokens the same variance.
        longest_share: of the length, in the longest document.
    """

    effective_documents: float
    longest_share: float


def concentration(lengths: Counts, documents: Counts) -> Concentration | None:
    """Measures the inequality of lengths; None when there is no length.

    Args:
        lengths: int64[k], distinct lengths, ascending.
        documents: int64[k], documents of each.

    Source: Kish 1965, Survey Sampling: effective sample size of unequal weights.
    """
    held = np.flatnonzero(documents)
    whole = sum(length * times for length, times in zip(lengths[held].tolist(), documents[held].tolist(), strict=True))
    if not whole:
        return None
    squares = sum(
        length * length * times for length, times in zip(lengths[held].tolist(), documents[held].tolist(), strict=True)
    )
    return Concentration(whole * whole / squares, int(lengths[held[-1]]) / whole)


def mean_log_length(lengths: Counts, documents: Counts) -> float | None:
    """Returns the mean of ln(1 + length); None without documents."""
    n = int(documents.sum())
    if not n:
        return None
    pairs = zip(lengths.tolist(), documents.tolist(), strict=True)
    return math.fsum(times * math.log1p(length) for length, times in pairs) / n
