"""Evaluates rules over a table of signals, with NumPy masks: the same code in the CLI and in ``datasets.map``."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.config.schema import Condition, Rule

EMPTY = "empty"
"""The reason of a document that is empty after stripping white space; it has no other."""

Flags = NDArray[np.bool_]


class Mask(NamedTuple):
    """What a rule says of each document of a table.

    Attributes:
        fails: it does not keep the document.
        undefined: the signal is null, and the rule applies.
        not_applicable: a condition of the rule leaves the document out.
    """

    fails: Flags
    undefined: Flags
    not_applicable: Flags


def evaluate(rules: Sequence[Rule], table: pa.Table) -> list[Mask | None]:
    """Returns a mask a rule, in order; None for a rule whose signal was not measured."""
    empty = empty_documents(table)
    return [_mask(rule, table, empty) if _measured(rule, table) else None for rule in rules]


def empty_documents(table: pa.Table) -> Flags:
    """Returns which documents are empty after stripping: no characters, or white space alone (or no tokens)."""
    if "whitespace_char_ratio" in table.column_names:
        values, null = _column(table, "whitespace_char_ratio")
        return np.asarray(null | (values == 1.0))
    values, null = _column(table, "token_count")
    return np.asarray(null | (values == 0))


def _measured(rule: Rule, table: pa.Table) -> bool:
    names = [rule.signal, *(condition.signal for condition in rule.applies_when)]
    return all(name in table.column_names for name in names)


def _mask(rule: Rule, table: pa.Table, empty: Flags) -> Mask:
    left_out = np.zeros(len(empty), np.bool_)
    for condition in rule.applies_when:
        left_out |= ~_meets(condition, table)
    left_out &= ~empty
    concerned = ~empty & ~left_out
    values, null = _column(table, rule.signal)
    undefined = null & concerned
    fails = ~_within(rule, values) & ~null & concerned
    if rule.if_null == "quarantine":
        fails |= undefined
    return Mask(fails, undefined, left_out)


def _meets(condition: Condition, table: pa.Table) -> Flags:
    values, null = _column(table, condition.signal)
    kept = ~null
    if condition.min is not None:
        kept &= values >= condition.min
    if condition.max is not None:
        kept &= values <= condition.max
    return kept


def _within(rule: Rule, values: NDArray[np.float64]) -> Flags:
    kept = np.ones(len(values), np.bool_)
    if rule.min is not None:
        kept &= values >= rule.min
    if rule.max is not None:
        kept &= values <= rule.max
    if rule.one_of is not None:
        kept &= np.isin(values, [value for value in rule.one_of if isinstance(value, int | float)])
    return kept


def _column(table: pa.Table, name: str) -> tuple[NDArray[np.float64], Flags]:
    """Returns a numeric column as float64, with 0 in place of nulls, and which values are null."""
    column = table.column(name)
    null = column.is_null().to_numpy()
    return column.cast(pa.float64(), safe=False).fill_null(0.0).to_numpy(), null
