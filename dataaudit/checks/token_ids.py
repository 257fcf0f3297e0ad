"""Checks of token ids: what breaks in the embedding table, or is never trained."""

from dataclasses import replace

import numpy as np
import polars as pl

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.shares import number_of_documents
from dataaudit.checks.wording import agree, counted, number, percent

GROUP = "token ids"
TOKENS_PER_ID = 50
"""Tokens that a corpus needs for each id before counts of ids are judged."""
LISTED = 20
"""Ids that a finding lists."""


@check("token-range", group=GROUP, title="Token ids out of range", unit="tokens", needs=("oov_token_count",))
def token_range(evidence: Evidence, options: Options) -> Outcome:
    """Tokens whose id is negative, or not below the rows of the model's embedding table.

    Without ``model.vocab_size`` the tokenizer's own id space is the limit, which says nothing about the model.

    Why: one such id is an index error on the GPU, or reads other memory as an embedding.
    Do: set ``model.vocab_size`` right; take the tokenizer that belongs to the model; do not fix ids by modulo.
    """
    signal = pl.col("oov_token_count")
    found = evidence.find(signal > 0, signal, at="oov_token_start")
    tokens = evidence.total(signal.sum())
    limit, largest = evidence.id_limit, evidence.total(pl.col("max_token_id").max())
    details = {"limit": limit, "largest_id": largest, "sequences_out_of_range": found.documents}
    if "negative_token_count" in evidence.measured:
        details["negative_ids"] = evidence.total(pl.col("negative_token_count").sum())
    whose = (
        "the model's embedding rows"
        if evidence.config.model.vocab_size is not None
        else "the tokenizer's id space (model.vocab_size not given)"
    )
    if not tokens:
        message = f"Every id is within 0 to {number((limit or 1) - 1)}, {whose}; the largest is {largest:,}."
    else:
        message = (
            f"{counted(tokens, 'token')} in {counted(found.documents, 'document')} {agree(tokens, 'lie')} outside 0 to "
            f"{number((limit or 1) - 1)}, {whose}; the largest is {largest:,}."
        )
    return Outcome.of(found, message, value=tokens, details=details)


@check("token-holes", group=GROUP, title="Token ids without a token", unit="tokens", needs=("hole_token_count",))
def token_holes(evidence: Evidence, options: Options) -> Outcome:
    """Tokens whose id lies inside the tokenizer's id space but has no token there.

    Why: these ids were not made by this tokenizer, so the corpus and the tokenizer do not belong together.
    Do: tokenize again with the tokenizer that the model uses.
    """
    has_given = "unused_id_token_count" in evidence.measured
    signal = pl.col("unused_id_token_count" if has_given else "hole_token_count")
    verb = "hold ids that the tokenizer does not have"
    outcome = number_of_documents(evidence, signal > 0, signal, verb, at="unused_id_token_start")
    outcome.value = evidence.total(signal.sum())
    return outcome


@check(
    "padded-rows", group=GROUP, title="Ids of padded embedding rows", unit="tokens", needs=("padded_row_token_count",)
)
def padded_rows(evidence: Evidence, options: Options) -> Outcome:
    """Tokens whose id lies past the tokenizer's ids and below ``model.vocab_size``.

    Tables are padded to a round number of rows. Such an id raises no error, and no token stands for it.

    Why: another tokenizer made these ids, or one with more added tokens; the model learns rows that nobody types.
    Do: tokenize again with the tokenizer that the model uses.
    """
    signal = pl.col("padded_row_token_count")
    verb = "hold ids of rows that the tokenizer does not reach"
    outcome = number_of_documents(evidence, signal > 0, signal, verb, at="padded_row_token_start")
    outcome.value = evidence.total(signal.sum())
    return outcome


@check("unknown-tokens", group=GROUP, title="Unknown tokens", unit="share of tokens", needs=("unk_token_ratio",))
def unknown_tokens(evidence: Evidence, options: Options) -> Outcome:
    """Share of tokens that are the tokenizer's unknown token.

    Why: whatever stood there is lost to the model.
    Do: take a tokenizer with byte fallback, or one trained on this script.
    """
    return _share_of_tokens(evidence, "unk_token_ratio", "unknown tokens")


@check(
    "byte-fallback",
    group=GROUP,
    title="Byte-fallback tokens",
    unit="share of tokens",
    needs=("byte_fallback_token_ratio",),
)
def byte_fallback(evidence: Evidence, options: Options) -> Outcome:
    """Share of tokens that stand for one byte of a character.

    Why: three or four tokens for one character fill the context and are learned poorly.
    Do: look at the sources named: a script the tokenizer was not trained on, or binary garbage.
    """
    return _share_of_tokens(evidence, "byte_fallback_token_ratio", "byte-fallback tokens")


def _share_of_tokens(evidence: Evidence, ratio: str, what: str) -> Outcome:
    found = evidence.find(pl.col(ratio) > 0, pl.col(ratio))
    tokens = evidence.sum_of_ratio(ratio, "token_count")
    total = evidence.lengths.total
    share = tokens / total if total else None
    if not tokens:
        return Outcome.of(found, f"No {what}.", value=share)
    message = (
        f"{percent(share)} of tokens ({tokens:,}) are {what}, "
        f"in {found.documents:,} of {counted(found.of_documents, 'document')}."
    )
    return Outcome.of(found, message, value=share, details={"tokens": tokens})


