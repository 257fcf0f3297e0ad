"""The result of an audit: one value that every output is a rendering of.

AuditResult
├── corpus     what was read, in records, documents, tokens, characters and bytes
├── findings   a judgement a check, worst first
├── rules      what each rule would remove
├── sources    the mixture
├── lengths    percentiles and packing
├── duplicates which documents repeat others
├── drift      shards and windows against the corpus
├── signals    a summary and a histogram each
├── closeup    limits that can be moved, and documents to look at
└── method     config, versions, tokenizer, what was not measured
"""

from enum import StrEnum
from typing import Any, Literal

import msgspec

from dataaudit.closeup import Closeup

SCHEMA_VERSION = 1
"""Raised when a key changes its meaning or goes away; new keys may come within a version."""


class Status(StrEnum):
    """How a check came out; in the order of the report."""

    ERROR = "error"
    FAIL = "fail"
    WARN = "warn"
    PASS = "pass"
    INFO = "info"
    SKIP = "skip"


SEVERITY = {status: rank for rank, status in enumerate(Status)}


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """A document behind a number.

    Attributes:
        doc_id: its id in this run.
        id: the user's own id, null when there is none.
        file, record: where it stands.
        source: the source it belongs to.
        value: what was measured there, null when not a number of the document.
        reason: for records that gave no document, why.
    """

    doc_id: int
    id: str | None
    file: str
    record: int
    source: str | None = None
    value: float | None = None
    reason: str | None = None


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A shard or a source of the corpus, and how much of it a finding concerns.

    Attributes:
        name: ``shard 3`` or the source's name.
        documents: documents concerned.
        of_documents: documents in the part.
        share: documents / of_documents; null for an empty part.
    """

    name: str
    documents: int
    of_documents: int
    share: float | None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What one check says of the corpus.

    Attributes:
        id, group: the check and the section it belongs to.
        status: how it came out.
        title: a few words, fixed.
        message: one sentence that changes with the outcome.
        value, unit: the number that was judged, null when nothing was.
        warn, fail: the levels, as ``{"above": x}`` or ``{"at_least": x}``; null when there is none.
        documents, tokens: how much of the corpus it concerns (characters in place of tokens without a tokenizer).
        why, advice: why it matters and what to do.
        details: further numbers of this check.
        worst_shards, worst_sources: at most 5 each, largest share first.
        examples: at most 10 documents.
    """

    id: str
    group: str
    status: Status
    title: str
    message: str
    value: float | None = None
    unit: str | None = None
    warn: dict[str, float] | None = None
    fail: dict[str, float] | None = None
    documents: int | None = None
    tokens: int | None = None
    why: str = ""
    advice: str = ""
    details: dict[str, Any] = {}
    worst_shards: list[Part] = []
    worst_sources: list[Part] = []
    examples: list[Example] = []


class RuleOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What one rule would remove.

    Attributes:
        id, signal, min, max, action: the rule.
        family: the family of its signal.
        status: ``judged``, or ``not measured`` when its signal was not.
        documents, tokens: what fails it.
        documents_alone, tokens_alone: what fails this rule and no other.
        undefined: documents whose value is null.
        not_applicable: documents that its ``applies_when`` leaves out.
    """

    id: str
    signal: str
    min: float | None
    max: float | None
    action: str
    family: str
    status: Literal["judged", "not measured"]
    documents: int = 0
    tokens: int = 0
    documents_alone: int = 0
    tokens_alone: int = 0
    undefined: int = 0
    not_applicable: int = 0


class SourceSummary(msgspec.Struct, frozen=True, kw_only=True):
    """How much a source gives."""

    name: str
    documents: int
    tokens: int | None
    characters: int | None
    document_share: float | None
    token_share: float | None
    character_share: float | None


class FileSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What reading a file gave.

    ``records = documents + unreadable + without_text``, always.
    """

    name: str
    format: str
    compression: str | None
    content: str | None
    size: int | None
    records: int
    documents: int
    unreadable: int
    without_text: int
    damage: str | None = None


class CorpusSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What was read.

    ``records = documents + unreadable + without_text``, always.
    """

    files: int
    damaged_files: int
    shards: int
    records: int
    documents: int
    unreadable: int
    without_text: int
    tokens: int | None
    characters: int | None
    text_bytes: int | None
    input_bytes: int


class SignalSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The distribution of a signal over the corpus; key names as in the Hugging Face dataset viewer.

    Attributes:
        nan_count: documents for which it is undefined (null).
        bin_edges: one more than there are bins.
        hist, token_hist: documents and tokens in each bin.
    """

    unit: str
    nan_count: int
    min: float | None
    max: float | None
    bin_edges: list[float]
    hist: list[int]
    token_hist: list[int]


class Driver(msgspec.Struct, frozen=True, kw_only=True):
    """A token that makes a part differ.

    Attributes:
        id: of the token; without a tokenizer, of a bucket of words; -1 for all ids outside the id space.
        text: the token's text, or a word of the bucket; null when unknown.
        contribution: nats of the divergence, less what chance gives.
        count, corpus_count: occurrences in the part and in what it is compared with, the part included.
    """

    id: int
    text: str | None
    contribution: float
    count: int
    corpus_count: int


class DriftPart(msgspec.Struct, frozen=True, kw_only=True):
    """A shard, or a window of the corpus's order, against the corpus; nats unless its name says otherwise.

    Attributes:
        name: of a shard its file; of a window its place.
        first_document, documents, tokens: the first document (counted from 0 over the corpus; null for a shard), and
            how much it holds. Without a tokenizer, tokens are words.
        is_judged: whether it is large enough.
        kl_excess: KL(part ‖ all others), less what chance gives; 0 for a part like the others, a little below at times.
        kl_excess_source: the same against the other shards of its source; null when there are none.
        kl, reverse_kl, kl_pooled, jensen_shannon, hellinger, total_variation: distances from all others (kl_pooled:
            from the corpus, this part included), chance not taken off.
        null_mean, null_deviation: of *kl* under chance.
        split_half_ratio: how much more two halves of its documents differ than chance gives (φ).
        entropy, type_token_ratio, zipf_slope, mean_log_length: of the part itself.
        length_distance, length_q_value, length_wasserstein, length_psi, length_psi_p_value: against all others.
        mixture_distance, mixture_p_value: largest difference of a source's share from the one expected.
        reference_kl, reference_excess: against the reference run.
        sources: share of each source, the 20 largest.
        ratios: control characters and the like, of the part's characters.
        drivers, reference_drivers: the tokens that make it differ, at most 20.
    """

    name: str
    first_document: int | None = None
    documents: int
    tokens: int
    is_judged: bool
    kl_excess: float | None = None
    kl_excess_source: float | None = None
    kl: float | None = None
    reverse_kl: float | None = None
    kl_pooled: float | None = None
    jensen_shannon: float | None = None
    hellinger: float | None = None
    total_variation: float | None = None
    null_mean: float | None = None
    null_deviation: float | None = None
    split_half_ratio: float | None = None
    entropy: float | None = None
    type_token_ratio: float | None = None
    zipf_slope: float | None = None
    mean_log_length: float | None = None
    length_distance: float | None = None
    length_q_value: float | None = None
    length_wasserstein: float | None = None
    length_psi: float | None = None
    length_psi_p_value: float | None = None
    mixture_distance: float | None = None
    mixture_p_value: float | None = None
    reference_kl: float | None = None
    reference_excess: float | None = None
    sources: dict[str, float] = {}
    ratios: dict[str, float | None] = {}
    drivers: list[Driver] = []
    reference_drivers: list[Driver] = []


class ChangePoint(msgspec.Struct, frozen=True, kw_only=True):
    """A place in the corpus's order from which on a measure stays different.

    Attributes:
        document: the first document after it, counted from 0 over the corpus.
        window: that document's window.
        measure: what changes; ``share of NAME`` for a source.
        before, after: its mean on the two sides.
        at_source_boundary: whether sources change there because they lie one after the other.
    """

    document: int
    window: int
    measure: str
    before: float
    after: float
    at_source_boundary: bool


