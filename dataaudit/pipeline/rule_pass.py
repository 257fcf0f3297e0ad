"""Applies the rules to the stored signals and counts what each would remove. Reads no corpus."""

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from dataaudit.checks.evidence import EXAMPLES, WORST, Found
from dataaudit.config.schema import Rule
from dataaudit.pipeline.signal_tables import signal_tables
from dataaudit.pipeline.store import RunFolder
from dataaudit.result import Example, Part, RuleOutcome
from dataaudit.rules import EMPTY, at_step, empty_documents, evaluate, limits_of
from dataaudit.rules.evaluate import Mask
from dataaudit.signals import all_signals

IDENTITY = ("doc_id", "id", "file", "record", "source")


@dataclass
class _Counts:
    documents: int = 0
    tokens: int = 0
    documents_alone: int = 0
    tokens_alone: int = 0
    undefined: int = 0
    not_applicable: int = 0
    measured: bool = False


@dataclass
class _Family:
    """Documents over at least one limit of a family of signals."""

    documents: int = 0
    tokens: int = 0
    by_shard: Counter[int] = field(default_factory=Counter)
    by_source: Counter[str] = field(default_factory=Counter)
    examples: list[tuple[int, int, Example]] = field(default_factory=list)


class RulePass:
    """Counts, shard by shard, what the rules say; the counts do not depend on the order."""

    def __init__(self, rules: Sequence[Rule], weight: str) -> None:
        self.rules = at_step(rules, None)
        self.weight = weight
        self.families = [_family(rule) for rule in rules]
        self._counts = [_Counts() for _ in rules]
        self._empty = _Counts(measured=True)
        self._by_family = {name: _Family() for name in self.families}
        self._of_shard: Counter[int] = Counter()
        self._of_source: Counter[str] = Counter()
        self._tokens = 0

    def add(self, run: RunFolder, shard: int) -> None:
        """Adds one shard of a run."""
        for table in signal_tables(run, shard, self._columns()):
            weight = table.column(self.weight).fill_null(0).to_numpy()
            masks = evaluate(self.rules, table)
            empty = empty_documents(table)
            sources = table.column("source").to_numpy(zero_copy_only=False)
            self._of_shard[shard] += table.num_rows
            self._of_source.update(sources.tolist())
            self._tokens += int(weight.sum())
            self._add_rules(masks, empty, weight)
            self._add_families(masks, table, shard, weight, sources)

    def _columns(self) -> set[str]:
        wanted = {*IDENTITY, self.weight, "whitespace_char_ratio", "token_count"}
        for rule in self.rules:
            wanted |= {rule.signal, *(condition.signal for condition in rule.applies_when)}
        return wanted

    def _add_rules(self, masks: list[Mask | None], empty: np.ndarray, weight: np.ndarray) -> None:
        failed = empty.astype(np.int64)
        for mask in masks:
            if mask is not None:
                failed += mask.fails
        self._count(self._empty, empty, failed, weight)
        for counts, mask in zip(self._counts, masks, strict=True):
            if mask is None:
                continue
            counts.measured = True
            counts.undefined += int(mask.undefined.sum())
            counts.not_applicable += int(mask.not_applicable.sum())
            self._count(counts, mask.fails, failed, weight)

    @staticmethod
    def _count(counts: _Counts, fails: np.ndarray, failed: np.ndarray, weight: np.ndarray) -> None:
        alone = fails & (failed == 1)
        counts.documents += int(fails.sum())
        counts.tokens += int(weight[fails].sum())
        counts.documents_alone += int(alone.sum())
        counts.tokens_alone += int(weight[alone].sum())

    def _add_families(
        self, masks: list[Mask | None], table: pa.Table, shard: int, weight: np.ndarray, sources: np.ndarray
    ) -> None:
        for name, family in self._by_family.items():
            over = np.zeros(table.num_rows, np.int64)
            for mask, of in zip(masks, self.families, strict=True):
                if mask is not None and of == name:
                    over += mask.fails
            hit = np.flatnonzero(over)
            family.documents += len(hit)
            family.tokens += int(weight[hit].sum())
            family.by_shard[shard] += len(hit)
            family.by_source.update(sources[hit].tolist())
            best = hit[np.argsort(-over[hit], kind="stable")[:EXAMPLES]]
            for row in best.tolist():
                identity = {key: table.column(key)[row].as_py() for key in IDENTITY}
                example = Example(**identity, value=float(over[row]))
                entry = (int(over[row]), -example.doc_id, example)
                if len(family.examples) < EXAMPLES:
                    heapq.heappush(family.examples, entry)
                else:
                    heapq.heappushpop(family.examples, entry)

    def outcomes(self) -> list[RuleOutcome]:
        """Returns what each rule would remove, the built-in reason ``empty`` first."""
        builtin = _outcome(EMPTY, "char_count", 1.0, None, "quarantine", "length", self._empty)
        return [builtin] + [
            _outcome(rule.id, rule.signal, *limits_of(rule), rule.action, family, counts)
            for rule, family, counts in zip(self.rules, self.families, self._counts, strict=True)
        ]

    def found(self) -> dict[str, Found]:
        """Returns the documents over at least one limit, by family of signals."""
        return {name: self._found(family) for name, family in self._by_family.items()}

    def _found(self, family: _Family) -> Found:
        return Found(
            family.documents,
            family.tokens,
            sum(self._of_shard.values()),
            self._tokens,
            _worst(
                {f"shard {key}": count for key, count in family.by_shard.items()},
                {f"shard {key}": count for key, count in self._of_shard.items()},
            ),
            _worst(family.by_source, self._of_source),
            [entry[2] for entry in sorted(family.examples, key=lambda entry: (-entry[0], -entry[1]))],
        )


def _outcome(
    id_: str, signal: str, low: float | None, high: float | None, action: str, family: str, counts: _Counts
) -> RuleOutcome:
    return RuleOutcome(
        id=id_,
        signal=signal,
        min=low,
        max=high,
        action=action,
        family=family,
        status="judged" if counts.measured else "not measured",
        documents=counts.documents,
        tokens=counts.tokens,
        documents_alone=counts.documents_alone,
        tokens_alone=counts.tokens_alone,
        undefined=counts.undefined,
        not_applicable=counts.not_applicable,
    )


def _worst(hits: dict[str, int], of: dict[str, int]) -> list[Part]:
    parts = [
        Part(name=name, documents=count, of_documents=of[name], share=count / of[name])
        for name, count in hits.items()
        if count
    ]
    return sorted(parts, key=lambda part: (-(part.share or 0.0), part.name))[:WORST]


def _family(rule: Rule) -> str:
    known = all_signals().get(rule.signal)
    return known.family if known is not None else "number columns"
