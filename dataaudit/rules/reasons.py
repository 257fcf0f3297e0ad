"""The reasons of documents: every rule that a document fails, its value, the limits and by how much."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.config.schema import Rule
from dataaudit.rules.evaluate import EMPTY, column, empty_documents, evaluate
from dataaudit.rules.moving import at_step, limits_of

REASON = pa.struct(
    [
        pa.field("rule", pa.string()),
        pa.field("signal", pa.string()),
        pa.field("value", pa.float64()),
        pa.field("min", pa.float64()),
        pa.field("max", pa.float64()),
        pa.field("margin", pa.float64()),
        pa.field("action", pa.string()),
    ]
)
"""One reason. *margin* is how far the value lies past the limit, above 0, in the signal's unit.

*value* and *margin* are null when the signal is undefined. *signal* is null in reasons of dataaudit's own, such as
``empty``. *action* is the rule's: quarantine or flag.
"""
REASONS = pa.list_(REASON)
WITHOUT_TEXT = "without-text"
"""The reason of a record that has no text."""

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


def reasons(rules: Sequence[Rule], table: pa.Table) -> pa.ListArray:
    """Returns for each document of a table of signals every rule that it fails, in the rules' order; no list is null.

    Rules whose signal was not measured give no reason, as in ``evaluate``; a document that is empty has one, ``empty``.
    """
    plain = at_step(rules, None)
    empty = np.flatnonzero(empty_documents(table))
    failing = [
        (number, np.flatnonzero(mask.fails))
        for number, mask in enumerate(evaluate(plain, table))
        if mask is not None and mask.fails.any()
    ]
    rows = np.concatenate([empty, *(rows for _, rows in failing)])
    order = np.argsort(rows, kind="stable")
    named = np.concatenate([np.zeros(len(empty), np.int64), *(np.full(len(rows), n + 1) for n, rows in failing)])[order]
    values = [_values(plain[number], table, rows) for number, rows in failing]
    nothing = np.full(len(empty), np.nan)
    names: list[Sequence[str | float | None]] = [
        [EMPTY, *(rule.id for rule in plain)],
        [None, *(rule.signal for rule in plain)],
        [None, *(limits_of(rule)[0] for rule in plain)],
        [None, *(limits_of(rule)[1] for rule in plain)],
        ["quarantine", *(rule.action for rule in plain)],
    ]
    rule, signal, low, high, action = (
        pa.array(each, field).take(pa.array(named))
        for each, field in zip(names, (pa.string(), pa.string(), pa.float64(), pa.float64(), pa.string()), strict=True)
    )
    value, margin = (_nulls(np.concatenate([nothing, *(pair[part] for pair in values)])[order]) for part in (0, 1))
    offsets = np.zeros(table.num_rows + 1, np.int32)
    np.cumsum(np.bincount(rows, minlength=table.num_rows), out=offsets[1:])
    structs = pa.StructArray.from_arrays([rule, signal, value, low, high, margin, action], fields=list(REASON))
    return pa.ListArray.from_arrays(pa.array(offsets), structs, type=REASONS)


def _nulls(values: Floats) -> pa.Array:
    return pa.array(values, mask=np.isnan(values))


def _values(rule: Rule, table: pa.Table, rows: Rows) -> tuple[Floats, Floats]:
    """Returns a rule's values in some rows and how far they lie past its limits, both NaN where undefined."""
    values, null = column(table, rule.signal)
    found = np.where(null, np.nan, values)[rows]
    if rule.one_of is not None:
        return found, np.min(np.abs(found[:, None] - np.array(rule.one_of)), axis=1)
    low, high = limits_of(rule)
    margins = np.full(len(found), -np.inf)
    if low is not None:
        margins = np.maximum(margins, low - found)
    if high is not None:
        margins = np.maximum(margins, found - high)
    return found, margins
