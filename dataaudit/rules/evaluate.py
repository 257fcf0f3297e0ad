"""Evaluates rules over a table of signals, with NumPy masks: the same code in the CLI and in ``datasets.map``."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.config.schema import Condition, Moving, Rule

EMPTY = "empty"
"""The reason of a document that is empty after stripping white space; it has no other."""

NULL_MEANS_NONE = frozenset(
    {
        *("exact_duplicate_of", "near_duplicate_of", "near_duplicate_jaccard"),
        *("duplicate_cluster", "duplicate_cluster_size", "duplicate_count"),
        *("shard_kl_excess", "window_kl_excess"),
    }
)
"""Signals whose null says that there is no such thing, or no verdict, and not that it is undefined: no rule fails."""

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
    """Returns a mask a rule, in order; None for a rule whose signal was not measured.

    A limit that moves in training is taken as it is in the end; ``rules.at_step`` gives the rules of a step.
    """
    empty = empty_documents(table)
    met: dict[Condition, Flags] = {}
    return [_mask(rule, table, empty, met) if is_measured(rule, table) else None for rule in rules]


def empty_documents(table: pa.Table) -> Flags:
    """Returns which documents are empty after stripping: no characters, or white space alone (or no tokens)."""
    if "whitespace_char_ratio" in table.column_names:
        values, null = column(table, "whitespace_char_ratio")
        return np.asarray(null | (values == 1.0))
    values, null = column(table, "token_count")
    return np.asarray(null | (values == 0))


def is_measured(rule: Rule, table: pa.Table) -> bool:
    """Says whether a table has the signals that a rule looks at."""
    names = [rule.signal, *(condition.signal for condition in rule.applies_when)]
    return all(name in table.column_names for name in names)


def _mask(rule: Rule, table: pa.Table, empty: Flags, met: dict[Condition, Flags]) -> Mask:
    """Returns what a rule says; *met* keeps what conditions say, which many rules share."""
    left_out = np.zeros(len(empty), np.bool_)
    for condition in rule.applies_when:
        if condition not in met:
            met[condition] = _meets(condition, table)
        left_out |= ~met[condition]
    left_out &= ~empty
    concerned = ~empty & ~left_out
    values, null = column(table, rule.signal)
    undefined = null & concerned if rule.signal not in NULL_MEANS_NONE else np.zeros(len(empty), np.bool_)
    fails = ~_within(rule, values) & ~null & concerned
    if rule.if_null == "quarantine":
        fails |= undefined
    return Mask(fails, undefined, left_out)


def _meets(condition: Condition, table: pa.Table) -> Flags:
    values, null = column(table, condition.signal)
    return ~null & _between(values, condition.min, condition.max)


def _within(rule: Rule, values: NDArray[np.float64]) -> Flags:
    if rule.one_of is not None:
        return np.isin(values, list(rule.one_of))
    return _between(values, _final(rule.min), _final(rule.max))


def _between(values: NDArray[np.float64], low: float | None, high: float | None) -> Flags:
    kept = np.ones(len(values), np.bool_)
    if low is not None:
        kept &= values >= low
    if high is not None:
        kept &= values <= high
    return kept


def _final(limit: float | Moving | None) -> float | None:
    return limit.final if isinstance(limit, Moving) else limit


def column(table: pa.Table, name: str) -> tuple[NDArray[np.float64], Flags]:
    """Returns a numeric column as float64, with 0 in place of nulls, and which values are null."""
    values = table.column(name)
    if values.null_count == 0:
        return values.cast(pa.float64(), safe=False).to_numpy(), np.zeros(len(values), np.bool_)
    null = values.is_null().to_numpy()
    return values.cast(pa.float64(), safe=False).fill_null(0.0).to_numpy(), null