@check(
    "special-text",
    group=GROUP,
    title="Special-token text in documents",
    unit="documents",
    needs=("special_token_count",),
)
def special_text(evidence: Evidence, options: Options) -> Outcome:
    """Documents whose text spells out a special token, such as ``<|endoftext|>``.

    Why: a tokenizer that takes it for the token puts a false document end inside the document.
    Do: keep ``tokenizer.special_text: text`` here and in the trainer, or drop the documents.
    """
    signal = pl.col("special_token_count")
    outcome = number_of_documents(evidence, signal > 0, signal, "spell out a special token")
    occurrences = evidence.total(signal.sum())
    as_ids = evidence.total(pl.col("special_id_count").sum()) if evidence.has("special_id_count") else None
    outcome.details |= {"occurrences": occurrences, "special_ids_in_documents": as_ids}
    if occurrences and evidence.token_counts is not None:
        how = "as ordinary text" if evidence.config.tokenizer.special_text == "text" else "as the special token"
        outcome.message += f" {counted(occurrences, 'occurrence')}, encoded {how} ({as_ids or 0:,} special ids)."
    return outcome


@check(
    "vocabulary-coverage",
    group=GROUP,
    title="Vocabulary coverage",
    unit="share of ids",
    needs=("token_counts", "vocabulary"),
    options={"tokens_per_id": TOKENS_PER_ID},
)
def vocabulary_coverage(evidence: Evidence, options: Options) -> Outcome:
    """Share of the tokenizer's ids that never occur in the corpus; special tokens are left out.

    Judged when the corpus has ``tokens_per_id`` tokens for each id: a small corpus cannot show a large vocabulary.

    Why: an embedding that is never trained keeps its random start, and misbehaves when a user types its token.
    Do: take a tokenizer that fits the corpus, or add text that uses these tokens.
    """
    counts, vocabulary = evidence.token_counts, evidence.vocabulary
    assert counts is not None and vocabulary is not None
    ordinary = vocabulary.in_use & ~vocabulary.is_special
    seen = _padded(counts.counts, vocabulary.id_space)[ordinary]
    ids = int(ordinary.sum())
    never, rare, seldom = (int((seen < limit).sum()) for limit in (1, 10, 100))
    details = {"ids": ids, "never_seen": never, "seen_below_10": rare, "seen_below_100": seldom, "tokens": counts.total}
    share = never / ids if ids else None
    message = (
        f"{never:,} of {counted(ids, 'id')} ({percent(share)}) never {agree(never, 'occur')}, "
        f"{seldom:,} fewer than 100 times."
    )
    floor = token_floor(evidence, options["tokens_per_id"])
    if counts.total < floor:
        return too_small(Outcome(share, message, details=details), floor)
    return Outcome(share, message, details=details)


@check(
    "token-concentration",
    group=GROUP,
    title="Tokens that live in one document",
    unit="ids",
    needs=("token_counts",),
    options={"share": 0.5, "count_floor": 100, "tokens_per_id": TOKENS_PER_ID},
)
def token_concentration(evidence: Evidence, options: Options) -> Outcome:
    """Ids with ``count_floor`` occurrences or more, of which at least ``share`` are in one document.

    Judged when the corpus has ``tokens_per_id`` tokens for each id.

    Why: such a token is memorised with its document (the SolidGoldMagikarp pattern).
    Do: look at the document; it is usually a list, a log or a repeated string.
    """
    counts = evidence.token_counts
    assert counts is not None
    concentrated = (counts.counts >= options["count_floor"]) & (
        counts.max_doc_counts >= options["share"] * counts.counts
    )
    ids = np.flatnonzero(concentrated)
    order = np.lexsort((ids, -counts.counts[ids]))[:LISTED]
    details = {
        "ids": [
            {
                "token_id": int(id_),
                "count": int(counts.counts[id_]),
                "documents": int(counts.doc_counts[id_]),
                "largest_in_one_document": int(counts.max_doc_counts[id_]),
                "doc_id": int(counts.max_doc_ids[id_]),
            }
            for id_ in ids[order]
        ]
    }
    message = (
        f"{counted(len(ids), 'id')} {agree(len(ids), 'have')} at least {number(options['count_floor'])} occurrences, "
        f"{percent(options['share'])} or more of them in one document."
    )
    if not len(ids):
        message = "No id has most of its occurrences in one document."
    outcome = Outcome(len(ids), message, details=details)
    floor = token_floor(evidence, options["tokens_per_id"])
    return too_small(outcome, floor) if counts.total < floor else outcome


def too_small(outcome: Outcome, floor: int) -> Outcome:
    """Returns the outcome as skipped for want of tokens; what was counted stays in its message and details."""
    reason = f"{outcome.message} Not judged below {counted(floor, 'token')}."
    return replace(outcome, value=None, message=reason, skipped=reason)


def token_floor(evidence: Evidence, tokens_per_id: float) -> int:
    """Returns how many tokens a corpus needs before counts of ids are judged."""
    counts, vocabulary = evidence.token_counts, evidence.vocabulary
    assert counts is not None
    ids = vocabulary.id_space if vocabulary is not None else int(np.count_nonzero(counts.counts))
    return int(tokens_per_id * ids)


def _padded(counts: np.ndarray, size: int) -> np.ndarray:
    padded = np.zeros(max(size, len(counts)), np.int64)
    padded[: len(counts)] = counts
    return padded[:size]
