"""Checks of rare and digit tokens: the pattern that blew up a fine-tune."""

import polars as pl

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.shares import share_of_documents
from dataaudit.checks.token_ids import TOKENS_PER_ID, token_floor, too_small

GROUP = "rare tokens"


@check(
    "rare-tokens",
    group=GROUP,
    title="Documents of rare tokens",
    unit="share of documents",
    needs=("rare_token_ratio", "token_count", "token_counts"),
    options={"limit": 0.05, "min_tokens": 64, "tokens_per_id": TOKENS_PER_ID},
)
def rare_tokens(evidence: Evidence, options: Options) -> Outcome:
    """Share of documents of ``min_tokens`` or more in which more than ``limit`` of the tokens are rare in the corpus.

    A token is rare that occurs fewer than 100 times. Judged when the corpus has ``tokens_per_id`` tokens for each id
    of the tokenizer: in a small corpus nearly every token is rare.

    Why: gradients of rarely trained embeddings are large; one such document took an fp16 run to NaN.
    Do: quarantine the documents; lower the learning rate or clip gradients if they must stay.
    """
    signal = pl.col("rare_token_ratio")
    condition = (signal > options["limit"]) & (pl.col("token_count") >= options["min_tokens"])
    outcome = share_of_documents(
        evidence, condition, signal, f"have more than {options['limit'] * 100:g} % rare tokens"
    )
    floor = token_floor(evidence, options["tokens_per_id"])
    return too_small(outcome, floor) if evidence.lengths.total < floor else outcome


@check(
    "digit-tokens",
    group=GROUP,
    title="Documents of numbers",
    unit="share of documents",
    needs=("digit_token_ratio",),
    options={"limit": 0.5},
)
def digit_tokens(evidence: Evidence, options: Options) -> Outcome:
    """Share of documents in which more than ``limit`` of the tokens are digits.

    Why: tables of numbers have a high loss that nothing can lower, and crowd out text.
    Do: drop them, or keep them as a source of their own with a known share.
    """
    signal = pl.col("digit_token_ratio")
    return share_of_documents(
        evidence, signal > options["limit"], signal, f"are more than {options['limit'] * 100:g} % digit tokens"
    )
