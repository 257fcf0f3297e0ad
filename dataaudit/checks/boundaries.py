"""Checks of where documents start and end in their tokens."""

from typing import NamedTuple

import polars as pl

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import WORST, Evidence
from dataaudit.checks.shares import number_of_documents, share_of_documents
from dataaudit.checks.wording import agree, counted, percent
from dataaudit.result import Part

GROUP = "document ends"
WINDOW_TOKENS = 128
"""Documents of one and the same length, this or more, are windows that were cut from a stream."""
MOSTLY = 0.5
"""Unless more than this share of them starts or ends with padding."""
NO_IDS = "The config names neither model.bos_id nor model.eos_id."
MADE_HERE = "The corpus is text, tokenized here without special tokens; the trainer adds them."


@check("bos-eos", group=GROUP, title="Document start and end tokens", unit="share of documents", needs=("token_count",))
def bos_eos(evidence: Evidence, options: Options) -> Outcome:
    """Share of documents that do not start with ``model.bos_id`` or do not end with ``model.eos_id``.

    Padding (``model.pad_id``) is looked past. Files whose documents are windows of one length are left out, and so is
    the token by which a file without an index was cut into documents.

    Why: without them the model never sees where a text starts and ends; a tokenizer update has lost BOS before.
    Do: add the tokens where the corpus is tokenized; look at the documents with the end token inside.
    """
    reason = _not_judged(evidence)
    if reason is not None:
        return Outcome.skip(reason)
    ends = _Ends(evidence)
    if not ends.tokens:
        return Outcome.skip("The documents of every file were cut by length or by this very token.")
    lacking = {name: expression.not_() for name, expression in ends.tokens.items()}
    verb = " or ".join(f"do not {'start' if name == 'BOS' else 'end'} with {name}" for name in lacking)
    outcome = share_of_documents(evidence, pl.any_horizontal(*lacking.values()), pl.col("weight"), verb)
    model = evidence.config.model
    outcome.details |= {
        "documents_without_bos": evidence.total(lacking["BOS"].sum()) if "BOS" in lacking else None,
        "documents_without_eos": evidence.total(lacking["EOS"].sum()) if "EOS" in lacking else None,
        "documents_with_eos_inside": None
        if model.eos_id is None
        else evidence.total((pl.col("inner_eos_count") > 0).sum()),
        "files_not_judged": len(ends.left_out),
    }
    return outcome


@check(
    "bos-eos-on-some",
    group=GROUP,
    title="Start and end tokens on some documents only",
    unit="share of documents",
    needs=("token_count",),
)
def bos_eos_on_some(evidence: Evidence, options: Options) -> Outcome:
    """How far a shard, or the corpus, is from all documents or none having ``model.bos_id`` (``model.eos_id``).

    The smaller of the shares with and without it: 0 when all or none have it, at most 0.5. What bos-eos leaves out is
    left out here too.

    Why: where some have it and some do not, two tokenizers or two pipelines made the corpus.
    Do: tokenize the shards named again, with one pipeline.
    """
    reason = _not_judged(evidence)
    if reason is not None:
        return Outcome.skip(reason)
    ends = _Ends(evidence)
    if not ends.tokens:
        return Outcome.skip("The documents of every file were cut by length or by this very token.")
    shards = (
        evidence.documents.group_by("shard")
        .agg(*(expression.sum().alias(name) for name, expression in ends.tokens.items()), *ends.judged)
        .sort("shard")
        .collect(engine="streaming")
    )
    found = [
        _Mixed(name, f"shard {row['shard']}", row[name] or 0, row[f"of_{name}"])
        for name in ends.tokens
        for row in shards.iter_rows(named=True)
    ]
    whole = [
        _Mixed(name, "the corpus", int(shards[name].sum()), int(shards[f"of_{name}"].sum())) for name in ends.tokens
    ]
    details = {f"{each.token.lower()}_ratio": each.has / each.of for each in whole if each.of}
    ranked = sorted((each for each in (*whole, *found) if each.of), key=lambda each: -each.value)
    if not ranked or not ranked[0].value:
        return Outcome(0.0, f"All documents agree on {' and '.join(ends.tokens)}.", documents=0, details=details)
    worst = ranked[0]
    verb = f"do not {'start' if worst.token == 'BOS' else 'end'} with {worst.token}"
    message = (
        f"In {worst.where}, {worst.lacking:,} of {counted(worst.of, 'document')} ({percent(worst.lacking / worst.of)}) "
        f"{agree(worst.lacking, verb)}; the others do."
    )
    parts = [
        Part(name=each.where, documents=each.lacking, of_documents=each.of, share=each.lacking / each.of)
        for each in ranked
        if each.value and each not in whole
    ]
    return Outcome(worst.value, message, details=details, worst_shards=parts[:WORST])


@check(
    "eos-inside",
    group=GROUP,
    title="End tokens inside documents",
    unit="share of documents",
    needs=("inner_eos_start",),
)
def eos_inside(evidence: Evidence, options: Options) -> Outcome:
    """Share of documents with ``model.eos_id`` before their last token.

    Files whose documents are windows of one length are left out, and those whose documents start with it (llm.c).

    Why: attention and positions are reset there, and the text after it is learned as a document of its own.
    Do: look at the examples: documents that were joined, or text that spelled out the token.
    """
    left_out = _windows(evidence) + _started_by_eos(evidence)
    signal = pl.col("inner_eos_count")
    condition = (signal > 0) & pl.col("file").is_in(left_out).not_()
    outcome = share_of_documents(evidence, condition, signal, "have the end token inside", at="inner_eos_start")
    outcome.details["tokens"] = evidence.total(signal.filter(condition).sum())
    return outcome


