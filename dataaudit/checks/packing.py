"""Checks of how the corpus fills the model's context, and how fast it reads back."""

import polars as pl

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.wording import counted, percent
from dataaudit.sketches.packing import packing as pack

GROUP = "lengths"
USUAL_CONTEXTS = (2048, 4096, 8192)


@check("packing", group=GROUP, title="Packing at the context length", unit="share of tokens", needs=("token_count",))
def packing(evidence: Evidence, options: Options) -> Outcome:
    """Share of padding when documents are packed by best fit into windows of ``model.max_length`` tokens.

    Beside it: what concatenating and cutting costs at the same length, in documents cut more often than they must be.
    ``model.context_lengths`` adds lengths; without these and ``model.max_length`` three usual ones are shown.

    Why: padding is compute for nothing; a cut document starts in its middle, without what came before.
    Do: where concatenation cuts many documents, pack by best fit; where best fit pads, concatenate.
    """
    model, lengths = evidence.config.model, evidence.lengths.distinct
    contexts = dict.fromkeys((*((model.max_length,) if model.max_length else ()), *model.context_lengths))
    table = [pack(lengths, context)._asdict() for context in contexts or USUAL_CONTEXTS]
    first = table[0]
    efficiency = first["best_fit_efficiency"]
    if efficiency is None:
        return Outcome.skip("No tokens.")
    cut = first["expected_truncated_documents"] / first["documents"]
    message = (
        f"At {counted(first['context'], 'token')}, best fit needs {counted(first['best_fit_windows'], 'window')} with "
        f"{percent(1 - efficiency)} padding; concatenating cuts about {percent(cut)} of documents more often than "
        "it must."
    )
    return Outcome(1 - efficiency, message, details={"packing": table})


@check(
    "padding-waste",
    group=GROUP,
    title="Padding in the corpus",
    unit="share of tokens",
    needs=("padding_token_count",),
)
def padding_waste(evidence: Evidence, options: Options) -> Outcome:
    """Share of the tokens that are padding (``model.pad_id`` at the ends of documents).

    Why: a model computes on padding as on text, and learns nothing from it.
    Do: store documents without padding and let the collator pad each batch, or pack them.
    """
    padding = pl.col("padding_token_count")
    found = evidence.find(padding > 0, padding)
    tokens, padded = evidence.lengths.total, evidence.total(padding.sum())
    if not tokens:
        return Outcome.skip("No tokens.")
    if not padded:
        return Outcome.of(found, "No document holds padding.", value=0.0)
    message = (
        f"{percent(padded / tokens)} of tokens ({padded:,}) are padding, in {found.documents:,} of "
        f"{counted(found.of_documents, 'document')}."
    )
    return Outcome.of(found, message, value=padded / tokens, details={"padding_tokens": padded})


@check("token-read-back", group="reading", title="Token shards read back", unit="tokens", needs=("token_counts",))
def token_read_back(evidence: Evidence, options: Options) -> Outcome:
    """Tokens that the second pass read from the token shards, against those that were counted while they were written.

    How fast they read back, in order and shuffled, is printed at the end of an audit and kept in ``timings.json``.

    Why: a trainer that waits for its data wastes the accelerators; better to know before launch.
    Do: if shuffled reading is slow, put the shards on a local disk.
    """
    assert evidence.token_counts is not None
    held, counted_tokens = evidence.shard_tokens, evidence.token_counts.total
    if held != counted_tokens:
        message = f"The shards hold {held:,} tokens, but {counted_tokens:,} were counted."
        return Outcome(abs(held - counted_tokens), message)
    return Outcome(0, f"All {held:,} tokens were read back from the shards; speeds are in timings.json.")
