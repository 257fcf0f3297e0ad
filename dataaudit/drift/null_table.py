"""The exact null of divergences: what chance alone gives when tokens are dealt out at random.

A token with *c* occurrences in all has Bin(c, π) of them in a part that holds the share π of all tokens. The moments of
a summand under it depend on c alone, so they are computed once for each distinct c.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dataaudit.drift.sums import Counts, Floats

EXACT_TO = 256
"""Counts up to here are summed over every outcome; above, on a grid and linearly in between."""
GRID = 60
SPREAD = 9
"""Standard deviations on each side that are summed for large counts."""
STEPS = 32
"""Outcomes a standard deviation that are looked at, at least; a smooth sum needs no more."""

_LOG_FACTORIALS = np.array([math.lgamma(value + 1) for value in range(EXACT_TO + 1)])
_HALF_LOG_TAU = math.log(math.tau) / 2

Summand = Callable[[Floats, Floats], Floats]
"""f(x, c), elementwise, for 0 ≤ x ≤ c."""


class Moments(NamedTuple):
    """Of f(X, c) with X ~ Bin(c, π), a value for each c.

    Attributes:
        mean: E f.
        variance: Var f.
        covariance: Cov(f, X).
    """

    mean: Floats
    variance: Floats
    covariance: Floats


def binomial_moments(counts: Counts, share: float, summand: Summand) -> Moments:
    """Returns the moments for each of *counts* (distinct, ascending, positive) with 0 < *share* < 1."""
    small = counts[counts <= EXACT_TO]
    large = counts[counts > EXACT_TO]
    parts = [_exact(small, share, summand)] if len(small) else []
    if len(large):
        grid = large
        if len(large) > GRID:
            points = np.geomspace(float(large[0]), float(large[-1]), GRID).round().astype(np.int64)
            grid = np.unique(np.concatenate([large[:1], points[1:-1], large[-1:]]))
        rows = np.array([_around(int(count), share, summand) for count in grid.tolist()])
        parts.append(Moments(*(np.interp(large, grid, rows[:, column]) for column in range(3))))
    return Moments(*(np.concatenate([part[column] for part in parts]) for column in range(3)))


def _exact(counts: Counts, share: float, summand: Summand) -> Moments:
    most = int(counts[-1])
    factorials = _log_factorial(np.arange(most + 1, dtype=np.float64))
    x = np.arange(most + 1)[None, :]
    c = counts[:, None]
    rest = np.maximum(c - x, 0)
    logarithm = factorials[c] - factorials[x] - factorials[rest] + x * math.log(share) + rest * math.log1p(-share)
    chance = np.where(x <= c, np.exp(np.where(x <= c, logarithm, 0.0)), 0.0)
    outcomes = np.minimum(x, c).astype(np.float64)
    return _moments(chance, outcomes, summand(outcomes, np.broadcast_to(c.astype(np.float64), outcomes.shape)))


def _around(count: int, share: float, summand: Summand) -> tuple[float, float, float]:
    """Returns the three moments for one large count."""
    centre, deviation = count * share, math.sqrt(count * share * (1 - share))
    low = max(0, math.floor(centre - SPREAD * deviation - 40))
    high = min(count, math.ceil(centre + SPREAD * deviation + 40))
    step = max(1, int(deviation / STEPS))
    x = np.arange(low, high + 1, step, dtype=np.float64)
    odds = math.log(share) - math.log1p(-share)
    logarithm = math.lgamma(count + 1) - _log_factorial(x) - _log_factorial(count - x) + x * odds
    chance = np.exp(logarithm - logarithm.max())
    chance /= math.fsum(chance.tolist())
    found = _moments(chance[None, :], x[None, :], summand(x, np.full(len(x), float(count)))[None, :])
    return float(found.mean[0]), float(found.variance[0]), float(found.covariance[0])


def _log_factorial(x: Floats) -> Floats:
    """Returns ln x! of whole numbers; large ones by Stirling's series, whose error there is below that of a double."""
    found: Floats = _LOG_FACTORIALS[np.minimum(x, EXACT_TO).astype(np.int64)]
    large = x > EXACT_TO
    y = x[large]
    found[large] = (y + 0.5) * np.log(y) - y + _HALF_LOG_TAU + (1 - (1 - 2 / (7 * y**2)) / (30 * y**2)) / (12 * y)
    return found


def _moments(chance: Floats, outcomes: Floats, values: Floats) -> Moments:
    mean = (chance * values).sum(axis=1)
    centre = (chance * outcomes).sum(axis=1)
    apart = values - mean[:, None]
    return Moments(mean, (chance * apart**2).sum(axis=1), (chance * apart * (outcomes - centre[:, None])).sum(axis=1))


def poisson_g_moments(rates: Floats) -> tuple[Floats, Floats]:
    """Returns mean and variance of 2(X ln(X/λ) − X + λ) with X ~ Poisson(λ), for each λ ≥ 0.

    Above 256 by its series, 1 + 1/(6λ) + 1/(6λ²) and 2 + 2/(3λ), which is then good to 8 and 5 digits.
    """
    mean, variance = np.zeros(len(rates)), np.zeros(len(rates))
    for place, rate in enumerate(rates.tolist()):
        if rate > EXACT_TO:
            mean[place] = 1 + 1 / (6 * rate) + 1 / (6 * rate * rate)
            variance[place] = 2 + 2 / (3 * rate)
        elif rate > 0:
            mean[place], variance[place] = _poisson(rate)
    return mean, variance


def _poisson(rate: float) -> tuple[float, float]:
    high = math.ceil(rate + 12 * math.sqrt(rate) + 40)
    x = np.arange(high + 1, dtype=np.float64)
    factorials = np.concatenate([[0.0], np.cumsum(np.log(x[1:]))])
    chance = np.exp(x * math.log(rate) - rate - factorials)
    values = 2 * (x * np.log(np.maximum(x, 1) / rate) - x + rate)
    mean = float((chance * values).sum())
    return mean, float((chance * (values - mean) ** 2).sum())
