"""What checks look at: the signals as a lazy table, the merged sketches, and what reading gave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from dataaudit.checks.reencoded import Reencoded, TextCompared
from dataaudit.config.schema import Config
from dataaudit.corpus import TokenFacts
from dataaudit.kernels.vocabulary import Vocabulary
from dataaudit.order_quality.facts import OrderFacts
from dataaudit.result import Drift, Duplicates, Example, FileSummary, Part, RuleOutcome
from dataaudit.sketches.lengths import LengthHistogram
from dataaudit.sketches.token_counts import TokenCounts

WORST = 5
"""Shards and sources that a finding lists."""
EXAMPLES = 10
"""Documents that a finding lists."""
NO_IDS = "the corpus did not come as token ids"
IDENTITY = ("doc_id", "id", "file", "record", "source")
"""Columns that say which document it is."""


@dataclass(frozen=True, slots=True)
class Found:
    """The documents that meet a condition, and how much of the corpus they are.

    Attributes:
        documents, tokens: how many meet it (characters in place of tokens without a tokenizer).
        of_documents, of_tokens: how many there are.
        worst_shards, worst_sources: at most WORST each, largest share first.
        examples: at most EXAMPLES, the most extreme first.
    """

    documents: int
    tokens: int
    of_documents: int
    of_tokens: int
    worst_shards: list[Part]
    worst_sources: list[Part]
    examples: list[Example]

    @property
    def share(self) -> float | None:
        """Share of documents; None in an empty corpus."""
        return self.documents / self.of_documents if self.of_documents else None

    @property
    def token_share(self) -> float | None:
        """Share of tokens (or characters); None when there are none."""
        return self.tokens / self.of_tokens if self.of_tokens else None


@dataclass(frozen=True)
class Evidence:
    """Everything that was measured.

    Attributes:
        config: the resolved config.
        documents: a row a document: ``shard``, ``weight`` (tokens, or characters without a tokenizer), ``doc_id``,
            ``id``, ``source``, ``file``, ``record`` and every signal that was measured.
        measured: names of the signals in *documents*.
        not_measured: why each other signal was not measured.
        weight_unit: ``tokens`` or ``characters``.
        files: what reading each file gave.
        lost: records that gave no document, the first of the corpus.
        token_files: what each file that is a raw array of token ids says about itself, by name.
        lengths: exact lengths in the weight's unit.
        token_counts: occurrences of each id, or None without token ids.
        vocabulary: facts about the tokenizer, or None.
        tokenizer_ids: ids that the tokenizer itself names, by ``bos_id``, ``eos_id`` and ``pad_id``; None where it does
            not.
        rules: what each rule would remove.
        rule_families: for each family of signals that rules look at, the documents over at least one of their limits.
        shard_tokens: tokens that the second pass read from the token shards.
        tokenized_input: whether the corpus came as token ids.
        reencoded: what a sample of the ids became when they were decoded and encoded, or None.
        text_beside: what a sample of the ids is beside the text that they are said to come from, or None.
        drift: shards and windows against the corpus, or None before they were compared.
        duplicates: which documents repeat others, or None when they were not compared.
        order: the order of training, or None when the config names none.
        order_documents: the documents that *order* names, by their number in the training set.
    """

    config: Config
    documents: pl.LazyFrame
    measured: frozenset[str]
    not_measured: Mapping[str, str]
    weight_unit: str
    files: Sequence[FileSummary]
    lost: Sequence[Example]
    lengths: LengthHistogram
    token_counts: TokenCounts | None
    vocabulary: Vocabulary | None
    rules: Sequence[RuleOutcome]
    rule_families: Mapping[str, Found]
    shard_tokens: int
    tokenized_input: bool
    tokenizer_ids: Mapping[str, int | None] = field(default_factory=dict)
    reencoded: Reencoded | None = None
    text_beside: TextCompared | None = None
    drift: Drift | None = None
    duplicates: Duplicates | None = None
    order: OrderFacts | None = None
    order_documents: Mapping[int, Example] = field(default_factory=dict)
    token_files: Mapping[str, TokenFacts] = field(default_factory=dict)

    def has(self, need: str) -> bool:
        """Says whether a signal or a fact was measured."""
        match need:
            case "token_counts":
                return self.token_counts is not None
            case "vocabulary":
                return self.vocabulary is not None
            case "given_ids":
                return self.tokenized_input
            case "token_files":
                return bool(self.token_files)
            case "drift":
                return self.drift is not None
            case "duplicates":
                return self.duplicates is not None
            case "order":
                return self.order is not None
            case "reencoded":
                return self.reencoded is not None
            case "text_beside":
                return self.text_beside is not None
            case "reference":
                return self.drift is not None and self.drift.reference is not None
            case "rules":
                return any(rule.status == "judged" for rule in self.rules)
            case _:
                return need in self.measured

    def missing(self, need: str) -> str:
        """Says why a signal or a fact was not measured."""
        match need:
            case "given_ids":
                return NO_IDS
            case "token_files":
                return "no file is a raw array of token ids" if self.tokenized_input else NO_IDS
            case "drift":
                return "shards were not compared"
            case "duplicates":
                return "documents were not compared (duplicates.enabled is false)"
            case "order":
                return "the config names no order of training (order.name)"
            case "reencoded" | "text_beside" if not self.tokenized_input:
                return NO_IDS
            case "text_beside":
                return "no text was given beside the ids (--text)"
            case "reencoded":
                return "no tokenizer was given"
            case "reference":
                return "no reference run was given (--reference RUN)"
            case "rules":
                return "no rule of the config could be judged"
            case "token_counts" | "vocabulary":
                return "no tokenizer was given"
            case _:
                return self.not_measured.get(need, f"the corpus has no column {need}")

    @cached_property
    def _totals(self) -> pl.DataFrame:
        return (
            self.documents.group_by("shard", "source")
            .agg(pl.len().alias("documents"), pl.col("weight").sum().alias("tokens"))
            .collect(engine="streaming")
        )

    @property
    def id_limit(self) -> int | None:
        """The rows of the model's embedding table, else the tokenizer's id space; None when neither is known."""
        rows = self.config.model.vocab_size
        return rows if rows is not None else self.vocabulary.id_space if self.vocabulary else None

    def find(self, condition: pl.Expr, by: pl.Expr, at: str | pl.Expr | None = None) -> Found:
        """Finds the documents that meet a condition (null does not).

        *by* orders the examples, largest first; *at* is the signal, or an expression, that says at which token it
        shows first.
        """
        if not isinstance(at, pl.Expr):
            at = pl.col(at) if at in self.measured else pl.lit(None, pl.Int64)
        matching = self.documents.filter(condition)
        counts, examples = pl.collect_all(
            [
                matching.group_by("shard", "source").agg(
                    pl.len().alias("documents"), pl.col("weight").sum().alias("tokens")
                ),
                matching.select(*IDENTITY, by.cast(pl.Float64).alias("value"), at.alias("position"))
                .sort("value", "doc_id", descending=[True, False], nulls_last=True)
                .head(EXAMPLES),
            ],
            engine="streaming",
        )
        return Found(
            int(counts["documents"].sum()),
            int(counts["tokens"].sum()),
            int(self._totals["documents"].sum()),
            int(self._totals["tokens"].sum()),
            self._worst(counts, "shard"),
            self._worst(counts, "source"),
            [Example(**row) for row in examples.iter_rows(named=True)],
        )

    def _worst(self, counts: pl.DataFrame, key: str) -> list[Part]:
        of = self._totals.group_by(key).agg(pl.col("documents").sum().alias("of_documents"))
        rows = (
            counts.group_by(key)
            .agg(pl.col("documents").sum())
            .join(of, on=key)
            .with_columns((pl.col("documents") / pl.col("of_documents")).alias("share"))
            .sort("share", key, descending=[True, False])
            .head(WORST)
        )
        return [
            Part(
                name=f"shard {row[key]}" if key == "shard" else row[key],
                documents=row["documents"],
                of_documents=row["of_documents"],
                share=row["share"],
            )
            for row in rows.iter_rows(named=True)
        ]

    def total(self, expression: pl.Expr) -> int:
        """Returns an integer sum over all documents; 0 in an empty corpus."""
        value = self.documents.select(expression).collect(engine="streaming").item()
        return int(value or 0)

    def sum_of_ratio(self, ratio: str, count: str = "char_count") -> int:
        """Returns how many units a ratio stands for over the whole corpus; exact, since ratio · count is an integer."""
        return self.total((pl.col(ratio) * pl.col(count)).round().sum())
