"""Counts what the rules remove, as mergeable integers, and makes the funnel of them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dataaudit.config.schema import Rule
from dataaudit.filter_result import Amount, Funnel, Group, Overlap, RuleRemoval
from dataaudit.pipeline.verdicts import Verdicts, names_of, takes_out
from dataaudit.rules import limits_of

ALARM_SHARE = 0.5
MOST_OVERLAPS = 20
LANGUAGES = ("cjk", "unspaced", "latin", "other")
LENGTHS = (0, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
Ints = NDArray[np.int64]
Sums = list[int]
"""Documents, tokens, bytes."""


class Counts(msgspec.Struct):
    """What the rules say of some documents; two of them add up.

    Attributes:
        patterns: sums by the set of rules that fail, as their numbers joined by commas ("" for none).
        sources, languages, lengths: sums of all documents, then of those taken out, by group.
        undefined, not_applicable: documents by rule.
        measured: by rule.
        has_tokens: whether tokens were counted.
    """

    patterns: dict[str, Sums] = {}
    sources: dict[str, Sums] = {}
    languages: dict[str, Sums] = {}
    lengths: dict[str, Sums] = {}
    undefined: list[int] = []
    not_applicable: list[int] = []
    measured: list[bool] = []
    has_tokens: bool = False

    def add(self, table: pa.Table, verdicts: Verdicts) -> None:
        """Adds the documents of a table."""
        self.has_tokens |= "token_count" in table.column_names
        amounts = [np.ones(table.num_rows, np.int64), _ints(table, "token_count"), _ints(table, "byte_count")]
        _add_patterns(self.patterns, verdicts.fails, amounts)
        codes = table.column("source").combine_chunks().dictionary_encode()
        names = [name or "" for name in codes.dictionary.to_pylist()]
        _add_groups(self.sources, codes.indices.to_numpy(), names, amounts, verdicts.out)
        _add_groups(self.languages, _languages(table), LANGUAGES, amounts, verdicts.out)
        bins = np.searchsorted(LENGTHS, _ints(table, "char_count"), "right") - 1
        _add_groups(self.lengths, bins, [str(start) for start in LENGTHS], amounts, verdicts.out)
        others = Counts(
            undefined=verdicts.undefined.tolist(),
            not_applicable=verdicts.not_applicable.tolist(),
            measured=verdicts.measured.tolist(),
        )
        self.merge(others)

    def merge(self, other: "Counts") -> None:
        """Adds another count of the same rules."""
        for mine, its in (
            (self.patterns, other.patterns),
            (self.sources, other.sources),
            (self.languages, other.languages),
            (self.lengths, other.lengths),
        ):
            for name, sums in its.items():
                before = mine.get(name)
                mine[name] = list(sums) if before is None else [a + b for a, b in zip(before, sums, strict=True)]
        self.undefined = _summed(self.undefined, other.undefined)
        self.not_applicable = _summed(self.not_applicable, other.not_applicable)
        self.measured = [count > 0 for count in _summed(self.measured, other.measured)]
        self.has_tokens |= other.has_tokens


def _summed(mine: Sequence[int], its: Sequence[int]) -> list[int]:
    if not mine or not its:
        return list(mine or its)
    return [a + b for a, b in zip(mine, its, strict=True)]


def _ints(table: pa.Table, name: str) -> Ints:
    if name not in table.column_names:
        return np.zeros(table.num_rows, np.int64)
    return np.asarray(table.column(name).fill_null(0).to_numpy(), np.int64)


def _sums(codes: NDArray[np.integer], count: int, amounts: Iterable[Ints]) -> list[Ints]:
    """Returns the sums of amounts by code; they are exact below 2^53."""
    return [np.bincount(codes, each, count).astype(np.int64) for each in amounts]


def _add_patterns(patterns: dict[str, Sums], fails: NDArray[np.bool_], amounts: list[Ints]) -> None:
    some = fails.any(axis=1)
    none = [int(each[~some].sum()) for each in amounts]
    found = {"": none} if none[0] else {}
    if some.any():
        packed = np.packbits(fails[some], axis=1)
        wide = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), np.uint8)
        wide[:, : packed.shape[1]] = packed
        keys = wide.view(np.uint64)[:, 0] if wide.shape[1] == 8 else wide.view(f"V{wide.shape[1]}")[:, 0]
        _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
        sums = _sums(codes, len(first), [each[some] for each in amounts])
        failing = fails[some][first]
        for at in range(len(first)):
            found[",".join(map(str, np.flatnonzero(failing[at])))] = [int(each[at]) for each in sums]
    for name, each in found.items():
        before = patterns.get(name, [0, 0, 0])
        patterns[name] = [a + b for a, b in zip(before, each, strict=True)]


def _add_groups(
    groups: dict[str, Sums],
    codes: NDArray[np.integer],
    names: Sequence[str],
    amounts: list[Ints],
    out: NDArray[np.bool_],
) -> None:
    everything = _sums(codes, len(names), amounts)
    removed = _sums(codes[out], len(names), [each[out] for each in amounts])
    for at, name in enumerate(names):
        if everything[0][at]:
            before = groups.get(name, [0] * 6)
            now = [int(each[at]) for each in (*everything, *removed)]
            groups[name] = [a + b for a, b in zip(before, now, strict=True)]


def _languages(table: pa.Table) -> Ints:
    """Returns the kind of language of each document, as an index of LANGUAGES, by its characters alone."""

    def share(name: str) -> NDArray[np.float64]:
        if name not in table.column_names:
            return np.zeros(table.num_rows)
        return np.asarray(pc.fill_null(table.column(name), 0.0).to_numpy())

    is_latin = (_ints(table, "byte_count") * 5 <= _ints(table, "char_count") * 6) & (share("alpha_char_ratio") >= 0.4)
    kinds = np.where(is_latin, 2, 3)
    kinds[share("unspaced_char_ratio") >= 0.3] = 1
    kinds[share("cjk_char_ratio") >= 0.3] = 0
    return kinds


@dataclass
class _Tally:
    rules: int
    removed: list[list[int]] = field(init=False)
    alone: list[list[int]] = field(init=False)
    first: list[list[int]] = field(init=False)
    pairs: Counter[tuple[int, int]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.removed, self.alone, self.first = ([[0, 0, 0] for _ in range(self.rules)] for _ in range(3))


def funnel_of(rules: Sequence[Rule], counts: Counts) -> Funnel:
    """Returns the funnel of the documents that were counted."""
    names, takes = names_of(rules), takes_out(rules)
    tally = _Tally(len(names))
    total, gone = [0, 0, 0], [0, 0, 0]
    for pattern, sums in counts.patterns.items():
        failing = [int(each) for each in pattern.split(",") if each]
        taking = [at for at in failing if takes[at]]
        _add(total, sums)
        for at in failing:
            _add(tally.removed[at], sums)
            if not [other for other in taking if other != at]:
                _add(tally.alone[at], sums)
        tally.pairs.update(dict.fromkeys(combinations(taking, 2), sums[0]))
        if taking:
            _add(gone, sums)
            _add(tally.first[taking[0]], sums)

    def amount(sums: Sequence[int]) -> Amount:
        return Amount(sums[0], sums[1] if counts.has_tokens else None, sums[2])

    removals, left = [], total
    for at, (name, rule) in enumerate(zip(names, [None, *rules], strict=True)):
        left = [a - b for a, b in zip(left, tally.first[at], strict=True)]
        low, high = limits_of(rule) if rule else (None, None)
        removals.append(
            RuleRemoval(
                id=name,
                signal=rule.signal if rule else "char_count",
                min=low,
                max=high,
                action=rule.action if rule else "quarantine",
                status="judged" if at < len(counts.measured) and counts.measured[at] else "not measured",
                removed=amount(tally.removed[at]),
                alone=amount(tally.alone[at]),
                left=amount(left),
                undefined=counts.undefined[at] if counts.undefined else 0,
                not_applicable=counts.not_applicable[at] if counts.not_applicable else 0,
            )
        )
    pairs = sorted(tally.pairs.items(), key=lambda item: (-item[1], item[0]))[:MOST_OVERLAPS]

    def groups(found: dict[str, Sums], order: Sequence[str]) -> list[Group]:
        return [Group(name, amount(found[name][:3]), amount(found[name][3:])) for name in order if name in found]

    sources = groups(counts.sources, sorted(counts.sources, key=lambda name: (-counts.sources[name][2], name)))
    lengths = groups(counts.lengths, [str(start) for start in LENGTHS])
    return Funnel(
        all=amount(total),
        kept=amount([a - b for a, b in zip(total, gone, strict=True)]),
        removed=amount(gone),
        rules=removals,
        overlaps=[Overlap(names[a], names[b], documents) for (a, b), documents in pairs],
        matched_nothing=[each.id for each in removals if each.status == "judged" and not each.removed.documents],
        sources=sources,
        languages=groups(counts.languages, LANGUAGES),
        lengths=[msgspec.structs.replace(each, name=f"from {int(each.name):,}") for each in lengths],
        alarms=[each.name for each in sources if each.removed.documents > ALARM_SHARE * each.all.documents],
    )


def _add(sums: list[int], more: Sequence[int]) -> None:
    for at, each in enumerate(more):
        sums[at] += each
