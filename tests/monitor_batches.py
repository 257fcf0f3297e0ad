"""Samples that several tests of the monitor show to it; they do not repeat themselves."""

import random
from collections.abc import Iterator
from typing import Any

from conftest import prose

from dataaudit import DataMonitor, MonitorResult

WINDOW = 1000


def english(seed: int, samples: int) -> list[str]:
    """English texts of 4 to 8 sentences."""
    rng = random.Random(seed)
    return [prose(rng, rng.randint(4, 8)) for _ in range(samples)]


def batches(samples: list[Any], size: int = 20) -> Iterator[list[Any]]:
    """The samples in batches."""
    return (samples[first : first + size] for first in range(0, len(samples), size))


def see(monitor: DataMonitor, samples: list[Any], size: int = 20) -> DataMonitor:
    """Shows samples to a monitor."""
    for batch in batches(samples, size):
        monitor.update(batch)
    return monitor


def names(result: MonitorResult) -> set[str]:
    """The names of what a check found to be anomalies."""
    return {measure.name for measure in result.anomalies}
