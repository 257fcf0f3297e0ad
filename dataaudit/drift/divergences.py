"""Distances between two distributions of counts.

Natural logarithms throughout, so the unit is nats. Nothing is smoothed unless the function says so.
"""

import math

import numpy as np

from dataaudit.drift.special import chi_square_sf
from dataaudit.drift.sums import Counts, log_sum, logs, total

JEFFREYS = 0.5
"""Added to every count of the reference, seen or not, where a divergence would be infinite without it."""
MOST_BINS = 20
TINY = 1e-300


def kl_smoothed(counts: Counts, reference: Counts, ids: int) -> float | None:
    """Returns KL(counts ‖ reference) with one half added to each of the reference's *ids* counts.

    Both arrays hold the same ids in the same order; ids that occur in neither may be left out of them, which is why
    their number is given. None when either is empty.
    """
    n, m = int(counts.sum()), int(reference.sum())
    if not n or not m:
        return None
    seen = counts > 0
    x = counts[seen]
    # ln(r + 1/2) = ln(2r + 1) − ln 2, so that the logarithm is of an integer.
    cross = total(x * logs(2 * reference[seen] + 1)) - n * math.log(2)
    return (log_sum(x) - cross) / n - math.log(n) + math.log(m + JEFFREYS * ids)


def kl_pooled(counts: Counts, pooled: Counts) -> float | None:
    """Returns KL(counts ‖ pooled), where *pooled* holds *counts* too; from 0 on and finite. None when empty."""
    n, m = int(counts.sum()), int(pooled.sum())
    if not n:
        return None
    seen = counts > 0
    x = counts[seen]
    return max(0.0, (log_sum(x) - total(x * logs(pooled[seen]))) / n - math.log(n) + math.log(m))


def two_sample_g(first: Counts, second: Counts) -> float | None:
    """Returns G = 2 Σ observed ln(observed / expected) of a 2 × k table; None when a row is empty.

    It is 2N times the Jensen-Shannon divergence with the rows' own weights; from 0 on and finite.
    """
    n, m = int(first.sum()), int(second.sum())
    if not n or not m:
        return None
    inner = log_sum(first) + log_sum(second) - log_sum(first + second)
    outer = n * math.log(n) + m * math.log(m) - (n + m) * math.log(n + m)
    return max(0.0, 2 * (inner - outer))


def goodness_g(observed: Counts, expected: Counts) -> float | None:
    """Returns G of counts against expected weights; None when either is empty, or what occurs has no weight."""
    n, m = int(observed.sum()), int(expected.sum())
    if not n or not m or bool((expected[observed > 0] <= 0).any()):
        return None
    seen = observed > 0
    x = observed[seen]
    return max(0.0, 2 * (log_sum(x) - total(x * logs(expected[seen])) - n * math.log(n) + n * math.log(m)))


def jensen_shannon(first: Counts, second: Counts) -> float | None:
    """Returns the Jensen-Shannon divergence with equal weights: 0 to ln 2 nats; None when either is empty."""
    n, m = int(first.sum()), int(second.sum())
    if not n or not m:
        return None
    p, q = first / n, second / m
    middle = np.maximum((p + q) / 2, TINY)
    parts = [np.log(np.maximum(each, TINY) / middle) * each for each in (p, q)]
    return min(math.log(2), max(0.0, (total(parts[0]) + total(parts[1])) / 2))


def hellinger(first: Counts, second: Counts) -> float | None:
    """Returns the Hellinger distance: 0 to 1; None when either is empty."""
    n, m = int(first.sum()), int(second.sum())
    if not n or not m:
        return None
    overlap = total(np.sqrt((first / n) * (second / m)))
    return math.sqrt(max(0.0, 1 - overlap))


def total_variation(first: Counts, second: Counts) -> float | None:
    """Returns the total variation distance, half the sum of absolute differences: 0 to 1; None when either is empty."""
    n, m = int(first.sum()), int(second.sum())
    if not n or not m:
        return None
    return min(1.0, total(np.abs(first / n - second / m)) / 2)


def psi(first: Counts, second: Counts) -> tuple[float, float] | None:
    """Returns the population stability index over at most 20 bins, and its p-value; None when either is empty.

    Σ (p − q) ln(p / q). When a bin is empty on one side only, one half is added to every bin of both. Under no change
    PSI / (1/n + 1/m) is χ² with one degree less than bins (Yurdakul 2018).

    Raises:
        ValueError: for more bins, where the index measures its own noise.
    """
    if len(first) > MOST_BINS:
        raise ValueError(f"PSI is for at most {MOST_BINS} bins, not {len(first)}")
    n, m = int(first.sum()), int(second.sum())
    if not n or not m:
        return None
    filled = (first > 0) | (second > 0)
    p, q = first[filled].astype(np.float64), second[filled].astype(np.float64)
    if bool((p == 0).any() or (q == 0).any()):
        p, q = p + JEFFREYS, q + JEFFREYS
    p, q = p / math.fsum(p.tolist()), q / math.fsum(q.tolist())
    value = math.fsum((a - b) * math.log(a / b) for a, b in zip(p.tolist(), q.tolist(), strict=True))
    return value, chi_square_sf(value / (1 / n + 1 / m), len(p) - 1)
