"""``kl_excess``: how far a part's tokens are from the rest of the corpus, less what chance alone gives."""

import math
from typing import NamedTuple

import numpy as np

from dataaudit.drift.divergences import JEFFREYS, kl_smoothed, two_sample_g
from dataaudit.drift.null_table import Moments, binomial_moments, poisson_g_moments
from dataaudit.drift.sums import Counts, Floats, logs, total


class PartDrift(NamedTuple):
    """One part against all others; nats.

    ``kl_excess = kl − φ · null_mean``, and its standard deviation under chance is ``φ · null_deviation``, where φ ≥ 1
    says how much more documents differ than single tokens would: the median over parts of ``split_half_ratio``.

    Attributes:
        kl: KL(part ‖ all others), with one half added to the others' counts.
        null_mean, null_deviation: of ``kl``, when the same tokens are dealt out at random.
        terms: each id's part of ``kl`` less what chance gives it, in the order of the ids.
    """

    kl: float
    null_mean: float
    null_deviation: float
    terms: Floats


def part_drift(counts: Counts, corpus: Counts, ids: int) -> PartDrift | None:
    """Compares a part with all other parts.

    Args:
        counts: int64[k], occurrences of each id in the part.
        corpus: int64[k], in the whole corpus, this part included.
        ids: size of the vocabulary, at least the ids of *corpus* that occur.

    Returns:
        None when the part or the others hold no tokens.
    """
    n, whole = int(counts.sum()), int(corpus.sum())
    rest = whole - n
    if not n or not rest:
        return None
    kl = kl_smoothed(counts, corpus - counts, ids)
    assert kl is not None
    share = n / whole
    offset = math.log(rest + JEFFREYS * ids) - math.log(n)
    # Per id, since a sum over n terms of size 1/n is all that there is.
    terms = counts / n * (logs(counts) - logs(2 * (corpus - counts) + 1) + math.log(2) + offset)

    def summand(x: Floats, c: Floats) -> Floats:
        values: Floats = x / n * (np.log(np.maximum(x, 1)) - np.log(c - x + JEFFREYS) + offset)
        return values

    held = corpus > 0
    distinct, places, times = np.unique(corpus[held], return_inverse=True, return_counts=True)
    moments = binomial_moments(distinct, share, summand)
    mean = total(moments.mean * times) - (1 - share) / (2 * n)
    spread = total(moments.variance * times) - total(moments.covariance * times) ** 2 / (whole * share * (1 - share))
    expected = np.zeros(len(corpus))
    expected[held] = moments.mean[places]
    return PartDrift(kl, mean, math.sqrt(max(0.0, spread)), terms - expected)


def split_half_ratio(first: Counts, second: Counts) -> float | None:
    """Returns G of two halves of a part's documents over what chance gives; None when a half is empty.

    1 when tokens were independent; above 1 as documents differ more than that. With few documents it is far above.
    """
    observed, expected = two_sample_g(first, second), g_null_mean(first, second)
    return observed / expected if observed is not None and expected else None


def g_null_mean(first: Counts, second: Counts) -> float | None:
    """Returns the mean of ``two_sample_g`` when the same tokens are dealt out at random; None when a row is empty."""
    n, m = int(first.sum()), int(second.sum())
    if not n or not m:
        return None
    share = n / (n + m)

    def summand(x: Floats, c: Floats) -> Floats:
        other = c - x
        here = x * np.log(np.maximum(x, 1) / (c * share))
        values: Floats = 2 * (here + other * np.log(np.maximum(other, 1) / (c * (1 - share))))
        return values

    pooled = first + second
    distinct, times = np.unique(pooled[pooled > 0], return_counts=True)
    moments: Moments = binomial_moments(distinct, share, summand)
    return max(0.0, total(moments.mean * times) - 1)


class ReferenceDrift(NamedTuple):
    """Counts against a fixed reference; nats. ``kl_excess = kl − φ · null_mean``.

    Attributes:
        kl: KL(counts ‖ reference), with one half added to the reference's counts.
        null_mean: its mean when the tokens are drawn from the reference.
        terms: each id's part of ``kl``, in the order of the ids.
    """

    kl: float
    null_mean: float
    terms: Floats


def reference_drift(counts: Counts, reference: Counts, ids: int) -> ReferenceDrift | None:
    """Compares counts with a reference that is taken as exact, such as an earlier corpus; None when either is empty.

    Args:
        counts: int64[k], occurrences of each id.
        reference: int64[k], of the same ids in the reference.
        ids: size of the vocabulary; the ids beyond k occur in neither.
    """
    n, m = int(counts.sum()), int(reference.sum())
    kl = kl_smoothed(counts, reference, ids)
    if kl is None:
        return None
    whole = m + JEFFREYS * ids
    distinct, times = np.unique(reference, return_counts=True)
    unlisted = max(0, ids - len(reference))
    distinct, times = np.append(distinct, 0), np.append(times, unlisted)
    rates = n * (distinct.astype(np.float64) + JEFFREYS) / whole
    means, _ = poisson_g_moments(rates)
    null = max(0.0, total(means * times) - 1) / (2 * n)
    terms = counts / n * (logs(counts) - logs(2 * reference + 1) + math.log(2) + math.log(whole) - math.log(n))
    return ReferenceDrift(kl, null, terms)
