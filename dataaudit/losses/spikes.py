"""Finds spikes in a series: values far above the 128 before them, and how the series recovers."""

from collections import deque
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.losses.read import Series

Recovery = Literal["fast", "slowly", "not", "unknown"]
WINDOW = 128
"""Values before, of which mean and deviation are taken."""
LEAST = 16
"""Values before, fewer than which say nothing yet."""
SIGMAS = 6.0
RECOVERED_SIGMAS = 2.0
IN_A_ROW = 3
"""Values at or below mean + 2 sigma in a row that are a recovery."""
FAST = 16
"""Values within which a recovery is fast."""
FLAT = 1e-3
"""Least sigma, as a share of the mean: a series that hardly moves has no spikes of rounding."""


class FoundSpike(NamedTuple):
    """A spike; see ``trace_result.Spike``. *previous_step* is the step that was logged before it."""

    step: int
    previous_step: int
    value: float | None
    mean: float
    sigma: float
    recovery: Recovery
    recovered_after: int | None


class Level(NamedTuple):
    """Mean and standard deviation of the values before."""

    mean: float
    sigma: float


def find_spikes(series: Series) -> list[FoundSpike]:
    """Returns the spikes of a series in their order.

    A value is one when it exceeds mean + 6 sigma of the last 128 values that were none, or is no number at all. Values
    until the series has recovered belong to the same spike and are left out of later means.
    """
    found: list[FoundSpike] = []
    before: deque[float] = deque(maxlen=WINDOW)
    at = 0
    while at < len(series.values):
        value = float(series.values[at])
        if not _stands_out(value, before):
            if np.isfinite(value):
                before.append(value)
            at += 1
            continue
        spike, past = _spike(series, at, before)
        found.append(spike)
        at = past
    return found


def _stands_out(value: float, before: deque[float]) -> bool:
    if len(before) < LEAST:
        return not np.isfinite(value)
    level = level_of(before)
    return not np.isfinite(value) or value > level.mean + SIGMAS * level.sigma


def level_of(before: deque[float]) -> Level:
    """Returns the level of values; 0 without any."""
    if not before:
        return Level(0.0, 0.0)
    values = np.array(before)
    with np.errstate(over="ignore", invalid="ignore"):
        mean, deviation = float(values.mean()), float(values.std())
    return Level(mean, max(deviation, FLAT * abs(mean)))


def _spike(series: Series, first: int, before: deque[float]) -> tuple[FoundSpike, int]:
    """Returns the spike that begins at *first*, and the place where the series goes on."""
    level = level_of(before)
    calm = level.mean + RECOVERED_SIGMAS * level.sigma if len(before) >= LEAST else np.inf
    recovered = _recovered(series.values, first, calm)
    left = len(series.values) - first
    past = len(series.values) if recovered is None else first + recovered
    high = series.values[first:past]
    previous = int(series.steps[first - 1]) if first else int(series.steps[0]) - 1
    return (
        FoundSpike(
            int(series.steps[first]),
            previous,
            float(high.max()) if np.isfinite(high).all() else None,
            level.mean,
            level.sigma,
            _recovery(recovered, left),
            recovered,
        ),
        past,
    )


def _recovered(values: NDArray[np.float64], first: int, calm: float) -> int | None:
    """Returns how many values after *first* the series stays at or below *calm* for IN_A_ROW values; None for never."""
    run = 0
    for at in range(first, len(values)):
        run = run + 1 if np.isfinite(values[at]) and values[at] <= calm else 0
        if run == IN_A_ROW:
            return at - first - IN_A_ROW + 1
    return None


def _recovery(recovered: int | None, left: int) -> Recovery:
    if recovered is None:
        return "unknown" if left < FAST + IN_A_ROW else "not"
    return "fast" if recovered <= FAST else "slowly"
