"""Checks of length: empty, odd, and longer than the model reads."""

from typing import Any

import polars as pl

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.shares import share_of_documents
from dataaudit.checks.wording import agree, counted, number, percent

GROUP = "lengths"
PERCENTILES = (1, 5, 25, 50, 75, 95, 99)


@check("length-shape", group=GROUP, title="Document lengths", unit="tokens")
def length_shape(evidence: Evidence, options: Options) -> Outcome:
    """Percentiles of document length, exact, in tokens (characters without a tokenizer).

    Why: the context length, the packing and the batch shape follow from it.
    Do: compare with the context length; a spike at one length is a template or a cut.
    """
    lengths = evidence.lengths
    if not lengths.documents:
        return Outcome.skip("No documents.")
    details: dict[str, Any] = {f"p{point}": lengths.percentile(point) for point in PERCENTILES}
    details |= {"min": lengths.percentile(0), "max": lengths.percentile(100), "mean": lengths.total / lengths.documents}
    return Outcome(
        None,
        f"Half of the documents have {number(details['p50'])} {evidence.weight_unit} or fewer, 99 % have "
        f"{number(details['p99'])} or fewer, the longest has {number(details['max'])}.",
        details=details,
    )


@check(
    "empty-documents",
    group=GROUP,
    title="Empty documents",
    unit="share of documents",
    needs=("char_count", "whitespace_char_ratio"),
)
def empty_documents(evidence: Evidence, options: Options) -> Outcome:
    """Share of documents with nothing but white space.

    Why: an empty document is a loss over nothing: NaN in some trainers, wasted separators in others.
    Do: drop them; look at the source that makes them.
    """
    empty = (pl.col("char_count") == 0) | (pl.col("whitespace_char_ratio") == 1)
    return share_of_documents(evidence, empty, -pl.col("char_count"), "are empty after stripping white space")


@check(
    "punctuation-only",
    group=GROUP,
    title="Documents without letters or numbers",
    unit="share of documents",
    needs=("alnum_char_count", "whitespace_char_ratio"),
)
def punctuation_only(evidence: Evidence, options: Options) -> Outcome:
    """Share of documents that are not empty and have no letter and no number.

    Why: there is nothing to learn from them, and their loss is unlike that of text.
    Do: drop them.
    """
    condition = (pl.col("alnum_char_count") == 0) & (pl.col("whitespace_char_ratio") < 1)
    return share_of_documents(evidence, condition, pl.col("char_count"), "have neither a letter nor a number")


@check(
    "short-documents",
    group=GROUP,
    title="Short documents",
    unit="share of documents",
    options={"limit": 16},
)
def short_documents(evidence: Evidence, options: Options) -> Outcome:
    """Share of documents with fewer than ``limit`` tokens (characters without a tokenizer).

    Why: between separators, many short documents teach little more than where documents end.
    Do: join those that belong together, or drop the source.
    """
    condition = pl.col("weight") < options["limit"]
    verb = f"have fewer than {number(options['limit'])} {evidence.weight_unit}"
    return share_of_documents(evidence, condition, -pl.col("weight"), verb)


@check(
    "truncation",
    group=GROUP,
    title="Truncation at the context length",
    unit="share of tokens",
    needs=("truncated_token_count",),
)
def truncation(evidence: Evidence, options: Options) -> Outcome:
    """Share of tokens that lie past ``model.max_length`` in their document: lost if documents are truncated.

    Why: a trainer that truncates drops these tokens without a word; a fine-tune sees texts without their end.
    Do: split long documents, pack by concatenation, or raise the context length.
    """
    signal = pl.col("truncated_token_count")
    found = evidence.find(signal > 0, signal)
    lost = evidence.total(signal.sum())
    share = lost / found.of_tokens if found.of_tokens else None
    limit = counted(evidence.config.model.max_length or 0, "token")
    if not found.documents:
        return Outcome.of(found, f"No document is longer than {limit}.", value=share)
    message = (
        f"{counted(found.documents, 'document')} ({percent(found.share)}) {agree(found.documents, 'are')} longer than "
        f"{limit}; truncating there loses {counted(lost, 'token')} ({percent(share)})."
    )
    return Outcome.of(found, message, value=share, details={"tokens_lost": lost, "document_share": found.share})
