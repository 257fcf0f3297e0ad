"""What the measures look at, and how a number is judged."""

from typing import NamedTuple

from dataaudit.monitor.measuring import Measuring
from dataaudit.monitor.reference import Reference
from dataaudit.monitor.result import Measure, SampleExample
from dataaudit.monitor.units import Unit
from dataaudit.monitor.window import PANES, Window
from dataaudit.result import Status


class Seen(NamedTuple):
    """What a check looks at.

    Attributes:
        window: the samples that were seen last.
        unit: what they are counted in, ``tokens`` or ``words``; None before the first one.
        measuring: what is known of the tokenizer and the model.
        reference: what they are compared with; None while the first window is being seen.
        compared_from: the first sample that is compared with it.
        max_length: where samples are cut, and so are the reference's; None when nowhere.
    """

    window: Window
    unit: Unit | None
    measuring: Measuring
    reference: Reference | None
    compared_from: int
    max_length: int | None

    @property
    def is_small(self) -> bool:
        """Whether there are too few samples yet to judge shares: less than a tenth of a window."""
        return self.window.samples * PANES < self.window.size


def above(
    name: str,
    unit: str,
    value: float,
    level: float | None,
    message: str,
    *,
    examples: tuple[SampleExample, ...] = (),
) -> Measure:
    """Returns a measure that is an anomaly above its level."""
    status = Status.INFO if level is None else Status.FAIL if value > level else Status.PASS
    return Measure(name=name, unit=unit, value=value, level=level, status=status, message=message, examples=examples)


def share(
    seen: Seen, name: str, part: int, whole: int, level: float | None, what: str, *, of: str, counted: str
) -> Measure:
    """Returns a share as a measure, with the samples of what is *counted*; undefined of nothing."""
    unit = f"share of {of}"
    if not whole:
        return skipped(name, unit, level, f"No {of} yet.")
    value = part / whole
    message = f"{part:,} of {whole:,} {of} {what} ({value:.3%})."
    if seen.is_small and level is not None:
        few = f"{seen.window.samples:,} of {seen.window.size:,} samples are too few to judge."
        return skipped(name, unit, level, f"{message} {few}", value=value)
    return above(name, unit, value, level, message, examples=seen.window.examples(counted) if part else ())


def skipped(name: str, unit: str, level: float | None, reason: str, *, value: float | None = None) -> Measure:
    """Returns a measure that is not judged, and why."""
    return Measure(name=name, unit=unit, value=value, level=level, status=Status.SKIP, message=reason)
