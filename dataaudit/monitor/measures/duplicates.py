"""Samples that come again."""

from dataaudit.monitor.judging import Seen, share
from dataaudit.monitor.levels import MonitorLevels
from dataaudit.monitor.result import Measure

ORDER = 10


def measures(seen: Seen, levels: MonitorLevels) -> tuple[Measure, ...]:
    """Returns the share of samples that repeat an earlier one of the window (``value`` of an example: which one)."""
    return (
        share(
            seen,
            "duplicate_ratio",
            seen.window.sum("duplicates"),
            seen.window.sum("samples"),
            levels.duplicate_ratio,
            "repeat an earlier one of the window",
            of="samples",
            counted="duplicates",
        ),
    )
