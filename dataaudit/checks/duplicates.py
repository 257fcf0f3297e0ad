"""Checks of duplicates: documents that repeat others, and text that repeats across documents."""

import polars as pl

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.shares import share_of_documents
from dataaudit.checks.wording import counted, number, percent
from dataaudit.result import DuplicateRate, DuplicateSample, Part

GROUP = "duplicates"


@check(
    "exact-duplicates",
    group=GROUP,
    title="Exact duplicates",
    unit="share of documents",
    needs=("duplicates", "exact_duplicate_of"),
)
def exact_duplicates(evidence: Evidence, options: Options) -> Outcome:
    """Share of documents that repeat an earlier one in normal form (NFKC, case folding, white space).

    Documents that came as token ids are copies when they have the same ids. The first document of each text is not
    counted. Empty documents are copies of nothing.

    Why: a model memorises what it sees often, and the copies take the place of other text.
    Do: keep the first of each; look where the copies come from before you drop a whole source.
    """
    copies = pl.col("exact_duplicate_of").is_not_null()
    outcome = share_of_documents(evidence, copies, pl.col("duplicate_count"), "repeat an earlier one exactly")
    return _with_facts(evidence, outcome)


@check(
    "near-duplicates",
    group=GROUP,
    title="Near duplicates",
    unit="share of documents",
    needs=("duplicates",),
)
def near_duplicates(evidence: Evidence, options: Options) -> Outcome:
    """Share of documents that are verified to share most of their shingles with an earlier document that is kept.

    A shingle is some consecutive words of a text, or tokens of a document that came as token ids. Exact copies are not
    counted again. Every pair is verified by its exact Jaccard similarity; pairs just at the threshold are found with
    the chance that the report gives as recall_at_threshold.

    Why: pages of one template and copied articles are seen as often as exact copies, and cost the same.
    Do: keep the first of each; a high threshold in the config keeps documents that share less.
    """
    found = evidence.duplicates
    assert found is not None
    if found.sample is not None:
        return _estimated(found.sample)
    copies = pl.col("near_duplicate_of").is_not_null()
    verb = f"share at least {percent(found.threshold)} of their shingles with an earlier one"
    return _with_facts(evidence, share_of_documents(evidence, copies, pl.col("near_duplicate_jaccard"), verb))


def _estimated(sample: DuplicateSample) -> Outcome:
    message = (
        f"An estimated {percent(sample.near_share)} of documents ({percent(sample.low)} to {percent(sample.high)}): "
        f"{sample.near_documents:,} of a sample of {counted(sample.documents, 'document')}."
    )
    details = {"sampled": True, "low": sample.low, "high": sample.high, "sampled_documents": sample.documents}
    return Outcome(sample.near_share, message, details=details)


def _with_facts(evidence: Evidence, outcome: Outcome) -> Outcome:
    """Adds what was not compared, so that it is never taken for unique."""
    found = evidence.duplicates
    assert found is not None
    outcome.details |= {
        "too_short": found.too_short,
        "without_units": found.without_units,
        "empty": found.empty,
        "unverified_overflow": found.unverified_overflow,
        "within_shard": found.within_shard,
        "across_shards": found.across_shards,
    }
    if found.without_units:
        outcome.message += f" {counted(found.without_units, 'document')} without a word were compared exactly only."
    return outcome


@check(
    "source-duplicates",
    group=GROUP,
    title="Sources of duplicates",
    unit="share of documents",
    needs=("duplicates", "exact_duplicate_of"),
    options={"min_documents": 100},
)
def source_duplicates(evidence: Evidence, options: Options) -> Outcome:
    """Largest share of its documents that a source of ``min_documents`` or more would lose as duplicates.

    Why: where most of a source goes, either the source is made of copies, or the comparison takes unlike documents for
    copies: in 2026 one pipeline lost 97 % of its books that way.
    Do: look at the largest clusters and at some pairs before anything is dropped.
    """
    assert evidence.duplicates is not None
    judged = [each for each in evidence.duplicates.sources if each.documents >= options["min_documents"]]
    if not judged:
        return Outcome.skip(f"No source has {number(options['min_documents'])} documents.")
    worst = judged[0]
    lost = _lost(worst)
    message = f"No source of {number(options['min_documents'])} or more documents has duplicates."
    if lost:
        message = (
            f"Source {worst.name} would lose {lost:,} of {counted(worst.documents, 'document')} "
            f"({percent(lost / worst.documents)}), more than any other."
        )
    if evidence.duplicates.sample is not None:
        message += " Exact copies alone: near duplicates were only sampled."
    return Outcome(
        lost / worst.documents,
        message,
        documents=lost,
        tokens=worst.exact_tokens + (worst.near_tokens or 0),
        worst_sources=[
            Part(name=each.name, documents=_lost(each), of_documents=each.documents, share=_lost(each) / each.documents)
            for each in judged[:5]
            if _lost(each)
        ],
    )


def _lost(rate: DuplicateRate) -> int:
    return rate.exact_documents + (rate.near_documents or 0)


@check(
    "boilerplate",
    group=GROUP,
    title="Lines in many documents",
    unit="documents",
    needs=("duplicates", "char_count"),
)
def boilerplate(evidence: Evidence, options: Options) -> Outcome:
    """Number of documents that the most frequent line or paragraph stands in; lines of 10 characters or more.

    Why: menus, licences and footers are seen in every batch and teach nothing new.
    Do: cut them where the text is extracted.
    """
    assert evidence.duplicates is not None
    repeats = evidence.duplicates.repeats
    if not repeats:
        return Outcome(0, "No line of 10 characters or more stands in two documents.")
    worst = max(repeats, key=lambda each: (each.documents, -each.doc_id))
    share = worst.documents / evidence.duplicates.corpus.documents
    message = f"The most frequent {worst.kind} stands in {counted(worst.documents, 'document')} ({percent(share)})."
    details = {
        "repeats": [
            {"kind": each.kind, "documents": each.documents, "excerpt": each.excerpt, "doc_id": each.doc_id}
            for each in repeats
        ]
    }
    return Outcome(worst.documents, message, documents=worst.documents, details=details)
