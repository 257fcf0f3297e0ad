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
from dataaudit.result.drift import Drift
from dataaudit.result.duplicates import Duplicates

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
        position: index of the token in the document where it shows first, null when no one token shows it.
        reason: for records that gave no document, why; for reads of an order of training, where in it.
    """

    doc_id: int
    id: str | None
    file: str
    record: int
    source: str | None = None
    value: float | None = None
    position: int | None = None
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

    Attributes:
        wrong_ids: of those without text, records whose list holds something that is no token id.
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
    wrong_ids: int = 0


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
