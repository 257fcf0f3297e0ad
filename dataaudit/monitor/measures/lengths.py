"""Whether samples are longer or shorter than the reference's."""

import numpy as np

from dataaudit.drift.length_drift import length_drift
from dataaudit.drift.sums import plain
from dataaudit.monitor.judging import Seen, skipped
from dataaudit.monitor.levels import MonitorLevels
from dataaudit.monitor.reference import Reference
from dataaudit.monitor.result import Measure
from dataaudit.result import Status

ORDER = 50
NAME, UNIT = "length_distance", "D"
LEAST = 500
"""Samples (harmonically: n·m/(n+m)) that are judged: with fewer, chance gives D ≥ 0.1 oftener than once in 10,000."""


def measures(seen: Seen, levels: MonitorLevels) -> tuple[Measure, ...]:
    """Returns Kolmogorov-Smirnov's D between both distributions of length, with the chance of it."""
    level, reference = levels.length_distance, seen.reference
    if reference is None:
        return (skipped(NAME, UNIT, level, "The first window is what later ones are compared with."),)
    if seen.unit is not None and seen.unit != reference.unit:
        return (skipped(NAME, UNIT, level, f"{reference.name} has lengths in other units."),)
    lengths = seen.window.lengths(seen.compared_from)
    if reference.is_run and len(lengths) and (lengths == lengths[0]).all():
        return (skipped(NAME, UNIT, level, f"All samples are {lengths[0]:,} long: documents are packed into them."),)
    return (_judged(lengths, reference, seen.max_length, levels),)


def _judged(lengths: np.ndarray, reference: Reference, max_length: int | None, levels: MonitorLevels) -> Measure:
    known = reference.lengths if max_length is None else np.minimum(reference.lengths, max_length)
    distinct = np.union1d(lengths, known)
    mine, other = np.zeros(len(distinct), np.int64), np.zeros(len(distinct), np.int64)
    np.add.at(mine, np.searchsorted(distinct, lengths), 1)
    np.add.at(other, np.searchsorted(distinct, known), reference.documents)
    found = length_drift(distinct, mine, other)
    level = levels.length_distance
    if found is None:
        return skipped(NAME, UNIT, level, "No samples to compare yet.")
    distance, chance = plain(found.distance), plain(found.p_value)
    assert distance is not None
    n, m = int(mine.sum()), int(other.sum())
    message = (
        f"D {distance:.3g} between the lengths of {n:,} samples and of {m:,} in {reference.name} (p {chance:.2g}); "
        f"means {lengths.mean():,.0f} and {float(known @ reference.documents) / m:,.0f}."
    )
    status = Status.PASS
    if level is None:
        status = Status.INFO
    elif n * m < LEAST * (n + m):
        status, message = Status.SKIP, f"{message} Judged from {LEAST:,} samples on, {2 * LEAST:,} of two like windows."
    elif distance >= level and found.p_value < levels.length_p_value:
        status = Status.FAIL
    return Measure(name=NAME, unit=UNIT, value=distance, level=level, status=status, message=message, p_value=chance)
