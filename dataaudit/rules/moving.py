"""Limits that move while a model is trained: the rules at one step, and from when to when a document is kept."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.config.schema import Moving, Rule
from dataaudit.rules.evaluate import column, empty_documents, evaluate, is_measured

FOREVER = np.iinfo(np.int64).max
ENDED = 64
"""Multiples of ``decay_steps`` after which a limit is at its end: exp(-64) is below the precision of a float."""

Steps = NDArray[np.int64]


class Admission(NamedTuple):
    """From which training step to which a document is kept, both ends included.

    Attributes:
        admit_from_step: int64; the first step; null when it never is.
        admit_until_step: int64; the last step; null when there is no end, and when it never is.
    """

    admit_from_step: pa.Array
    admit_until_step: pa.Array


def limit_at(limit: Moving, step: float) -> float:
    """Returns the limit at a step; exactly the initial one at step 0."""
    if step == 0:
        return limit.initial
    return limit.final - (limit.final - limit.initial) * math.exp(-step / limit.decay_steps)


def at_step(rules: Sequence[Rule], step: int | None) -> tuple[Rule, ...]:
    """Returns the rules with plain limits: those of a training step, or the final ones for None."""
    return tuple(
        msgspec.structs.replace(rule, min=_plain(rule.min, step), max=_plain(rule.max, step)) for rule in rules
    )


def _plain(limit: float | Moving | None, step: int | None) -> float | None:
    if isinstance(limit, Moving):
        return limit.final if step is None else limit_at(limit, step)
    return limit


def loosest(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Returns the rules with plain limits: each at the end where it keeps most, so what they take out is never kept."""
    return tuple(
        msgspec.structs.replace(rule, min=_loosest(rule.min, max), max=_loosest(rule.max, min)) for rule in rules
    )


def is_moving(rule: Rule) -> bool:
    """Says whether a limit of the rule moves in training."""
    return isinstance(rule.min, Moving) or isinstance(rule.max, Moving)


def limits_of(rule: Rule) -> tuple[float | None, float | None]:
    """Returns a rule's lowest and highest value; those that move as they are in the end."""
    return _plain(rule.min, None), _plain(rule.max, None)


def admission(rules: Sequence[Rule], table: pa.Table) -> Admission:
    """Returns when each document of a table of signals is kept, by the rules that take documents out.

    Rules whose signal was not measured say nothing, as in ``evaluate``.
    """
    empty = empty_documents(table)
    first, last = np.zeros(len(empty), np.int64), np.full(len(empty), FOREVER, np.int64)
    never = empty.copy()
    for rule in rules:
        if rule.action == "quarantine" and is_measured(rule, table):
            _admit(rule, table, first, last, never)
    never |= first > last
    return Admission(pa.array(first, mask=never), pa.array(last, mask=never | (last == FOREVER)))


def _admit(rule: Rule, table: pa.Table, first: Steps, last: Steps, never: NDArray[np.bool_]) -> None:
    """Narrows the steps to those at which a rule keeps each document."""
    moving = [each for each in (rule.min, rule.max) if isinstance(each, Moving)]
    (mask,) = evaluate(loosest([rule]), table)
    assert mask is not None, "the signal was measured"
    never |= mask.fails
    if not moving:
        return
    values, null = column(table, rule.signal)
    rows = np.flatnonzero(~null & ~mask.fails & ~mask.not_applicable)
    for limit, keeps in ((rule.min, np.greater_equal), (rule.max, np.less_equal)):
        if isinstance(limit, Moving):
            _narrow(limit, keeps, values[rows], rows, first, last)


def _loosest(limit: float | Moving | None, sign: Callable[..., float]) -> float | None:
    """Returns the limit at the end where it keeps most: no document that fails it is ever kept."""
    if isinstance(limit, Moving):
        return limit.initial if sign(limit.initial, limit.final) == limit.final else limit.final
    return limit


def _narrow(
    limit: Moving, keeps: np.ufunc, values: NDArray[np.float64], rows: NDArray[np.intp], first: Steps, last: Steps
) -> None:
    at_start, at_end = keeps(values, limit.initial), keeps(values, limit.final)
    later = ~at_start & at_end
    first[rows[later]] = np.maximum(first[rows[later]], _turn(limit, keeps, values[later]))
    until = at_start & ~at_end
    last[rows[until]] = np.minimum(last[rows[until]], _turn(limit, keeps, values[until]) - 1)


def _turn(limit: Moving, keeps: np.ufunc, values: NDArray[np.float64]) -> Steps:
    """Returns the first step at which the verdict is no longer that of step 0, by halving: exact as ``limit_at`` is."""
    low, high = np.zeros(len(values), np.int64), np.full(len(values), ENDED * limit.decay_steps, np.int64)
    start = keeps(values, limit.initial)
    while (low + 1 < high).any():
        middle = (low + high) // 2
        limits = limit.final - (limit.final - limit.initial) * np.exp(-middle / limit.decay_steps)
        same = keeps(values, limits) == start
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return high
