"""The part of the result about duplicates: which documents repeat others."""

import msgspec


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
        normal_form: what is done to a document before it is compared.
        shingle_units, permutations, bands, rows: how near duplicates are looked for.
        shingle_unit: what a shingle is made of: ``words`` of texts (characters in scripts without spaces), ``tokens``
            of documents that came as token ids, or ``words or tokens`` in a corpus of both.
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
        empty: documents that nothing is left of in normal form, or without an id: not compared.
        without_units: other documents without a word: compared as exact copies only.
        too_short: documents of fewer units than a shingle: alike when all their units are the same.
        capped: documents whose first 1,048,576 shingles were compared.
        repeats: the lines, then the paragraphs that stand in the most documents, 50 each.
    """

    normal_form: str
    shingle_units: int
    shingle_unit: str
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
