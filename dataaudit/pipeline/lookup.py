"""Finds documents of a run again: their place and signals in the run folder, their text in the corpus."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl

from dataaudit.errors import RunError, UsageError, suggestion
from dataaudit.pipeline.document_texts import texts_of
from dataaudit.pipeline.plan import ROW_BITS, Plan, load_plan
from dataaudit.pipeline.signal_tables import IDENTITY, side_tables, signal_tables
from dataaudit.pipeline.store import RunFolder
from dataaudit.result import AuditResult, from_json
from dataaudit.rules import EMPTY, empty_documents, evaluate


@dataclass(frozen=True, slots=True)
class Shown:
    """A document, or a record that gave none.

    Attributes:
        identity: doc_id, id, source, file, record, offset.
        signals: its signals by name; empty for a record that gave no document.
        text: its text, or None when the corpus came as token ids or the record gave no document.
        reason: why the record gave no document, or None.
    """

    identity: dict[str, Any]
    signals: dict[str, float | int | None]
    text: str | None
    reason: str | None = None


def load_result(path: Path) -> AuditResult:
    """Reads ``report.json`` of a run.

    Raises:
        RunError: there is none, or it is of another version.
    """
    try:
        return from_json((path / "report.json").read_bytes())
    except OSError as error:
        raise RunError(f"{path} has no report.json. Run: dataaudit audit INPUT -o {path}") from error
    except msgspec.DecodeError as error:
        raise RunError(f"{path}/report.json cannot be read: {error}. Make it again: dataaudit check {path}") from error


def documents_of_check(path: Path, check: str, count: int) -> list[int]:
    """Returns the doc_ids of a finding's examples, most extreme first; at most 10 are kept in the report."""
    findings = {finding.id: finding for finding in load_result(path).findings}
    if check not in findings:
        raise UsageError(f"the run has no check {check!r}.{suggestion(check, findings)} It has: {', '.join(findings)}.")
    return [example.doc_id for example in findings[check].examples[:count]]


def documents_of_rule(path: Path, rule: str, count: int) -> list[int]:
    """Returns the doc_ids of the first documents that fail a rule of the run's config."""
    result = load_result(path)
    rules = msgspec.convert(result.method.config["rules"], tuple[Any, ...])
    chosen = _rules_named(rule, rules)
    run = RunFolder(path)
    found: list[int] = []
    for shard in range(result.corpus.shards):
        for table in signal_tables(run, shard, None):
            if rule == EMPTY:
                fails = empty_documents(table)
            else:
                mask = evaluate(chosen, table)[0]
                fails = np.zeros(table.num_rows, np.bool_) if mask is None else mask.fails
            found += table.column("doc_id").to_numpy()[fails].tolist()
            if len(found) >= count:
                return found[:count]
    return found


def _rules_named(name: str, rules: tuple[Any, ...]) -> list[Any]:
    from dataaudit.config.schema import Rule

    known = [EMPTY, *(rule["id"] for rule in rules)]
    if name not in known:
        raise UsageError(f"the run has no rule {name!r}.{suggestion(name, known)} It has: {', '.join(known)}.")
    return [msgspec.convert(rule, Rule) for rule in rules if rule["id"] == name]


def look_up(path: Path, doc_ids: list[int]) -> list[Shown]:
    """Returns documents by doc_id, in the order asked for.

    Raises:
        UsageError: the run has no such document.
        RunError: the run folder is damaged.
    """
    run = RunFolder(path)
    try:
        plan = load_plan(path)
    except (OSError, msgspec.DecodeError) as error:
        raise RunError(f"{path} is not a run folder: plan.json cannot be read ({error}).") from error
    return [_look_up(run, plan, doc_id) for doc_id in doc_ids]


def _look_up(run: RunFolder, plan: Plan, doc_id: int) -> Shown:
    shard = doc_id >> ROW_BITS
    if not 0 <= shard < len(plan.shards):
        raise UsageError(f"{run.path} has no document {doc_id}. Take a doc_id from the report or from signals/.")
    marker = run.any_marker(f"map-{shard:05d}")
    if marker is None:
        raise RunError(
            f"{run.path}: the marker of shard {shard} is missing or damaged, so its documents cannot be found. "
            "Run the same dataaudit audit command again."
        )
    row = _row(run, shard, doc_id)
    if row is None:
        return _lost(run, shard, doc_id)
    identity = {name: row.pop(name) for name in IDENTITY}
    identity.pop("repaired")
    text = next((text for _, text in texts_of(run, plan, [doc_id])), None)
    return Shown(identity, row, text)


def _row(run: RunFolder, shard: int, doc_id: int) -> dict[str, Any] | None:
    path = run.part("signals", shard, "parquet")
    if not path.exists():
        return None
    wanted = pl.col("doc_id") == doc_id
    row = pl.scan_parquet(path).filter(wanted).collect()
    if not len(row):
        return None
    found = row.row(0, named=True)
    for side in side_tables(run, shard):
        found |= pl.scan_parquet(side).filter(wanted).drop("doc_id").collect().row(0, named=True)
    return found


def _lost(run: RunFolder, shard: int, doc_id: int) -> Shown:
    """Returns a record of the ledger."""
    with run.part("ledger", shard, "jsonl").open("rb") as ledger:
        for line in ledger:
            entry = msgspec.json.decode(line)
            if entry["doc_id"] == doc_id:
                identity = {name: entry.get(name) for name in IDENTITY if name != "repaired"}
                return Shown(identity, {}, None, f"{entry['kind']}: {entry['reason']}")
    raise UsageError(f"{run.path} has no document {doc_id}. Take a doc_id from the report or from signals/.")