class MixturePart(msgspec.Struct, frozen=True, kw_only=True):
    """A source against the plan.

    Attributes:
        token_share: found (of characters without a tokenizer).
        planned_share: by the config's mixture; null without one.
        epochs: how often the source would be repeated in a run over as many tokens as the corpus has, in planned
            shares; null without a plan or without tokens of it.
    """

    name: str
    token_share: float | None
    planned_share: float | None
    epochs: float | None


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """How parts of the corpus differ from the rest of it.

    Attributes:
        unit: what was counted: ``tokens``, or ``words`` in 65,536 buckets when there was no tokenizer.
        vocabulary: size of the id space.
        overdispersion: φ, the factor by which chance is widened because tokens come in documents.
        tokens, types, entropy, perplexity, type_token_ratio, zipf_slope: of the corpus.
        source_runs_z: how far the number of runs of one source is from a shuffled order's, in standard deviations;
            far below 0 when sources come in blocks; null with one source.
        reference: the run compared with, null without one.
        reference_excess, reference_kl, reference_drivers: of the whole corpus against it.
        shard_count, window_count: how many there are; ``drift/`` in the run folder has all.
        shards: those with the largest excess, at most 200.
        windows: in order; neighbours are joined when there are more than 2,000.
        change_points: in order.
        mixture: sources, largest first, at most 1,000.
    """

    unit: str
    vocabulary: int
    overdispersion: float
    tokens: int
    types: int
    entropy: float | None
    perplexity: float | None
    type_token_ratio: float | None
    zipf_slope: float | None
    source_runs_z: float | None
    reference: str | None = None
    reference_excess: float | None = None
    reference_kl: float | None = None
    reference_drivers: list[Driver] = []
    shard_count: int
    window_count: int
    shards: list[DriftPart]
    windows: list[DriftPart]
    change_points: list[ChangePoint]
    mixture: list[MixturePart]


class Method(msgspec.Struct, frozen=True, kw_only=True):
    """How the numbers were made.

    Attributes:
        config: the resolved config.
        config_name, config_digest: where it came from and its digest.
        tokenizer: identity and engine, null when the corpus was audited as text alone.
        signals: every signal that was measured, with its version.
        not_measured: every signal that was not, with the reason.
        notes: sampling, caps, and other limits of this audit.
    """

    config: dict[str, Any]
    config_name: str
    config_digest: str
    tokenizer: dict[str, Any] | None
    signals: dict[str, int]
    not_measured: dict[str, str]
    notes: list[str]


