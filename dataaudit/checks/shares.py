"""Checks of one shape: the share of documents that meet a condition."""

import polars as pl

from dataaudit.checks.check import Outcome
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.wording import agree, counted, percent


def share_of_documents(
    evidence: Evidence, condition: pl.Expr, by: pl.Expr, verb: str, at: str | pl.Expr | None = None
) -> Outcome:
    """Judges the share of documents that meet *condition*.

    *verb*, in the plural, ends the sentence "3 of 240 documents (1.25 %) …"; *at* is the signal of the first place.
    """
    found = evidence.find(condition, by, at)
    if not found.documents:
        return Outcome.of(found, f"No documents {verb}.", value=found.share)
    details = {"token_share": found.token_share}
    message = (
        f"{found.documents:,} of {counted(found.of_documents, 'document')} ({percent(found.share)}; "
        f"{percent(found.token_share)} of {evidence.weight_unit}) {agree(found.documents, verb)}."
    )
    return Outcome.of(found, message, value=found.share, details=details)


def number_of_documents(
    evidence: Evidence, condition: pl.Expr, by: pl.Expr, verb: str, at: str | pl.Expr | None = None
) -> Outcome:
    """Judges how many documents meet *condition*; the arguments are those of ``share_of_documents``."""
    outcome = share_of_documents(evidence, condition, by, verb, at)
    outcome.details["share"] = outcome.value
    outcome.value = outcome.documents
    return outcome


def share_of_characters(evidence: Evidence, ratio: str, what: str) -> Outcome:
    """Judges the share of all characters that a ``*_char_ratio`` signal counts; *what* names them, in the plural."""
    found = evidence.find(pl.col(ratio) > 0, pl.col(ratio))
    characters = evidence.total(pl.col("char_count").sum())
    hits = evidence.sum_of_ratio(ratio)
    value = hits / characters if characters else None
    if not hits:
        return Outcome.of(found, f"No {what}.", value=value)
    message = (
        f"{percent(value)} of characters ({hits:,}) are {what}, "
        f"in {found.documents:,} of {counted(found.of_documents, 'document')}."
    )
    return Outcome.of(found, message, value=value, details={"characters": hits, "document_share": found.share})
