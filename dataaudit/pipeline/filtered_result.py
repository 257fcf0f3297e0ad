"""What is clean after a filter, from the stored signals of its run alone: how much, whose, how distributed."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.filter_result import FilterResult
from dataaudit.pipeline.filter_plan import RESULT_NAME, FilterPlan
from dataaudit.pipeline.judge import summarised
from dataaudit.pipeline.lookup import load_result
from dataaudit.pipeline.signal_tables import signal_tables
from dataaudit.pipeline.store import RunFolder
from dataaudit.pipeline.verdicts import verdicts_of
from dataaudit.result import AuditResult, SourceSummary
from dataaudit.signals import all_signals
from dataaudit.sketches.histograms import SignalHistograms, bin_edges

ALL = ""
"""The one source that histograms of the whole corpus are kept under."""


def filtered_result(out: Path, plan: FilterPlan) -> AuditResult:
    """Returns the result of the run without what the filter took out; nothing is judged in it.

    Signals that are measured against the whole corpus are left out: they would come out differently for what is clean.
    """
    before = load_result(Path(plan.run))
    done = msgspec.json.decode((out / RESULT_NAME).read_bytes(), type=FilterResult)
    names = [name for name in before.signals if not depends_on_corpus(name)]
    weight = "token_count" if before.lengths.get("unit") == "tokens" else "char_count"
    histograms, sizes = SignalHistograms(), _Sizes()
    types: dict[str, pa.DataType] = {}
    for table in clean_tables(plan, before.corpus.shards):
        weights = _numbers(table, weight)
        columns = table.select([name for name in names if name in table.column_names]).combine_chunks()
        types |= {field.name: field.type for field in columns.schema}
        sources = pa.repeat(pa.scalar(ALL, pa.large_string()), table.num_rows)
        for batch in columns.to_batches():
            histograms.update(sources, weights, batch)
        sizes.add(table)
    rows = pl.DataFrame(histograms.to_table())
    return msgspec.structs.replace(
        before,
        corpus=msgspec.structs.replace(
            before.corpus,
            records=done.records.clean,
            documents=done.funnel.kept.documents,
            unreadable=0,
            without_text=0,
            tokens=done.funnel.kept.tokens,
            characters=sizes.characters if before.corpus.characters is not None else None,
        ),
        findings=[],
        rules=[],
        sources=sizes.summaries(has_tokens=weight == "token_count", has_text=before.corpus.characters is not None),
        signals={
            name: summarised(
                before.signals[name].unit,
                rows.filter(pl.col("signal") == name),
                bin_edges(name, is_integer=pa.types.is_integer(types[name])),
            )
            for name in names
            if name in types
        },
    )


def depends_on_corpus(name: str) -> bool:
    """Whether a signal says something of a document that depends on the other documents."""
    signal = all_signals().get(name)
    return signal is not None and (signal.needs in ("duplicates", "drift") or "pooled_counts" in signal.requires)


def clean_tables(plan: FilterPlan, shards: int) -> Iterator[pa.Table]:
    """Gives all signals of the documents that a filter keeps, in the order of the corpus."""
    for shard in range(shards):
        for table in signal_tables(RunFolder(Path(plan.run)), shard, None):
            yield table.filter(pa.array(~verdicts_of(plan.rules, table, plan.restored).out))


class _Sizes:
    """Documents, tokens and characters by source."""

    def __init__(self) -> None:
        self._tables: list[pl.DataFrame] = []

    def add(self, table: pa.Table) -> None:
        names = pl.Series(table.column("source").to_pylist(), dtype=pl.String)
        tokens, characters = _numbers(table, "token_count"), _numbers(table, "char_count")
        part = pl.DataFrame({"name": names, "tokens": tokens, "characters": characters})
        part = part.with_columns(pl.lit(1, pl.Int64).alias("documents"))
        self._tables = [pl.concat([*self._tables, part]).group_by("name").sum()]

    @property
    def characters(self) -> int:
        return sum(int(table["characters"].sum()) for table in self._tables)

    def summaries(self, *, has_tokens: bool, has_text: bool) -> list[SourceSummary]:
        order = ["tokens" if has_tokens else "characters", "name"]
        table = pl.concat(self._tables).sort(order, descending=[True, False]) if self._tables else pl.DataFrame()
        whole = {name: int(table[name].sum()) for name in ("documents", "tokens", "characters")} if len(table) else {}

        def share(row: dict[str, int], name: str) -> float | None:
            return row[name] / whole[name] if whole[name] else None

        return [
            SourceSummary(
                name=row["name"],
                documents=row["documents"],
                tokens=row["tokens"] if has_tokens else None,
                characters=row["characters"] if has_text else None,
                document_share=share(row, "documents"),
                token_share=share(row, "tokens") if has_tokens else None,
                character_share=share(row, "characters") if has_text else None,
            )
            for row in table.iter_rows(named=True)
        ]


def _numbers(table: pa.Table, name: str) -> NDArray[np.int64]:
    if name not in table.column_names:
        return np.zeros(table.num_rows, np.int64)
    return np.asarray(table.column(name).fill_null(0).to_numpy(), np.int64)