class DuplicateRate(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a part of the corpus repeats earlier documents.

    Attributes:
        name: the source, ``shard 3``, or ``corpus``.
        documents, tokens: how much it holds (characters in place of tokens without a tokenizer).
        exact_documents, exact_tokens: exact copies of an earlier document.
        near_documents, near_tokens: other documents that are verified to be like an earlier, kept one; null when
            only a sample was looked at.
        exact_share, near_share: of its documents; null for an empty part, or after a sample.
        exact_token_share, near_token_share: of its tokens; null where there are none.
    """

    name: str
    documents: int
    tokens: int
    exact_documents: int
    exact_tokens: int
    near_documents: int | None
    near_tokens: int | None
    exact_share: float | None
    near_share: float | None
    exact_token_share: float | None
    near_token_share: float | None


class DuplicateSample(msgspec.Struct, frozen=True, kw_only=True):
    """An estimate of the share of near duplicates, from a random sample of the corpus.

    Attributes:
        documents, near_documents: sampled, and those of them that are verified to be like an earlier document.
        near_share, low, high: the share and its 95 % interval (Wilson). Pairs that share no band are missed.
    """

    documents: int
    near_documents: int
    near_share: float
    low: float
    high: float


class DuplicateCluster(msgspec.Struct, frozen=True, kw_only=True):
    """Documents joined by exact copies and verified pairs.

    Attributes:
        doc_id: its first document.
        documents: how many it has.
        exact_copies: those of them that are exact copies of an earlier one.
        kept: those that are like no kept document before them; more than one where a chain is longer than the
            similarity reaches.
        excerpt: the first 200 characters of the first document, null when the corpus could no longer be read.
    """

    doc_id: int
    documents: int
    exact_copies: int
    kept: int
    excerpt: str | None = None


class RepeatedText(msgspec.Struct, frozen=True, kw_only=True):
    """A line, or a paragraph of several lines, that stands in many documents.

    Attributes:
        kind: ``line`` or ``paragraph``.
        documents, at_most: it stands in at least and at most so many documents.
        doc_id: the first document known to hold it.
        characters: its length, null when the corpus could no longer be read.
        excerpt: its first 200 characters, null likewise.
    """

    kind: str
    documents: int
    at_most: int
    doc_id: int
    characters: int | None = None
    excerpt: str | None = None


class Multiplicity(msgspec.Struct, frozen=True, kw_only=True):
    """Clusters of *least* to *most* documents (1: documents like no other)."""

    least: int
    most: int
    clusters: int
    documents: int


class Duplicates(msgspec.Struct, frozen=True, kw_only=True):
    """Which documents repeat others.

    Attributes:
        normal_form: what is done to a text before it is compared.
        shingle_units, permutations, bands, rows: how near duplicates are looked for.
        threshold: the least Jaccard similarity of near duplicates; every pair is verified.
        recall_at_threshold: chance that a pair just at the threshold shares a band and so is looked at.
        sample: the estimate, when only a sample was compared; candidates are then those of the sample.
        corpus: the whole corpus.
        sources: at most 1,000, largest share of duplicates first.
        shards: at most 200, likewise.
        within_shard, across_shards: duplicates whose earlier document lies in the same shard, or in another.
        multiplicity: clusters by size.
        cluster_count: clusters of two or more documents.
        clusters: the 20 largest.
        candidates: documents that share a band with an earlier one (exact copies are left out before).
        candidate_rate: of all documents.
        verified_rate: candidates with a verified pair, of the candidates; null without any.
        unverified_overflow: candidates without one that were not compared with all of a crowded bucket: not removed.
        largest_bucket, comparisons: the most documents in a bucket, and pairs of documents that were compared.
        empty: documents that nothing is left of in normal form: not compared.
        without_units: other documents without a word: compared as exact copies only.
        too_short: documents of fewer units than a shingle: alike when all their units are the same.
        capped: documents whose first 1,048,576 shingles were compared.
        repeats: the lines, then the paragraphs that stand in the most documents, 50 each.
    """

    normal_form: str
    shingle_units: int
    permutations: int
    bands: int
    rows: int
    threshold: float
    recall_at_threshold: float
    sample: DuplicateSample | None = None
    corpus: DuplicateRate
    sources: list[DuplicateRate]
    shards: list[DuplicateRate]
    within_shard: int
    across_shards: int
    multiplicity: list[Multiplicity]
    cluster_count: int
    clusters: list[DuplicateCluster]
    candidates: int
    candidate_rate: float | None
    verified_rate: float | None
    unverified_overflow: int
    largest_bucket: int
    comparisons: int
    empty: int
    without_units: int
    too_short: int
    capped: int
    repeats: list[RepeatedText]


class AuditResult(msgspec.Struct, frozen=True, kw_only=True):
    """Everything an audit found; ``report.json`` is this and nothing else.

    Attributes:
        schema_version: SCHEMA_VERSION.
        dataaudit_version: of the tool.
        verdict: the worst status of all findings.
        counts: findings by status.
        duplicates: null when documents were not compared.
        closeup: null in results of versions without it.
        files: at most 1,000: damaged ones first, then those with the most lost records; ``manifest.json`` has all.
    """

    schema_version: int
    dataaudit_version: str
    verdict: Status
    counts: dict[str, int]
    corpus: CorpusSummary
    findings: list[Finding]
    rules: list[RuleOutcome]
    sources: list[SourceSummary]
    lengths: dict[str, Any]
    signals: dict[str, SignalSummary]
    files: list[FileSummary]
    duplicates: Duplicates | None = None
    drift: Drift | None = None
    closeup: Closeup | None = None
    method: Method

    def to_json(self) -> bytes:
        """Returns the report as indented UTF-8 JSON with a final newline; the same bytes for the same result."""
        return msgspec.json.format(msgspec.json.encode(self, order="deterministic"), indent=2) + b"\n"


def from_json(data: bytes) -> AuditResult:
    """Returns the result that *to_json* wrote; raises msgspec.DecodeError when it is none."""
    return msgspec.json.decode(data, type=AuditResult)


def verdict(findings: list[Finding]) -> Status:
    """Returns the worst status; information and skipped checks count as passed."""
    worst = min((finding.status for finding in findings), key=SEVERITY.__getitem__, default=Status.PASS)
    return worst if worst in (Status.ERROR, Status.FAIL, Status.WARN) else Status.PASS


def json_schema() -> dict[str, Any]:
    """Returns the JSON Schema of ``report.json``."""
    schema = msgspec.json.schema(AuditResult)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"dataaudit report.json, schema version {SCHEMA_VERSION}",
        **schema,
    }