@check(
    "double-specials",
    group=GROUP,
    title="Doubled start and end tokens",
    unit="documents",
    needs=("double_special_count",),
)
def double_specials(evidence: Evidence, options: Options) -> Outcome:
    """Documents with ``model.bos_id`` or ``model.eos_id`` twice in a row, padding apart.

    Why: a template and a tokenizer have both added it; the model is then used with one, and was trained with two.
    Do: let only one of them add it (``add_special_tokens=False`` for text from a chat template).
    """
    signal = pl.col("double_special_count")
    model = evidence.config.model
    if model.bos_id is None and model.eos_id is None:
        return Outcome.skip(NO_IDS)
    return number_of_documents(
        evidence, signal > 0, signal, "have a start or end token twice in a row", at="double_special_start"
    )


@check(
    "empty-sequences",
    group=GROUP,
    title="Documents without tokens",
    unit="documents",
    needs=("given_ids", "token_count"),
)
def empty_sequences(evidence: Evidence, options: Options) -> Outcome:
    """Documents of a corpus of token ids that have none.

    Why: an empty sequence is a loss over nothing: NaN in some trainers, an error of a shape in others.
    Do: drop them; look at what made them.
    """
    return number_of_documents(evidence, pl.col("token_count") == 0, pl.col("record"), "have no tokens")


class _Mixed(NamedTuple):
    """How many documents of a part of the corpus have a token at their start or end."""

    token: str
    where: str
    has: int
    of: int

    @property
    def lacking(self) -> int:
        return self.of - self.has

    @property
    def value(self) -> float:
        """How far the part is from all or none, 0 to 0.5."""
        return min(self.has, self.lacking) / self.of


class _Ends:
    """Which documents start and end as they should.

    Attributes:
        tokens: by ``BOS`` and ``EOS``, whether a document has it; null where it is not judged. Those that the config
            does not name, or that no file is judged by, are not there.
        judged: how many documents are judged, as ``of_BOS`` and ``of_EOS``.
        left_out: files of which something is not judged.
    """

    def __init__(self, evidence: Evidence) -> None:
        windows = _windows(evidence)
        model, cut = evidence.config.model, evidence.token_files
        padded = "first_content_token_id" in evidence.measured
        first, last = (
            ("first_content_token_id", "last_content_token_id") if padded else ("first_token_id", "last_token_id")
        )
        self.tokens: dict[str, pl.Expr] = {}
        self.judged: list[pl.Expr] = []
        self.left_out: set[str] = set()
        started = _started_by_eos(evidence)
        for name, id_, column, by in (("BOS", model.bos_id, first, "bos"), ("EOS", model.eos_id, last, "eos")):
            if id_ is None:
                continue
            files = {*windows, *(file for file, facts in cut.items() if facts.delimited_by in (by, "length"))}
            files |= set(started) if name == "EOS" else set()
            self.left_out |= files
            if evidence.files and files >= {file.name for file in evidence.files if file.documents}:
                continue
            has = (pl.col(column) == id_).fill_null(False)
            expression = pl.when(pl.col("file").is_in(sorted(files)).not_()).then(has)
            self.tokens[name] = expression
            self.judged.append(expression.count().alias(f"of_{name}"))


def _not_judged(evidence: Evidence) -> str | None:
    model = evidence.config.model
    if model.bos_id is None and model.eos_id is None:
        return NO_IDS
    if not evidence.tokenized_input and not evidence.config.tokenizer.add_special_tokens:
        return MADE_HERE
    return None


def _started_by_eos(evidence: Evidence) -> list[str]:
    """Returns the files of which a document starts at each ``model.eos_id``, as llm.c writes them."""
    model = evidence.config.model
    if model.bos_id not in (None, model.eos_id):
        return []
    return [name for name, facts in evidence.token_files.items() if facts.delimited_by == "bos"]


def _windows(evidence: Evidence) -> list[str]:
    """Returns the files whose documents, but for the last, have one length: windows of a stream, as packing cuts them.

    Documents that were padded to one length are none.
    """
    if not evidence.tokenized_input:
        return []
    length, pad = pl.col("token_count"), evidence.config.model.pad_id
    padded = pl.lit(False) if pad is None else (pl.col("first_token_id") == pad) | (pl.col("last_token_id") == pad)
    found = (
        evidence.documents.group_by("file")
        .agg(
            pl.len().alias("documents"),
            length.max().alias("longest"),
            (length == length.max()).sum().alias("alike"),
            padded.mean().alias("padded"),
        )
        .filter(
            (pl.col("documents") > 2)
            & (pl.col("longest") >= WINDOW_TOKENS)
            & (pl.col("alike") >= pl.col("documents") - 1)
            & (pl.col("padded") <= MOSTLY)
        )
        .collect(engine="streaming")
    )
    return sorted(found["file"].to_list())
