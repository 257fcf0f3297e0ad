"""Looks at the documents around the limits of rules: counts at other limits, examples, overlap. Reads no corpus."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.closeup import Curve, Excerpt, Kind, Overlap, RuleCloseup
from dataaudit.config.schema import Rule
from dataaudit.pipeline.limit_grid import Tally, limits_around
from dataaudit.result import SignalSummary
from dataaudit.rules import EMPTY, at_step, empty_documents, evaluate, limits_of
from dataaudit.rules.evaluate import Mask, column

IDENTITY = ("doc_id", "id", "file", "record", "source")
KINDS: tuple[Kind, ...] = ("borderline dropped", "borderline kept", "extreme", "random")
LISTED_RULES = 24
SEED = np.uint64(0x9E3779B97F4A7C15)

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


def shuffled(doc_ids: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Returns a number a document that puts them in an order without meaning, the same in every run (SplitMix64)."""
    mixed = doc_ids.astype(np.uint64) + SEED
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


class _Nearest:
    """The documents of one kind with the smallest keys."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.found: list[tuple[float, int, dict[str, Any]]] = []

    def add(
        self, rows: NDArray[np.intp], keys: Floats, order: NDArray[np.uint64], table: pa.Table, value: Floats
    ) -> None:
        """Adds documents of a table; *keys* and *value* are by row of *rows*."""
        if not len(rows) or not self.size:
            return
        if len(rows) > self.size:
            near = keys <= np.partition(keys, self.size - 1)[self.size - 1]
            rows, keys, value = rows[near], keys[near], value[near]
        best = np.lexsort((order[rows], keys))[: self.size]
        for place in best.tolist():
            row = int(rows[place])
            identity = {name: table.column(name)[row].as_py() for name in IDENTITY}
            identity["value"] = None if np.isnan(value[place]) else float(value[place])
            self.found.append((float(keys[place]), int(order[row]), identity))
        self.found = sorted(self.found, key=lambda entry: entry[:2])[: self.size]


def _limits(rule: Rule) -> list[tuple[Literal["min", "max"], float]]:
    low, high = limits_of(rule)
    found: list[tuple[Literal["min", "max"], float]] = []
    if low is not None:
        found.append(("min", low))
    if high is not None:
        found.append(("max", high))
    return found


class RuleEdge:
    """One rule, shard by shard."""

    def __init__(self, rule: Rule, summary: SignalSummary | None, *, is_integer: bool, each: int) -> None:
        self.rule = rule
        self.low, self.high = limits_of(rule)
        self._tallies = [
            Tally(side, limits_around(limit, rule.signal, summary, is_integer=is_integer))
            for side, limit in _limits(rule)
            if summary is not None and summary.hist
        ]
        self._kinds = {kind: _Nearest(each) for kind in KINDS}
        self._fixed = {"min": [0, 0], "max": [0, 0]}

    def add(
        self, table: pa.Table, mask: Mask, empty: Flags, weight: NDArray[np.int64], order: NDArray[np.uint64]
    ) -> None:
        """Adds the documents of a table."""
        values, null = column(table, self.rule.signal)
        concerned = ~empty & ~mask.not_applicable & ~null
        for tally in self._tallies:
            other = np.zeros(len(values), np.bool_)
            if tally.side == "max" and self.low is not None:
                other = concerned & (values < self.low)
            if tally.side == "min" and self.high is not None:
                other = concerned & (values > self.high)
            gone = other | (mask.fails & null)
            self._fixed[tally.side][0] += int(gone.sum())
            self._fixed[tally.side][1] += int(weight[gone].sum())
            counted = concerned & ~other
            tally.add(values[counted], weight[counted])
        self._add_examples(table, mask, concerned, np.where(null, np.nan, values), order)

    def _add_examples(
        self, table: pa.Table, mask: Mask, concerned: Flags, values: Floats, order: NDArray[np.uint64]
    ) -> None:
        out = np.flatnonzero(mask.fails)
        self._kinds["random"].add(out, np.zeros(len(out)), order, table, values[out])
        if not self._tallies:
            return
        distance = np.full(len(values), np.inf)
        for limit in (self.low, self.high):
            if limit is not None:
                distance = np.fmin(distance, np.abs(values - limit))
        dropped, kept = np.flatnonzero(mask.fails & concerned), np.flatnonzero(concerned & ~mask.fails)
        for kind, rows, keys in (
            ("borderline dropped", dropped, distance[dropped]),
            ("borderline kept", kept, distance[kept]),
            ("extreme", dropped, -distance[dropped]),
        ):
            self._kinds[kind].add(rows, keys, order, table, values[rows])  # type: ignore[index]

    def curves(self) -> list[Curve]:
        """Returns what the rule would remove at other limits."""
        return [tally.curve(*self._fixed[tally.side]) for tally in self._tallies]

    def examples(self) -> list[Excerpt]:
        """Returns the documents of every kind; each document once."""
        found: dict[int, Excerpt] = {}
        for kind in KINDS:
            for _, _, identity in self._kinds[kind].found:
                found.setdefault(identity["doc_id"], Excerpt(kind=kind, **identity))
        return list(found.values())


class RuleEdges:
    """All rules of a config, shard by shard.

    Args:
        rules: of the config.
        summaries: histograms of the signals.
        integers: names of the signals that are whole numbers.
        weight: the column of tokens (or characters).
        examples: documents that a rule lists at most.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        summaries: Mapping[str, SignalSummary],
        integers: set[str],
        weight: str,
        examples: int,
    ) -> None:
        self.rules = at_step(rules, None)
        self._weight = weight
        each = -(-examples // len(KINDS))
        self._edges = [
            RuleEdge(rule, summaries.get(rule.signal), is_integer=rule.signal in integers, each=each)
            for rule in self.rules
        ]
        self._empty = _Nearest(each)
        self._together = np.zeros((len(rules) + 1, len(rules) + 1), np.int64)
        self._left = np.zeros((len(rules) + 1, 2), np.int64)
        self._bins = {
            name: (np.array(summary.bin_edges), [(np.iinfo(np.uint64).max, -1)] * len(summary.hist))
            for name, summary in summaries.items()
            if name in {rule.signal for rule in self.rules} and summary.hist
        }

    def columns(self) -> set[str]:
        """Returns the columns of the signal tables that are needed."""
        wanted = {*IDENTITY, self._weight, "whitespace_char_ratio", "token_count"}
        for rule in self.rules:
            wanted |= {rule.signal, *(condition.signal for condition in rule.applies_when)}
        return wanted

    def add(self, table: pa.Table) -> None:
        """Adds the documents of a table of signals."""
        weight = table.column(self._weight).fill_null(0).to_numpy()
        order = shuffled(table.column("doc_id").to_numpy())
        empty = empty_documents(table)
        masks = evaluate(self.rules, table)
        rows = np.flatnonzero(empty)
        self._empty.add(rows, np.zeros(len(rows)), order, table, np.full(len(rows), np.nan))
        fails = np.zeros((table.num_rows, len(masks) + 1), np.float32)
        fails[:, 0] = empty
        for place, (edge, mask) in enumerate(zip(self._edges, masks, strict=True), 1):
            if mask is not None:
                edge.add(table, mask, empty, weight, order)
                fails[:, place] = mask.fails
        self._together += (fails.T @ fails).astype(np.int64)
        self._add_left(fails, weight)
        self._add_bins(table, order)

    def _add_left(self, fails: NDArray[np.float32], weight: NDArray[np.int64]) -> None:
        alive = np.ones(len(fails), np.bool_)
        for place in range(fails.shape[1]):
            if place == 0 or self.rules[place - 1].action == "quarantine":
                alive &= fails[:, place] == 0
            self._left[place] += int(alive.sum()), int(weight[alive].sum())

    def _add_bins(self, table: pa.Table, order: NDArray[np.uint64]) -> None:
        """Keeps for each bin the document that comes first in the order without meaning."""
        by_order = np.argsort(order)
        doc_ids = table.column("doc_id").to_numpy()
        for name, (edges, firsts) in self._bins.items():
            if name not in table.column_names:
                continue
            values, null = column(table, name)
            bins = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(firsts) - 1)
            bins[null] = -1
            for bin_, place in zip(*np.unique(bins[by_order], return_index=True), strict=True):
                row = by_order[place]
                if bin_ >= 0 and order[row] < firsts[bin_][0]:
                    firsts[bin_] = (order[row], int(doc_ids[row]))

    def bin_doc_ids(self) -> dict[str, list[int | None]]:
        """Returns for each signal with a rule a document of each bin."""
        return {
            name: [None if doc_id < 0 else doc_id for _, doc_id in firsts] for name, (_, firsts) in self._bins.items()
        }

    def closeups(self) -> list[RuleCloseup]:
        """Returns the rules at their edge, the built-in reason ``empty`` first."""
        empty = [Excerpt(kind="random", **identity) for _, _, identity in self._empty.found]
        found: list[tuple[str, list[Curve], list[Excerpt]]] = [(EMPTY, [], empty)]
        found += [(edge.rule.id, edge.curves(), edge.examples()) for edge in self._edges]
        return [
            RuleCloseup(
                id=name, curves=curves, documents_left=int(left[0]), tokens_left=int(left[1]), examples=examples
            )
            for (name, curves, examples), left in zip(found, self._left, strict=True)
        ]

    def overlap(self) -> Overlap:
        """Returns which rules remove the same documents."""
        names = [EMPTY, *(rule.id for rule in self.rules)]
        sizes = np.diagonal(self._together)
        chosen = [int(place) for place in np.argsort(-sizes, kind="stable") if sizes[place]][:LISTED_RULES]
        return Overlap(
            rules=[names[place] for place in chosen], documents=self._together[np.ix_(chosen, chosen)].tolist()
        )
