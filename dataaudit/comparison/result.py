"""The result of a comparison: one value that every output of it is a rendering of.

Everywhere *old* and *new* are the two runs, and a difference is new − old.
"""

from typing import Any

import msgspec

from dataaudit.result import Status

COMPARISON_SCHEMA = 1


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two runs.

    Attributes:
        name: the run folder or report as it was named.
        dataaudit_version, config_name, config_digest, verdict: as in its report; the verdict is null for the output of
            a filter that was not audited.
        records, documents, tokens, characters: how much was read, or is clean.
    """

    name: str
    dataaudit_version: str
    config_name: str
    config_digest: str
    verdict: Status | None
    records: int
    documents: int
    tokens: int | None
    characters: int | None


class CheckChange(msgspec.Struct, frozen=True, kw_only=True):
    """A check that came out differently, or whose value moved.

    Attributes:
        id, group: the check.
        old_status, new_status: null where the run has no such check.
        old_value, new_value, unit: what was judged.
        levels_differ: whether the two runs judged by different levels, so that the status alone tells nothing.
        message: what the check says of the new run; of the old one when the new one has no such check.
    """

    id: str
    group: str
    old_status: Status | None
    new_status: Status | None
    old_value: float | None
    new_value: float | None
    unit: str | None
    levels_differ: bool
    message: str


class SignalChange(msgspec.Struct, frozen=True, kw_only=True):
    """How far the distribution of a signal moved; over documents for which it is defined.

    Attributes:
        name, unit: the signal.
        distance: Kolmogorov-Smirnov's D between the binned distributions: 0 to 1; null when a side is empty.
        q_value: of D, over all signals compared (Benjamini-Hochberg); null likewise.
        jensen_shannon: divergence with equal weights, in nats: 0 to ln 2; null likewise.
        noise_floor: what *jensen_shannon* is on average for two samples of these sizes from one distribution.
        old_undefined_share, new_undefined_share: documents for which the signal is undefined.
        has_moved: D ≥ 0.05, q < 0.05 and the divergence above its floor, or the undefined share moved by 0.05.
        definition: of the signal, as in the new report; empty when that has none.
        bin_edges: one more than there are bins; empty when the signal is defined for no document.
        old_hist, new_hist: documents in each bin.
    """

    name: str
    unit: str
    distance: float | None
    q_value: float | None
    jensen_shannon: float | None
    noise_floor: float | None
    old_undefined_share: float | None
    new_undefined_share: float | None
    has_moved: bool
    definition: str = ""
    bin_edges: list[float] = []
    old_hist: list[int] = []
    new_hist: list[int] = []


class SourceChange(msgspec.Struct, frozen=True, kw_only=True):
    """A source whose part of the mixture changed.

    Attributes:
        name: the source.
        old_documents, new_documents: 0 where the run has no such source.
        old_share, new_share: of tokens (of characters, or else of documents, where a run has no tokens).
    """

    name: str
    old_documents: int
    new_documents: int
    old_share: float
    new_share: float


class RuleChange(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that other documents fail than before.

    Attributes:
        id: the rule.
        old_documents, new_documents: what fails it; null where the run does not judge it.
        limits_differ: whether signal, min or max differ.
    """

    id: str
    old_documents: int | None
    new_documents: int | None
    limits_differ: bool


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A document of one of the runs."""

    doc_id: int
    id: str | None
    file: str
    record: int


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """A document with the same id and another text."""

    old: Place
    new: Place


class RuleShare(msgspec.Struct, frozen=True, kw_only=True):
    """Documents that a filter's rule takes out.

    Attributes:
        id: the rule, or ``empty``.
        documents: that fail it, whatever else they fail.
        alone: that fail no other rule that takes out.
    """

    id: str
    documents: int
    alone: int


class DocumentChanges(msgspec.Struct, frozen=True, kw_only=True):
    """Which documents the two runs share; texts are compared in normal form.

    Of a run and a filter of it, and of two filters of one run, the documents themselves are compared.

    ``old documents = unchanged + changed + removed`` and ``new documents = unchanged + changed + added``.

    Attributes:
        unchanged: documents with the same text in both, whatever their file and id; copies count one by one.
        changed: other documents with the same id on both sides.
        added, removed: the rest.
        changed_examples, added_examples, removed_examples: the first 10 each, in the order of the corpus.
        removed_by_rule: of the documents removed, those that each rule of the filter takes out whose output is the new
            side, most first; empty when it is none of the old run.
        added_by_rule: the same of the documents added, when the old side is the output of a filter.
    """

    unchanged: int
    changed: int
    added: int
    removed: int
    changed_examples: list[Changed]
    added_examples: list[Place]
    removed_examples: list[Place]
    removed_by_rule: list[RuleShare] = []
    added_by_rule: list[RuleShare] = []


class MethodChange(msgspec.Struct, frozen=True, kw_only=True):
    """A difference of how the runs were made: it may be why a number moved.

    Attributes:
        what: ``dataaudit``, ``config`` and its dotted key, ``tokenizer``, ``signal`` and its name.
        old, new: the values; null where there is none.
    """

    what: str
    old: Any
    new: Any


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that changed.

    Attributes:
        schema_version: COMPARISON_SCHEMA.
        old, new: the runs.
        regressions: ids of checks of both runs whose status got worse; pass, info and skip are equally good.
        checks: checks with another status, worst new one first.
        checks_reason: why checks, values and rules could not be compared, null when they were.
        values: other checks whose value moved.
        signals: those that moved, largest distance first.
        signals_compared: how many were.
        signals_not_compared: the others that both runs measured, with the reason.
        sources: those whose documents or share changed, largest change first, at most 100.
        rules: those that another number of documents fails.
        documents: null when they could not be compared.
        documents_reason: why not, null when they were.
        method: differences of tool, config, tokenizer and signals, at most 200.
    """

    schema_version: int = COMPARISON_SCHEMA
    old: Side
    new: Side
    regressions: list[str]
    checks: list[CheckChange]
    values: list[CheckChange]
    signals: list[SignalChange]
    signals_compared: int
    signals_not_compared: dict[str, str]
    sources: list[SourceChange]
    rules: list[RuleChange]
    documents: DocumentChanges | None
    documents_reason: str | None
    method: list[MethodChange]
    checks_reason: str | None = None

    @property
    def is_regression(self) -> bool:
        """Whether a check got worse."""
        return bool(self.regressions)

    def to_json(self) -> bytes:
        """Returns indented UTF-8 JSON with a final newline; the same bytes for the same comparison."""
        return msgspec.json.format(msgspec.json.encode(self, order="deterministic"), indent=2) + b"\n"
