"""What a filter removes, as ``filter.json`` holds it: plain structs, of which every printed number is a rendering."""

from typing import Literal

import msgspec

FILTER_SCHEMA = 1


class Amount(msgspec.Struct, frozen=True):
    """Documents, and the tokens (None without a tokenizer) and UTF-8 bytes of text in them."""

    documents: int = 0
    tokens: int | None = None
    bytes: int = 0


class RuleRemoval(msgspec.Struct, frozen=True):
    """What a rule takes out, or only flags.

    Attributes:
        id, signal, min, max, action: the rule.
        status: ``judged``, or ``not measured`` when its signal is not there.
        removed: documents that fail it, whatever else they fail.
        alone: documents that fail no other rule that takes out.
        left: what is left after this rule and those before it.
        undefined, not_applicable: documents without a value, and those that a condition leaves out.
    """

    id: str
    signal: str
    min: float | None
    max: float | None
    action: str
    status: Literal["judged", "not measured"]
    removed: Amount
    alone: Amount
    left: Amount
    undefined: int
    not_applicable: int


class Overlap(msgspec.Struct, frozen=True):
    """Documents that fail both of two rules."""

    first: str
    second: str
    documents: int


class Group(msgspec.Struct, frozen=True):
    """What is removed of one source, kind of language or range of lengths."""

    name: str
    all: Amount
    removed: Amount


class Funnel(msgspec.Struct, frozen=True):
    """What the rules remove.

    Attributes:
        all, kept, removed: all = kept + removed.
        rules: the built-in reason ``empty``, then the rules in order.
        overlaps: pairs of rules that take out the same documents, most documents first.
        matched_nothing: rules that were judged and that no document fails.
        sources, languages, lengths: removals by group; lengths are in characters.
        alarms: sources of which more than half would go.
    """

    all: Amount
    kept: Amount
    removed: Amount
    rules: list[RuleRemoval]
    overlaps: list[Overlap]
    matched_nothing: list[str]
    sources: list[Group]
    languages: list[Group]
    lengths: list[Group]
    alarms: list[str]


class Balance(msgspec.Struct, frozen=True):
    """Records, their bytes, or their tokens: total = clean + quarantine + without_text + unreadable."""

    total: int = 0
    clean: int = 0
    quarantine: int = 0
    without_text: int = 0
    unreadable: int = 0

    @property
    def holds(self) -> bool:
        """Whether nothing is lost or doubled."""
        return self.total == self.clean + self.quarantine + self.without_text + self.unreadable

    def __add__(self, other: "Balance") -> "Balance":
        return Balance(*(mine + its for mine, its in zip(_values(self), _values(other), strict=True)))


def _values(balance: Balance) -> tuple[int, ...]:
    return balance.total, balance.clean, balance.quarantine, balance.without_text, balance.unreadable


class FileBalance(msgspec.Struct, frozen=True):
    """What became of a file of the corpus.

    Attributes:
        name: the file.
        records: by where they went.
        bytes: the same in bytes: of records as they stand in files of text, of the content column in tables.
        tokens: the same in token ids of documents, for files of ids; all 0 for texts.
        damage: why the rest of it could not be read, or None.
        outputs: the files written for it, relative to OUT.
    """

    name: str
    records: Balance
    bytes: Balance
    tokens: Balance
    damage: str | None
    outputs: list[str]

    @property
    def holds(self) -> bool:
        """Whether nothing is lost or doubled."""
        return self.records.holds and self.bytes.holds and self.tokens.holds


class Restored(msgspec.Struct, frozen=True):
    """A rule that no longer takes out one document, or any when *doc_id* is None."""

    rule: str
    doc_id: int | None


class FilterResult(msgspec.Struct, frozen=True):
    """``filter.json``: what a filter did."""

    schema_version: int
    dataaudit_version: str
    run: str
    config_name: str
    config_digest: str
    format: str
    step: int | None
    restored: list[Restored]
    conserved: bool
    records: Balance
    bytes: Balance
    tokens: Balance
    funnel: Funnel
    files: list[FileBalance]


def to_json(value: FilterResult | Funnel) -> str:
    """Returns a result as one line of JSON, the same for the same result."""
    return msgspec.json.encode(value, order="deterministic").decode()
