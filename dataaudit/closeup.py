"""What the report shows of an audit beyond its verdict: limits that can be moved, and documents to look at.

Closeup
├── rules      what each rule would remove at other limits, and documents at its edge
├── overlap    documents that two rules remove together
├── findings   documents behind a check that warns or fails
├── signals    definitions, and a document of each bar of a histogram
├── lengths    histogram of lengths, and what a context length would cut
└── tokens     how often ids occur
"""

from typing import Literal

import msgspec

Kind = Literal["borderline dropped", "borderline kept", "extreme", "random", "example"]


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """What would be removed if a limit stood elsewhere; exact at each of *limits*.

    Attributes:
        side: which limit moves: ``min`` or ``max`` of a rule, its other limit staying; or ``context``.
        limits: ascending; the limit of the config is one of them.
        documents, tokens: removed at each limit; for ``context``: documents that are longer, and tokens past it.
    """

    side: Literal["min", "max", "context"]
    limits: list[float]
    documents: list[int]
    tokens: list[int]


class Excerpt(msgspec.Struct, frozen=True, kw_only=True):
    """A document to look at.

    Attributes:
        kind: why this one.
        doc_id, id, file, record, source: which document, as in ``Example``.
        value: of the signal; null where undefined.
        position: index of the token that shows it first, null when no one token does.
        text: at most 600 characters of it, with e-mail addresses, IP addresses and phone numbers as bullets; null
            when no text was read. Of token ids, the decoded tokens around *position*.
        start, stop: the matched part, in characters of *text*; null when no one part is to blame.
        before, after: characters of the document before and after *text*; 0 of token ids.
    """

    kind: Kind
    doc_id: int
    id: str | None
    file: str
    record: int
    source: str | None
    value: float | None
    position: int | None = None
    text: str | None = None
    start: int | None = None
    stop: int | None = None
    before: int = 0
    after: int = 0


class RuleCloseup(msgspec.Struct, frozen=True, kw_only=True):
    """A rule at its edge.

    Attributes:
        id: the rule.
        curves: of its limits; none when its signal has no histogram.
        documents_left, tokens_left: what is left after this rule and all before it that take documents out.
        examples: at most 8.
    """

    id: str
    curves: list[Curve]
    documents_left: int
    tokens_left: int
    examples: list[Excerpt] = []


class Overlap(msgspec.Struct, frozen=True, kw_only=True):
    """Documents that fail two rules.

    Attributes:
        rules: at most 24, those that most documents fail first.
        documents: a row and a column a rule; on the diagonal what fails the rule.
    """

    rules: list[str]
    documents: list[list[int]]


class SignalCloseup(msgspec.Struct, frozen=True, kw_only=True):
    """What a signal means.

    Attributes:
        family: signals that belong together.
        definition: the first paragraph of its definition.
        source: the paper, code or page that defines it.
        null: when it is undefined, or null when it never is.
        bin_doc_ids: for each bin of its histogram a document in it, null for none; empty for signals without a rule.
    """

    family: str
    definition: str
    source: str
    null: str | None
    bin_doc_ids: list[int | None] = []


class LengthCloseup(msgspec.Struct, frozen=True, kw_only=True):
    """Lengths of documents in tokens (characters without a tokenizer).

    Attributes:
        bin_edges, hist, token_hist: bin k holds edges[k] ≤ length < edges[k + 1].
        context: ``model.max_length``, null when the config has none.
        curve: what each context length would cut.
    """

    bin_edges: list[float]
    hist: list[int]
    token_hist: list[int]
    context: int | None
    curve: Curve


class TokenBand(msgspec.Struct, frozen=True, kw_only=True):
    """Ids that occur *least* to *most* times (null: no upper end)."""

    least: int
    most: int | None
    ids: int
    tokens: int


class FrequentToken(msgspec.Struct, frozen=True, kw_only=True):
    """A token id, its text (null when unknown), its occurrences and the documents that hold it."""

    id: int
    text: str | None
    count: int
    documents: int


class TokenCoverage(msgspec.Struct, frozen=True, kw_only=True):
    """How the corpus uses the ids.

    Attributes:
        ids: in the id space.
        tokens: in the corpus.
        outside: tokens whose id is outside the id space.
        bands: ids by how often they occur.
        most_frequent: at most 20.
    """

    ids: int
    tokens: int
    outside: int
    bands: list[TokenBand]
    most_frequent: list[FrequentToken]


class Closeup(msgspec.Struct, frozen=True, kw_only=True):
    """What the report shows beyond the verdict.

    Attributes:
        inputs: what was audited, as it was given.
        examples: how many excerpts a rule has at most; 0 when texts were not wanted.
        findings: by check: at most 3 documents of those that warn or fail.
    """

    inputs: list[str]
    examples: int
    rules: list[RuleCloseup]
    overlap: Overlap
    findings: dict[str, list[Excerpt]]
    signals: dict[str, SignalCloseup]
    lengths: LengthCloseup
    tokens: TokenCoverage | None
