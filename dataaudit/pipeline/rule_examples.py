"""What each rule says of one document, and which documents show best what a rule does. Reads stored signals alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.config.schema import Rule
from dataaudit.errors import UsageError, suggestion
from dataaudit.pipeline.filter_plan import load_filter_plan
from dataaudit.pipeline.lookup import load_result
from dataaudit.pipeline.plan import ROW_BITS, load_plan
from dataaudit.pipeline.signal_tables import signal_tables
from dataaudit.pipeline.spans import Span, span_of
from dataaudit.pipeline.store import RunFolder
from dataaudit.pipeline.verdicts import ALWAYS
from dataaudit.rules import EMPTY, at_step, empty_documents, evaluate, limits_of

Says = Literal["fails", "keeps", "not applicable", "not measured"]
GROUPS = ("borderline, kept", "borderline, taken out", "extreme", "undefined", "random, taken out")


class Judged(NamedTuple):
    """A run, or the run behind a filter's output, with the rules that judge it."""

    run: Path
    rules: list[Rule]
    special_strings: tuple[str, ...]


class RuleVerdict(NamedTuple):
    """What a rule says of a document.

    Attributes:
        says: whether the document fails it.
        value: of the signal; None when undefined or not measured.
        margin: how far past the limit, above 0 when it fails; None without a value or a limit that is a number.
        span: where in the text, in characters; None for signals of the whole, and for rules that keep.
    """

    rule: str
    signal: str | None
    says: Says
    action: str
    value: float | None
    min: float | None
    max: float | None
    margin: float | None
    span: Span | None


def judged(path: Path) -> Judged:
    """Returns the rules of a run folder, or of a filter's output folder."""
    plan = load_filter_plan(path)
    if plan is not None:
        run, rules = Path(plan.run), list(plan.rules)
    else:
        run = path
        stored = load_result(path).method.config["rules"]
        rules = list(at_step(msgspec.convert(stored, tuple[Rule, ...]), None))
    return Judged(run, rules, load_plan(run).map.special_strings)


def verdicts_of_document(path: Path, doc_id: int, text: str | None) -> list[RuleVerdict]:
    """Returns what every rule says of a document; empty for a record that gave none."""
    about = judged(path)
    for table in signal_tables(RunFolder(about.run), doc_id >> ROW_BITS, None):
        row = table.filter(pa.array(table.column("doc_id").to_numpy() == doc_id))
        if row.num_rows:
            return list(_verdicts(about, row, text))
    return []


def _verdicts(about: Judged, row: pa.Table, text: str | None) -> list[RuleVerdict]:
    empty = bool(empty_documents(row)[0])
    found = [RuleVerdict(EMPTY, None, "fails" if empty else "keeps", "quarantine", None, None, None, None, None)]
    for rule, mask in zip(about.rules, evaluate(about.rules, row), strict=True):
        low, high = limits_of(rule)
        value = row.column(rule.signal)[0].as_py() if rule.signal in row.column_names else None
        fails = mask is not None and bool(mask.fails[0])
        says: Says = "fails" if fails else "keeps"
        if mask is None:
            says = "not measured"
        elif mask.not_applicable[0] or empty:
            says = "not applicable"
        span = span_of(rule.signal, text, about.special_strings) if fails and text is not None else None
        found.append(
            RuleVerdict(rule.id, rule.signal, says, rule.action, value, low, high, _margin(value, low, high), span)
        )
    return found


def _margin(value: float | None, low: float | None, high: float | None) -> float | None:
    if value is None:
        return None
    past = [low - value] if low is not None else []
    return max(past + ([value - high] if high is not None else []), default=None)


class Chosen(NamedTuple):
    """A document that shows what a rule does, and in which way."""

    group: str
    doc_id: int


def examples_of_rule(path: Path, name: str, count: int) -> list[Chosen]:
    """Returns up to *count* documents of each of GROUPS: nearest to the limit on both sides, furthest, and at random.

    Random is by a hash of the doc_id, so that it is the same every time.
    """
    about = judged(path)
    known = [EMPTY, *(rule.id for rule in about.rules)]
    if name not in known:
        raise UsageError(f"the run has no rule {name!r}.{suggestion(name, known)} It has: {', '.join(known)}.")
    rule = next((rule for rule in about.rules if rule.id == name), None)
    wanted = set(ALWAYS)
    if rule is not None:
        wanted |= {rule.signal, *(condition.signal for condition in rule.applies_when)}
    best = _Best(count)
    run = RunFolder(about.run)
    for shard in range(len(load_plan(about.run).shards)):
        for table in signal_tables(run, shard, wanted):
            _meet(best, rule, table)
    return [Chosen(group, doc_id) for group in GROUPS for doc_id in best.of(group)]


@dataclass
class _Best:
    """The documents with the lowest keys of each group; ties go to the lower doc_id."""

    count: int
    found: dict[str, list[tuple[float, int]]] = field(default_factory=dict)

    def add(self, group: str, keys: NDArray[Any], doc_ids: NDArray[np.uint64]) -> None:
        order = np.lexsort((doc_ids, keys))[: self.count]
        more = list(zip(keys[order].tolist(), doc_ids[order].tolist(), strict=True))
        self.found[group] = sorted(self.found.get(group, []) + more)[: self.count]

    def of(self, group: str) -> list[int]:
        return [doc_id for _, doc_id in self.found.get(group, [])]


def _meet(best: _Best, rule: Rule | None, table: pa.Table) -> None:
    doc_ids = table.column("doc_id").to_numpy()
    if rule is None:
        fails = empty_documents(table)
        best.add("random, taken out", scattered(doc_ids[fails]), doc_ids[fails])
        return
    mask = evaluate([rule], table)[0]
    if mask is None:
        return
    margins = _margins(rule, table)
    defined = ~np.isnan(margins)
    kept = defined & ~mask.fails & ~mask.not_applicable & ~empty_documents(table)
    out = defined & mask.fails
    best.add("borderline, kept", -margins[kept], doc_ids[kept])
    best.add("borderline, taken out", margins[out], doc_ids[out])
    best.add("extreme", -margins[out], doc_ids[out])
    best.add("undefined", scattered(doc_ids[mask.undefined & mask.fails]), doc_ids[mask.undefined & mask.fails])
    best.add("random, taken out", scattered(doc_ids[mask.fails]), doc_ids[mask.fails])


def _margins(rule: Rule, table: pa.Table) -> NDArray[np.float64]:
    """Returns how far values lie past the limits, below 0 where they are kept; NaN where undefined."""
    values = table.column(rule.signal).cast(pa.float64(), safe=False).to_numpy()
    low, high = limits_of(rule)
    if rule.one_of is not None:
        return np.asarray(np.min(np.abs(values[:, None] - np.array(rule.one_of)), axis=1))
    sides: Sequence[NDArray[np.float64]] = [
        *([low - values] if low is not None else []),
        *([values - high] if high is not None else []),
    ]
    return np.asarray(np.max(sides, axis=0))


def scattered(doc_ids: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Returns a hash of each doc_id (SplitMix64): an order that looks random and is always the same."""
    mixed = doc_ids + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
