"""Checks of repetition."""

import polars as pl

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.shares import number_of_documents
from dataaudit.checks.wording import agree, counted, percent

GROUP = "repetition"


@check(
    "repetition",
    group=GROUP,
    title="Repetitive documents",
    unit="share of documents",
    needs=("rules",),
)
def repetition(evidence: Evidence, options: Options) -> Outcome:
    """Share of documents over at least one repetition limit of the rules (lines, paragraphs, n-grams, characters).

    Why: text that repeats itself teaches a model to repeat itself, and its gradients spike.
    Do: see which rule in the details; filter, or look at the source's extraction.
    """
    rules = [rule for rule in evidence.rules if rule.family == GROUP and rule.status == "judged"]
    if not rules:
        return Outcome.skip("The config has no rule about repetition.")
    found = evidence.rule_families[GROUP]
    details = {rule.id: {"documents": rule.documents, "tokens": rule.tokens} for rule in rules}
    if not found.documents:
        return Outcome.of(
            found, f"No documents are over any of {counted(len(rules), 'limit')}.", value=found.share, details=details
        )
    worst = max(rules, key=lambda rule: (rule.documents, rule.id))
    message = (
        f"{found.documents:,} of {counted(found.of_documents, 'document')} ({percent(found.share)}; "
        f"{percent(found.token_share)} of {evidence.weight_unit}) {agree(found.documents, 'are')} over at least "
        f"one of {counted(len(rules), 'limit')}, "
        f"most over {worst.id}."
    )
    return Outcome.of(found, message, value=found.share, details=details)


@check(
    "periodic-tokens",
    group=GROUP,
    title="Periodic token sequences",
    unit="documents",
    needs=("periodic_token_repeat",),
    options={"limit": 32},
)
def periodic_tokens(evidence: Evidence, options: Options) -> Outcome:
    """Documents in which a sequence of 1 to 13 tokens stands at least ``limit`` times in a row.

    Why: OLMo 2 found such sequences in the batches of its loss spikes and filters them at 32.
    Do: quarantine these documents.
    """
    signal = pl.col("periodic_token_repeat")
    verb = f"repeat a sequence of 1 to 13 tokens at least {options['limit']:g} times in a row"
    return number_of_documents(evidence, signal >= options["limit"], signal, verb)
