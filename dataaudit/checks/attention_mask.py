"""Checks of attention masks: whether they show the tokens and hide the padding."""

import polars as pl

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.shares import number_of_documents
from dataaudit.checks.wording import counted

GROUP = "attention mask"


@check("mask-length", group=GROUP, title="Masks of another length", unit="documents", needs=("mask_count",))
def mask_length(evidence: Evidence, options: Options) -> Outcome:
    """Documents whose attention mask has more or fewer entries than there are tokens.

    Why: a trainer stops at them, or spreads the mask over other tokens.
    Do: look at the code that cuts or packs ids and forgets masks.
    """
    entries, tokens = pl.col("mask_count"), pl.col("token_count")
    return number_of_documents(
        evidence, entries != tokens, (entries - tokens).abs(), "have a mask of another length than their tokens"
    )


@check("mask-values", group=GROUP, title="Masks of other values", unit="documents", needs=("invalid_mask_count",))
def mask_values(evidence: Evidence, options: Options) -> Outcome:
    """Documents whose attention mask holds something else than 0 and 1.

    Some packing trainers write the number of the document there; switch this check off for them.

    Why: what is added to the attention scores is then neither "look" nor "do not look".
    Do: write 1 for tokens and 0 for padding.
    """
    signal = pl.col("invalid_mask_count")
    verb = "have a mask with values other than 0 and 1"
    return number_of_documents(evidence, signal > 0, signal, verb, at="invalid_mask_start")


@check("mask-holes", group=GROUP, title="Holes in masks", unit="documents", needs=("mask_hole_count",))
def mask_holes(evidence: Evidence, options: Options) -> Outcome:
    """Documents whose attention mask has zeros between entries that are not zero.

    Why: padding stands at an end; a hole hides a token from the model that the loss still asks for.
    Do: look at the examples: two padded documents that were joined, or a mask of another document.
    """
    signal = pl.col("mask_hole_count")
    return number_of_documents(evidence, signal > 0, signal, "have a mask with holes", at="mask_hole_start")


@check(
    "hidden-tokens", group=GROUP, title="Tokens that the mask hides", unit="documents", needs=("hidden_token_count",)
)
def hidden_tokens(evidence: Evidence, options: Options) -> Outcome:
    """Documents whose attention mask hides tokens other than ``model.pad_id`` at their ends.

    Why: the model does not see text that is there, or padding has another id than you think.
    Do: set ``model.pad_id`` to the id that fills up; make masks from lengths, not from ids.
    """
    return _against_padding(evidence, "hidden_token", "hide tokens that are no padding")


@check(
    "attended-padding",
    group=GROUP,
    title="Padding that the mask shows",
    unit="documents",
    needs=("attended_pad_count",),
)
def attended_padding(evidence: Evidence, options: Options) -> Outcome:
    """Documents whose attention mask shows ``model.pad_id`` tokens at their ends.

    Why: the model attends to padding, and what it says depends on how far a batch was filled up.
    Do: give the collator the mask of the tokenizer, or make it from lengths.
    """
    return _against_padding(evidence, "attended_pad", "show padding to the model")


def _against_padding(evidence: Evidence, family: str, verb: str) -> Outcome:
    signal = pl.col(f"{family}_count")
    outcome = number_of_documents(evidence, signal > 0, signal, verb, at=f"{family}_start")
    outcome.details["tokens"] = evidence.total(signal.sum())
    if outcome.documents:
        outcome.message += f" {counted(outcome.details['tokens'], 'token')} in all."
    return outcome
