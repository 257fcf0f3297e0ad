"""Checks of labels: what a trainer would learn from them."""

import polars as pl

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.shares import number_of_documents, share_of_documents
from dataaudit.checks.wording import counted, number, percent

GROUP = "labels"
MOSTLY = 0.9
"""Share of labels that equal the next token where labels were shifted; packing breaks a few."""

_MATCH = pl.col("label_match_ratio")
_LENGTHS_DIFFER = pl.col("label_count") != pl.col("token_count")
_SHIFTED = (
    (pl.col("next_token_label_ratio").fill_null(0) >= MOSTLY)
    & (pl.col("next_token_label_ratio") > _MATCH.fill_null(0))
    & _LENGTHS_DIFFER.not_()
)


@check("all-masked-labels", group=GROUP, title="Documents without a label", unit="documents", needs=("label_count",))
def all_masked_labels(evidence: Evidence, options: Options) -> Outcome:
    """Documents whose labels are all -100.

    Why: nothing is learned from them; a batch of them has a loss of 0, or NaN, and looks like a success.
    Do: look for a response template that the text does not hold, or a prompt that filled the context.
    """
    condition = pl.col("masked_label_ratio") == 1
    outcome = number_of_documents(evidence, condition, pl.col("label_count"), "have no label but -100")
    outcome.details |= _shares(evidence)
    return outcome


@check("masked-labels", group=GROUP, title="Masked labels", unit="share of labels", needs=("label_count",))
def masked_labels(evidence: Evidence, options: Options) -> Outcome:
    """Share of all labels that are -100.

    Why: it says how much of the corpus is trained on; 0 in a chat corpus means that prompts are learned too.
    Do: compare with what you meant to mask.
    """
    details = _shares(evidence)
    share = details["masked"] / details["labels"] if details["labels"] else None
    without = evidence.total(pl.col("label_count").is_null().sum())
    message = f"{percent(share)} of {counted(details['labels'], 'label')} are -100."
    if without:
        message += f" {counted(without, 'document')} without labels."
    return Outcome(share, message, details=details | {"documents_without_labels": without})


@check(
    "masked-eos", group=GROUP, title="End tokens without a label", unit="share of documents", needs=("eos_label_count",)
)
def masked_eos(evidence: Evidence, options: Options) -> Outcome:
    """Share of documents with ``model.eos_id`` labelled -100 right after a token that has a label.

    An end token inside a masked prompt is left out.

    Why: the model never learns to stop. A collator that masks padding does this where padding is the end token.
    Do: give padding an id of its own, or mask it by the attention mask.
    """
    signal = pl.col("cut_eos_label_count")
    condition = (signal > 0) & _SHIFTED.not_()
    verb = "have an end token without a label after tokens with one"
    outcome = share_of_documents(evidence, condition, signal, verb, at="cut_eos_label_start")
    ends = evidence.total(pl.col("eos_label_count").sum())
    masked = evidence.total(pl.col("masked_eos_label_count").sum())
    outcome.details |= {
        "eos_tokens": ends,
        "masked_eos_tokens": masked,
        "masked_ratio": masked / ends if ends else None,
    }
    return outcome


@check("shifted-labels", group=GROUP, title="Labels already shifted", unit="share of documents", needs=("label_count",))
def shifted_labels(evidence: Evidence, options: Options) -> Outcome:
    """Share of documents whose labels are the next tokens rather than the same ones.

    Why: models of transformers, and most trainers, shift labels themselves; shifted twice, they predict the token after
    the next.
    Do: store labels equal to the ids, or use a trainer that does not shift.
    """
    verb = "have labels that equal the next token"
    return share_of_documents(evidence, _SHIFTED, pl.col("label_count"), verb, at="label_mismatch_start")


@check(
    "foreign-labels", group=GROUP, title="Labels unlike the tokens", unit="share of documents", needs=("label_count",)
)
def foreign_labels(evidence: Evidence, options: Options) -> Outcome:
    """Share of documents with labels, other than -100, that are neither the token at their place nor the next one.

    Labels out of range and lists of another length are counted by the checks of their own.

    Why: a causal model is trained on its own text; such labels belong to other rows, or were made by other code.
    Do: look at the examples; for an encoder-decoder model switch this check off.
    """
    condition = (_MATCH < 1) & _SHIFTED.not_() & _LENGTHS_DIFFER.not_() & _out_of_range(evidence).not_()
    return share_of_documents(evidence, condition, -_MATCH, "have labels of other tokens", at="label_mismatch_start")


@check("label-length", group=GROUP, title="Labels of another length", unit="documents", needs=("label_count",))
def label_length(evidence: Evidence, options: Options) -> Outcome:
    """Documents with more or fewer labels than tokens.

    Why: trainers stop at them, or pad one of the two and train on labels of other tokens.
    Do: look at the code that cuts or packs ids and forgets labels; for an encoder-decoder model switch this check off.
    """
    by = (pl.col("label_count") - pl.col("token_count")).abs()
    return number_of_documents(evidence, _LENGTHS_DIFFER, by, "have more or fewer labels than tokens")


@check("label-range", group=GROUP, title="Labels out of range", unit="documents", needs=("label_count",))
def label_range(evidence: Evidence, options: Options) -> Outcome:
    """Documents with a label that is neither -100 nor a row of the model's embedding table.

    Without ``model.vocab_size`` and without a tokenizer only negative labels are.

    Why: cross-entropy reads outside of its table: an assertion on the GPU, far from here, or garbage.
    Do: mask with -100 and nothing else; take the tokenizer that belongs to the model.
    """
    limit = evidence.id_limit
    negative = pl.col("negative_label_count") > 0
    starts = pl.when(negative).then(pl.col("negative_label_start")).otherwise(pl.col("max_label_start"))
    what = "below 0" if limit is None else f"outside 0 to {number(limit - 1)}"
    by = pl.max_horizontal("negative_label_count", "max_label_id")
    outcome = number_of_documents(
        evidence, _out_of_range(evidence), by, f"have a label {what} that is not -100", at=starts
    )
    outcome.details["largest_label"] = evidence.total(pl.col("max_label_id").max())
    return outcome


def _out_of_range(evidence: Evidence) -> pl.Expr:
    limit = evidence.id_limit
    above = pl.lit(False) if limit is None else (pl.col("max_label_id") >= limit).fill_null(False)
    return (pl.col("negative_label_count") > 0) | above


def _shares(evidence: Evidence) -> dict[str, int]:
    labels = evidence.total(pl.col("label_count").sum())
    masked = evidence.sum_of_ratio("masked_label_ratio", "label_count")
    return {"labels": labels, "masked": masked, "trainable": labels - masked}
