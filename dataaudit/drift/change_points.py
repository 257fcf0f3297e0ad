"""Where a series of window values changes for good."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dataaudit.drift.sums import Floats

MAD_TO_DEVIATION = 1.4826
ALLOWANCE, LIMIT = 0.5, 8.0
"""Of CUSUM, in standard deviations: a shift of one is found after 16 windows, a false alarm comes once in 9,500."""
SHORTEST_SEGMENT = 5


class Alarm(NamedTuple):
    """A CUSUM alarm.

    Attributes:
        start: window in which the sum left 0 for the last time.
        window: window in which it passed the limit.
        up: whether the values went up.
    """

    start: int
    window: int
    up: bool


def robust_z(values: Sequence[float]) -> Floats | None:
    """Returns (value − median) / (1.4826 · MAD); None when all values are equal.

    When more than half of them are equal, the mean absolute deviation takes the place of the median one.
    """
    numbers = np.asarray(values, np.float64)
    if not len(numbers):
        return None
    apart = numbers - np.median(numbers)
    scale = MAD_TO_DEVIATION * float(np.median(np.abs(apart)))
    if scale <= 0:
        scale = math.sqrt(math.pi / 2) * math.fsum(np.abs(apart).tolist()) / len(numbers)
    return apart / scale if scale > 0 else None


def cusum(z: Sequence[float] | Floats, allowance: float = ALLOWANCE, limit: float = LIMIT) -> list[Alarm]:
    """Returns the alarms of a two-sided CUSUM; each side starts again after its alarm.

    Source: Page 1954; limits by Siegmund's approximation.
    """
    alarms: list[Alarm] = []
    for up in (True, False):
        level, start = 0.0, 0
        for window, value in enumerate(z):
            level = level + (value if up else -value) - allowance
            if level <= 0:
                level, start = 0.0, window + 1
            elif level > limit:
                alarms.append(Alarm(start, window, up))
                level, start = 0.0, window + 1
    return sorted(alarms, key=lambda alarm: (alarm.window, not alarm.up))


def noise_variance(values: Sequence[float]) -> float:
    """Returns the variance of the noise, from the differences of neighbours, on which steps have little influence."""
    numbers = np.asarray(values, np.float64)
    if len(numbers) < 2:
        return 0.0
    steps = np.diff(numbers)
    deviation = MAD_TO_DEVIATION * float(np.median(np.abs(steps - np.median(steps)))) / math.sqrt(2)
    return max(deviation**2, 1e-12 * float(np.var(numbers)))


def pelt(values: Sequence[float], penalty: float, shortest: int = SHORTEST_SEGMENT) -> list[int]:
    """Returns where the mean changes: the first window of each new segment, ascending.

    Minimises the squared error of segments of at least *shortest* windows plus *penalty* for each change; exact.

    Source: Killick, Fearnhead & Eckley 2012, arXiv 1101.1438.
    """
    numbers = np.asarray(values, np.float64)
    size = len(numbers)
    if size < 2 * shortest or float(np.ptp(numbers)) == 0:
        return []
    numbers = numbers - float(np.median(numbers))
    sums = np.concatenate([[0.0], np.cumsum(numbers)])
    squares = np.concatenate([[0.0], np.cumsum(numbers**2)])
    best, before = np.full(size + 1, np.inf), np.zeros(size + 1, np.int64)
    best[0] = -penalty
    starts = np.zeros(0, np.int64)
    for stop in range(shortest, size + 1):
        starts = np.append(starts, stop - shortest) if stop == shortest or stop >= 2 * shortest else starts
        cost = squares[stop] - squares[starts] - (sums[stop] - sums[starts]) ** 2 / (stop - starts)
        whole = best[starts] + cost
        place = int(whole.argmin())
        best[stop], before[stop] = whole[place] + penalty, starts[place]
        starts = starts[whole <= best[stop]]
    found: list[int] = []
    place = int(before[size])
    while place > 0:
        found.append(place)
        place = int(before[place])
    return found[::-1]


def changes(values: Sequence[float]) -> list[int]:
    """Returns where the mean of a series changes, by PELT with the penalty 2 σ² ln T."""
    if len(values) < 2 * SHORTEST_SEGMENT:
        return []
    return pelt(values, 2 * noise_variance(values) * math.log(len(values)))
