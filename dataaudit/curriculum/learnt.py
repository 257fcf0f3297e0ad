"""Weights that read documents already learnt less often."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.curriculum.curriculum import LEAST_WEIGHT
from dataaudit.errors import UsageError


def learnt_weights(
    losses: Sequence[float | None] | pa.Array | NDArray[Any], *, learnt_loss: float | None = None, floor: float = 0.1
) -> NDArray[np.float64]:
    """Returns a weight for each document: loss / learnt_loss, at most 1 and at least *floor*.

    Args:
        losses: a loss a token of each document, by the model at hand; one without a loss has weight 1.
        learnt_loss: the loss from which on a document is read every time; the median when None.
        floor: the weight of a document with no loss left, from 0.001 on.

    Raises:
        UsageError: a loss is negative, none is known, or a setting cannot be used.
    """
    if not LEAST_WEIGHT <= floor <= 1:
        raise UsageError(f"floor is {floor}. Expected a share from {LEAST_WEIGHT} to 1.")
    known = pa.array(losses, pa.float64(), from_pandas=True).to_numpy(zero_copy_only=False)
    has_loss = np.isfinite(known)
    if (known[has_loss] < 0).any():
        raise UsageError(f"a loss is {known[has_loss].min():g}. Expected losses from 0 on, or None.")
    if learnt_loss is None:
        if not has_loss.any():
            return np.ones(len(known))
        learnt_loss = float(np.median(known[has_loss]))
    if not (np.isfinite(learnt_loss) and learnt_loss >= 0):
        raise UsageError(f"learnt_loss is {learnt_loss}. Expected a number from 0 on.")
    if learnt_loss == 0:
        return np.ones(len(known))
    return np.where(has_loss, np.clip(np.where(has_loss, known, 0) / learnt_loss, floor, 1), 1.0)
