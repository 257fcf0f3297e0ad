"""Spikes as they come: the ones that ``find_spikes`` finds, each when its first value is there."""

from collections import deque

import numpy as np

from dataaudit.losses.spikes import IN_A_ROW, LEAST, RECOVERED_SIGMAS, SIGMAS, WINDOW, Level, level_of


class SpikeWatch:
    """Is shown the values of a series one after the other."""

    def __init__(self) -> None:
        self._before: deque[float] = deque(maxlen=WINDOW)
        self._calm_below: float | None = None
        self._calm: list[float] = []

    @property
    def level(self) -> Level | None:
        """Mean and deviation of the values before; None while there are too few."""
        return level_of(self._before) if len(self._before) >= LEAST else None

    def begins(self, value: float) -> bool:
        """Says whether a spike begins with this value; those of a spike that goes on, or recovers, begin none."""
        if self._calm_below is None:
            return self._is_first(value)
        if not (np.isfinite(value) and value <= self._calm_below):
            self._calm.clear()
            return False
        self._calm.append(value)
        if len(self._calm) == IN_A_ROW:
            calm, self._calm, self._calm_below = self._calm, [], None
            return sum(self.begins(each) for each in calm) > 0
        return False

    def _is_first(self, value: float) -> bool:
        level = self.level
        limit = np.inf if level is None else level.mean + SIGMAS * level.sigma
        if np.isfinite(value) and value <= limit:
            self._before.append(value)
            return False
        self._calm_below = np.inf if level is None else level.mean + RECOVERED_SIGMAS * level.sigma
        return True
