"""Check of the rows of the embedding table that a corpus of token ids uses, without a tokenizer."""

import numpy as np

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.token_ids import GROUP, TOKENS_PER_ID, too_small
from dataaudit.checks.wording import agree, counted, percent


@check(
    "embedding-rows",
    group=GROUP,
    title="Embedding rows never used",
    unit="share of ids",
    needs=("given_ids", "token_counts"),
    options={"tokens_per_id": TOKENS_PER_ID},
)
def embedding_rows(evidence: Evidence, options: Options) -> Outcome:
    """Share of the rows below ``model.vocab_size`` whose id never occurs; vocabulary-coverage with a tokenizer.

    Judged when the corpus has ``tokens_per_id`` tokens for each row.

    Why: ids of a smaller vocabulary fit into a larger table without an error; another tokenizer made them.
    Do: compare the largest id that occurs with the tokenizer's; tokenize again if they do not fit.
    """
    counts, rows = evidence.token_counts, evidence.config.model.vocab_size
    if evidence.vocabulary is not None:
        return Outcome.skip("A tokenizer was given: vocabulary-coverage judges its own ids.")
    if rows is None:
        return Outcome.skip("The config has no model.vocab_size.")
    assert counts is not None
    used = np.flatnonzero(counts.counts[:rows])
    largest = int(used.max(initial=-1))
    share = 1 - len(used) / rows
    details = {"rows": rows, "used": len(used), "largest_id": largest, "tokens": counts.total}
    message = (
        f"{rows - len(used):,} of {counted(rows, 'row')} ({percent(share)}) {agree(rows - len(used), 'are')} never "
        f"used; the largest id below {rows:,} is {largest:,}."
    )
    floor = int(options["tokens_per_id"] * rows)
    outcome = Outcome(share, message, details=details)
    return too_small(outcome, floor) if counts.total < floor else outcome
