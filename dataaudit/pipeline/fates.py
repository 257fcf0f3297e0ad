"""What becomes of each record of a shard: from its stored signals, the rules and the ledger."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.pipeline.filter_plan import FilterPlan
from dataaudit.pipeline.funnel import Counts
from dataaudit.pipeline.plan import ROW_BITS
from dataaudit.pipeline.signal_tables import signal_tables
from dataaudit.pipeline.store import RunFolder
from dataaudit.pipeline.verdicts import columns_of, verdicts_of
from dataaudit.rules import WITHOUT_TEXT, admission, reasons
from dataaudit.rules.reasons import REASON as RULE_REASON

UNREADABLE = "unreadable"
COPIES = ("exact_duplicate_of", "near_duplicate_of")
DUPLICATES = (*COPIES, "near_duplicate_jaccard", "duplicate_count")
"""Signals whose reason names the document that was kept instead."""
SPAN = pa.struct([pa.field("start", pa.int64()), pa.field("stop", pa.int64())])
REASON = pa.struct([*RULE_REASON, pa.field("message", pa.string()), pa.field("span", SPAN)])
"""A reason as quarantine holds it: that of the rules; in words; and where in the text, in characters, the rule found
what it counts."""


class Fate(IntEnum):
    """Where a record goes."""

    UNKNOWN = 0
    CLEAN = 1
    QUARANTINE = 2
    WITHOUT_TEXT = 3
    UNREADABLE = 4


@dataclass(frozen=True, slots=True)
class Fates:
    """What becomes of the records of a shard, by row.

    Attributes:
        fate: int8[records] of ``Fate``.
        doc_ids: uint64, of the documents that are quarantined, ascending.
        reasons: a list of reasons for each of *doc_ids*.
        copies: the document that each of *doc_ids* is a copy of, exact or near; -1 for none.
        faults: reason of the reader by row, for records that gave no document.
        counts: what the rules say of the shard.
        tokens: int64[records], the token ids of each document, 0 where they are not known.
        admitted: for a curriculum, int64[2, records], the first and the last step of each; -1 for null.
    """

    fate: NDArray[np.int8]
    doc_ids: NDArray[np.uint64]
    reasons: pa.ChunkedArray
    copies: NDArray[np.int64]
    faults: dict[int, dict[str, Any]]
    counts: Counts
    tokens: NDArray[np.int64]
    admitted: NDArray[np.int64] | None

    def reasons_of(self, doc_id: int) -> list[dict[str, Any]]:
        """Returns the reasons of a quarantined document, as the rules give them."""
        at = int(np.searchsorted(self.doc_ids, np.uint64(doc_id)))
        found: list[dict[str, Any]] = self.reasons[at].as_py()
        copy_of = int(self.copies[at])
        return [{**reason, "message": _message(reason, copy_of), "span": None} for reason in found]


def _message(reason: dict[str, Any], copy_of: int) -> str:
    """Returns a reason in words; for duplicates it names the document that was kept instead."""
    signal, value, low, high = (reason[name] for name in ("signal", "value", "min", "max"))
    if signal is None:
        return "empty, or white space alone"
    if copy_of >= 0 and signal in DUPLICATES:
        return f"{'a copy of' if signal == 'exact_duplicate_of' else 'nearly the same as'} document {copy_of}"
    if value is None:
        return f"{signal} is undefined for this document"
    if low is not None and value < low:
        return f"{signal} is {value:.6g}, below {low:.6g}"
    if high is not None and value > high:
        return f"{signal} is {value:.6g}, above {high:.6g}"
    return f"{signal} is {value:.6g}, none of the values that are kept"


def fates_of(run: RunFolder, plan: FilterPlan, shard: int, records: int) -> Fates:
    """Returns what becomes of each of the *records* of a shard."""
    fate = np.zeros(records, np.int8)
    admitted = np.full((2, records), -1, np.int64) if plan.moving else None
    tokens = np.zeros(records, np.int64)
    wanted = columns_of(plan.rules) | {*COPIES, "token_count"}
    counts = Counts()
    doc_ids: list[NDArray[np.uint64]] = []
    chunks: list[pa.Array] = []
    copies: list[NDArray[np.int64]] = []
    for table in signal_tables(run, shard, wanted):
        verdicts = verdicts_of(plan.rules, table, plan.restored)
        counts.add(table, verdicts)
        ids = table.column("doc_id").to_numpy()
        rows = (ids & np.uint64((1 << ROW_BITS) - 1)).astype(np.int64)
        fate[rows] = np.where(verdicts.out, Fate.QUARANTINE, Fate.CLEAN)
        if "token_count" in table.column_names:
            tokens[rows] = table.column("token_count").fill_null(0).to_numpy()
        if admitted is not None:
            for at, steps in enumerate(admission(plan.moving, table)):
                admitted[at, rows] = steps.fill_null(-1).to_numpy()
        if verdicts.out.any():
            doc_ids.append(ids[verdicts.out])
            gone = table.filter(pa.array(verdicts.out))
            chunks.append(reasons(plan.rules, gone))
            copies.append(_copies(gone))
    faults = _faults(run, shard)
    for row, fault in faults.items():
        fate[row] = Fate.UNREADABLE if fault["kind"] == UNREADABLE else Fate.WITHOUT_TEXT
    nothing = pa.array([], pa.list_(pa.struct([])))
    return Fates(
        fate,
        np.concatenate(doc_ids) if doc_ids else np.zeros(0, np.uint64),
        pa.chunked_array(chunks) if chunks else pa.chunked_array([nothing]),
        np.concatenate(copies) if copies else np.zeros(0, np.int64),
        faults,
        counts,
        tokens,
        admitted,
    )


def _copies(table: pa.Table) -> NDArray[np.int64]:
    found = np.full(table.num_rows, -1, np.int64)
    for name in COPIES:
        if name in table.column_names:
            values = table.column(name).cast(pa.int64()).fill_null(-1).to_numpy()
            found = np.where(found < 0, values, found)
    return found


def _faults(run: RunFolder, shard: int) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    with run.part("ledger", shard, "jsonl").open("rb") as ledger:
        for line in ledger:
            entry = msgspec.json.decode(line)
            found[entry["doc_id"] & ((1 << ROW_BITS) - 1)] = {
                name: entry[name] for name in ("kind", "record", "offset", "reason")
            }
    return found


def fault_reason(kind: str, message: str) -> dict[str, Any]:
    """Returns the reason of a record that gave no document."""
    rule = UNREADABLE if kind == UNREADABLE else WITHOUT_TEXT
    numbers = dict.fromkeys(("signal", "value", "min", "max", "margin"))
    return {"rule": rule, **numbers, "action": "quarantine", "message": message, "span": None}


def clean_ids(fates: Fates, doc_ids: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Returns which documents are kept."""
    rows = (doc_ids & np.uint64((1 << ROW_BITS) - 1)).astype(np.int64)
    return np.asarray(fates.fate[rows] == Fate.CLEAN)
