"""From which step to which each sample is admitted, and how often it is read."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.config.schema import Moving, Rule
from dataaudit.errors import UsageError
from dataaudit.rules import admission

NEVER = np.iinfo(np.int64).max
LEAST_WEIGHT = 0.001


class Curriculum:
    """The steps at which each sample may be read, and its weight.

    Args:
        admit_from_step: the first step of each sample, from 0; None where it is never admitted.
        admit_until_step: the last step of each; None where there is no end. Without it none has one.
        weights: from 0.001 to 1 for each: the chance that it is read in an epoch (``learnt_weights``); 1 without them.

    Raises:
        UsageError: the lengths differ, or a value is out of range.
    """

    def __init__(
        self,
        admit_from_step: Sequence[int | None] | pa.Array | NDArray[Any],
        admit_until_step: Sequence[int | None] | pa.Array | NDArray[Any] | None = None,
        *,
        weights: Sequence[float] | NDArray[Any] | None = None,
    ) -> None:
        self._first = _steps(admit_from_step, "admit_from_step")
        count = len(self._first)
        self._last = np.full(count, NEVER) if admit_until_step is None else _steps(admit_until_step, "admit_until_step")
        self.weights = np.ones(count) if weights is None else np.array(weights, np.float64)
        for name, values in (("admit_until_step", self._last), ("weights", self.weights)):
            if len(values) != count:
                raise UsageError(f"{name} has {len(values):,} values, admit_from_step has {count:,}. Expected as many.")
        if not ((self.weights >= LEAST_WEIGHT) & (self.weights <= 1)).all():
            raise UsageError(
                f"a weight is not from {LEAST_WEIGHT} to 1. To never read a sample, give it no admit_from_step."
            )

    @classmethod
    def from_threshold(
        cls,
        values: Sequence[float | None] | pa.Array | NDArray[Any],
        *,
        initial: float,
        final: float,
        decay_steps: int,
        keep: str = "below",
        weights: Sequence[float] | NDArray[Any] | None = None,
    ) -> "Curriculum":
        """Returns the curriculum of a limit that moves: final − (final − initial) · exp(−step / decay_steps).

        Args:
            values: a number of each sample, such as a signal; one without a number is never admitted.
            initial: the limit at step 0.
            final: the limit that it comes ever closer to.
            decay_steps: after so many steps 63 % of the way is done.
            keep: ``below`` admits values up to the limit, ``above`` those from it on.
            weights: as in the class.

        Raises:
            UsageError: a setting cannot be used.
        """
        if keep not in ("below", "above"):
            raise UsageError(f"keep is {keep!r}. Expected 'below' or 'above'.")
        if decay_steps < 1 or not np.isfinite([initial, final]).all():
            raise UsageError("a limit that moves needs an initial and a final number and decay_steps from 1 on.")
        limit = Moving(initial=float(initial), final=float(final), decay_steps=decay_steps)
        low, high = (None, limit) if keep == "below" else (limit, None)
        rule = Rule(id="curriculum", signal="value", source="the caller", min=low, max=high)
        column = pa.array(values, pa.float64(), from_pandas=True)
        found = admission([rule], pa.table({"value": column, "token_count": pa.repeat(1, len(column))}))
        return cls(found.admit_from_step, found.admit_until_step, weights=weights)

    def __len__(self) -> int:
        return len(self._first)

    @property
    def digest(self) -> str:
        """A hash of everything that decides which samples are read."""
        found = hashlib.sha256()
        for values in (self._first, self._last, self.weights):
            found.update(np.ascontiguousarray(values).tobytes())
        return found.hexdigest()[:16]

    def admitted(self, step: int) -> NDArray[np.bool_]:
        """Returns which samples may be read at a step."""
        found: NDArray[np.bool_] = (self._first <= step) & (step <= self._last)
        return found

    def last_steps(self, samples: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns the last step of each of some samples; the largest int64 where there is no end."""
        return self._last[samples]


def _steps(values: Sequence[int | None] | pa.Array | NDArray[Any], name: str) -> NDArray[np.int64]:
    try:
        array = pa.array(values, pa.int64())
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError) as error:
        raise UsageError(
            f"{name} holds something else than steps ({error}). Expected whole numbers or None."
        ) from error
    found: NDArray[np.int64] = array.fill_null(NEVER).to_numpy(zero_copy_only=False)
    if (found < 0).any():
        raise UsageError(f"{name} holds {int(found.min())}. Expected steps from 0 on, or None.")
    return found
