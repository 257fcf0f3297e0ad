"""What the rules say of a table of signals: who goes, and by which rules. Reads no corpus."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.config.schema import Rule
from dataaudit.filter_result import Restored
from dataaudit.rules import EMPTY, empty_documents, evaluate

Flags = NDArray[np.bool_]
GROUPING = frozenset(
    {"source", "cjk_char_ratio", "unspaced_char_ratio", "alpha_char_ratio", "char_count", "byte_count"}
)
ALWAYS = frozenset({"doc_id", "whitespace_char_ratio", "token_count", *GROUPING})


class Verdicts(NamedTuple):
    """What the rules say of n documents; column 0 is the built-in reason ``empty``, then come the rules.

    Attributes:
        fails: bool[n, rules + 1].
        out: bool[n], taken out by a rule that takes out and that was not restored for the document.
        measured: bool[rules + 1], whether the rule could be judged.
        undefined, not_applicable: int64[rules + 1], documents.
    """

    fails: Flags
    out: Flags
    measured: Flags
    undefined: NDArray[np.int64]
    not_applicable: NDArray[np.int64]


def columns_of(rules: Sequence[Rule]) -> set[str]:
    """Returns the names of the signals that judging needs."""
    names = set(ALWAYS)
    for rule in rules:
        names |= {rule.signal, *(condition.signal for condition in rule.applies_when)}
    return names


def verdicts_of(rules: Sequence[Rule], table: pa.Table, restored: Sequence[Restored] = ()) -> Verdicts:
    """Judges the documents of a table of signals; a failure that was restored is none."""
    masks = evaluate(rules, table)
    fails = np.zeros((table.num_rows, len(rules) + 1), np.bool_, order="F")
    fails[:, 0] = empty_documents(table)
    undefined, left_out = (np.zeros(len(rules) + 1, np.int64) for _ in range(2))
    for at, mask in enumerate(masks, 1):
        if mask is not None:
            fails[:, at] = mask.fails
            undefined[at] = np.count_nonzero(mask.undefined)
            left_out[at] = np.count_nonzero(mask.not_applicable)
    _forgive(fails, rules, table, restored)
    out = np.zeros(table.num_rows, np.bool_)
    for at, takes in enumerate(takes_out(rules)):
        if takes:
            out |= fails[:, at]
    measured = np.array([True, *(mask is not None for mask in masks)])
    return Verdicts(fails, out, measured, undefined, left_out)


def takes_out(rules: Sequence[Rule]) -> list[bool]:
    """Returns for ``empty`` and each rule whether it takes documents out, rather than only flagging them."""
    return [True, *(rule.action == "quarantine" for rule in rules)]


def names_of(rules: Sequence[Rule]) -> list[str]:
    """Returns the reasons in the order of the columns of ``Verdicts``."""
    return [EMPTY, *(rule.id for rule in rules)]


def _forgive(fails: Flags, rules: Sequence[Rule], table: pa.Table, restored: Sequence[Restored]) -> None:
    names = names_of(rules)
    for each in restored:
        if each.rule not in names:
            continue
        at = names.index(each.rule)
        if each.doc_id is None:
            fails[:, at] = False
        else:
            fails[table.column("doc_id").to_numpy() == each.doc_id, at] = False
