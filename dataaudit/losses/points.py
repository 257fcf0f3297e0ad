"""What a log holds: values of named series at steps."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

NAMES = {
    "loss": ("loss", "train_loss", "train/loss", "training_loss", "lm loss", "lm-loss-training/lm loss"),
    "grad_norm": ("grad_norm", "train/grad_norm", "gradient_norm", "grad-norm", "optim/total_grad_norm", "gnorm"),
}
"""Names that logs give to a series, most likely first."""
STEPS = ("step", "global_step", "train/global_step", "iteration", "_step", "trainer/global_step")
LARGEST_STEP = 1 << 53
MOST_NAMES = 1000
ENDINGS = tuple(known for names in NAMES.values() for known in names)


class Point(NamedTuple):
    """A value of a series at a step, as it was logged."""

    name: str
    step: int
    value: float


class Points:
    """The points of a log that may be of a known series; of all others only some names are kept.

    Attributes:
        points: in the order they were logged.
        names: of everything that was logged, at most ``MOST_NAMES``.
    """

    def __init__(self) -> None:
        self.points: list[Point] = []
        self.names: set[str] = set()

    def add(self, name: str, step: int, value: float) -> None:
        """Adds a point."""
        if len(self.names) < MOST_NAMES:
            self.names.add(name)
        if name.lower().endswith(ENDINGS):
            self.points.append(Point(name, step, value))

    def add_row(self, row: Mapping[str, Any]) -> None:
        """Adds the numbers of a row at its step; nothing when it has no step."""
        step = next((found for name in STEPS if (found := step_of(row.get(name))) is not None), None)
        for name, value in row.items():
            number = number_of(value)
            if step is None and len(self.names) < MOST_NAMES:
                self.names.add(name)
            elif step is not None and number is not None:
                self.add(name, step, number)


def step_of(value: Any) -> int | None:
    """Returns a step, from 0, or None for what is none."""
    number = number_of(value)
    if number is None or not 0 <= number <= LARGEST_STEP or number != int(number):
        return None
    return int(number)


def number_of(value: Any) -> float | None:
    """Returns a number, also NaN and infinite ones, or None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
