"""The part of the result about drift: shards and windows against the corpus."""

import msgspec


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
        rest_ratio: how much more it differs from all others than chance gives; null for a window.
        kl_excess_z: kl_excess over φ · null_deviation; too large where documents differ, so nothing is judged by it.
        outlier_z: how far rest_ratio is above the judged shards' median, over 1.4826 times their median distance from
            it; null for a window, and with fewer than 8 judged shards.
        effective_documents: (Σ length)² / Σ length²: equal documents that would say as much.
        longest_document_share: of its length, in its longest document.
        length_distance, length_q_value, length_wasserstein, length_psi, length_psi_p_value: against all others.
        mixture_source, mixture_distance, mixture_p_value, mixture_q_value: the source whose share differs most from the
            one expected, and by how much.
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
    rest_ratio: float | None = None
    kl_excess_z: float | None = None
    outlier_z: float | None = None
    effective_documents: float | None = None
    longest_document_share: float | None = None
    entropy: float | None = None
    type_token_ratio: float | None = None
    zipf_slope: float | None = None
    mean_log_length: float | None = None
    length_distance: float | None = None
    length_q_value: float | None = None
    length_wasserstein: float | None = None
    length_psi: float | None = None
    length_psi_p_value: float | None = None
    mixture_source: str | None = None
    mixture_distance: float | None = None
    mixture_p_value: float | None = None
    mixture_q_value: float | None = None
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
