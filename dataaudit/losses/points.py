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


class Point(NamedTuple):
    """A value of a series at a step, as it was logged."""

    name: str
    step: int
    value: float


def points_of(row: Mapping[str, Any]) -> list[Point]:
    """Returns the numbers of a row of a log at its step; none when it has no step."""
    step = next((found for name in STEPS if (found := step_of(row.get(name))) is not None), None)
    if step is None:
        return []
    numbers = {name: number_of(value) for name, value in row.items()}
    return [Point(name, step, value) for name, value in numbers.items() if value is not None]


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
