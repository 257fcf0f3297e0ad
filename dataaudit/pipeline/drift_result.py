"""The report's part on drift, made of the tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq

from dataaudit.config.schema import Config
from dataaudit.drift.excess import reference_drift
from dataaudit.drift.shape import shape
from dataaudit.drift.sums import plain
from dataaudit.pipeline.drift_changes import change_points
from dataaudit.pipeline.drift_shard import drivers_of
from dataaudit.pipeline.drift_tables import DriftTables, ratios
from dataaudit.pipeline.plan import Plan
from dataaudit.pipeline.store import RunFolder
from dataaudit.result import Drift, DriftPart, Driver, MixturePart
from dataaudit.signals.views import WORD_BUCKETS
from dataaudit.tokenize import token_texts

MOST_SHARDS = 200
MOST_WINDOWS = 2000
LISTED_SOURCES = 20
MOST_MIXTURE = 1000
WORST_WINDOWS = 50
"""Windows that are listed with their tokens."""
DIRECT = set(DriftPart.__struct_fields__) - {
    *("sources", "ratios", "drivers", "reference_drivers", "name", "first_document"),
}
TextsOf = Callable[[Iterable[int]], dict[int, str | None]]


def drift_result(run: RunFolder, plan: Plan, config: Config, tables: DriftTables) -> Drift:
    """Returns the report's part on drift."""
    counts = pl.DataFrame(pq.read_table(run.sketch("drift_counts")))
    of = shape(counts["count"].to_numpy())
    vocabulary = _vocabulary(plan, counts.height)
    texts = _texts(run, plan)
    shards = _worst_first(tables.shards).head(MOST_SHARDS)
    source_names = tables.sources["source"].to_list()
    against = _reference(counts, vocabulary, tables.overdispersion, texts)
    return Drift(
        unit=plan.map.drift_unit,
        vocabulary=vocabulary,
        overdispersion=plain(tables.overdispersion) or 1.0,
        tokens=of.tokens,
        types=of.types,
        entropy=plain(of.entropy),
        perplexity=plain(of.perplexity),
        type_token_ratio=plain(of.type_token_ratio),
        zipf_slope=plain(of.zipf_slope),
        source_runs_z=plain(tables.order.z) if tables.order else None,
        reference=config.drift.reference,
        **against,
        shard_count=tables.shards.height,
        window_count=tables.windows.height,
        shards=[_part(row, texts, row["name"]) for row in shards.iter_rows(named=True)],
        windows=_windows(tables.windows, texts),
        change_points=change_points(tables.windows, source_names, in_blocks=in_blocks(tables.shards)),
        mixture=_mixture(tables.sources, config.mixture),
    )


def in_blocks(shards: pl.DataFrame) -> bool:
    """Says whether every shard holds a single source, so that shards differ by design."""
    return all(len(listed) == 1 for listed in shards["sources"].drop_nulls().to_list())


def _vocabulary(plan: Plan, seen: int) -> int:
    if plan.map.tokenizer is not None:
        return max(plan.map.tokenizer.id_space, seen)
    return WORD_BUCKETS if plan.map.drift_unit == "words" else seen


def _worst_first(parts: pl.DataFrame) -> pl.DataFrame:
    judged = pl.coalesce("kl_excess_source", "kl_excess")
    return parts.with_columns(judged.alias("_excess")).sort(
        ["is_judged", "_excess"], descending=[True, True], nulls_last=True, maintain_order=True
    )


def _texts(run: RunFolder, plan: Plan) -> TextsOf:
    """Returns a function that gives ids their texts."""
    chosen = plan.map.tokenizer
    if chosen is not None:
        known: dict[int, str | None] = {}

        def of_tokens(ids: Iterable[int]) -> dict[int, str | None]:
            new = [each for each in dict.fromkeys(ids) if each not in known]
            known.update(zip(new, token_texts(chosen.path, new), strict=True) if new else ())
            return known

        return of_tokens
    words: dict[int, str | None] = {}
    if plan.map.drift_unit == "words":
        for shard in reversed(range(len(plan.shards))):
            words.update(_examples(run, shard))
    return lambda _: words


def _examples(run: RunFolder, shard: int) -> dict[int, str]:
    table = pq.read_table(run.sketch("word_examples", shard))
    return dict(zip(table.column("id").to_pylist(), table.column("text").to_pylist(), strict=True))


def _drivers(listed: Sequence[Mapping[str, Any]] | None, texts: TextsOf) -> list[Driver]:
    rows = listed or ()
    known = texts([each["id"] for each in rows if each["id"] >= 0])
    return [
        Driver(
            id=each["id"],
            text=known.get(each["id"]),
            contribution=each["contribution"],
            count=each["count"],
            corpus_count=each["corpus_count"],
        )
        for each in rows
    ]


def _part(row: Mapping[str, Any], texts: TextsOf, name: str, *, with_drivers: bool = True) -> DriftPart:
    sources = row["sources"] or ()
    whole = sum(each["weight"] for each in sources)
    in_source = row.get("kl_excess_source") is not None
    return DriftPart(
        name=name,
        first_document=row.get("first_document"),
        **{key: row[key] for key in DIRECT if key in row},
        sources={each["source"]: plain(each["weight"] / whole) or 0.0 for each in sources[:LISTED_SOURCES] if whole},
        ratios=ratios(row) if row["characters"] is not None else {},
        drivers=_drivers(row["source_drivers" if in_source else "drivers"], texts) if with_drivers else [],
        reference_drivers=_drivers(row["reference_drivers"], texts) if with_drivers else [],
    )


def _windows(windows: pl.DataFrame, texts: TextsOf) -> list[DriftPart]:
    if windows.height > MOST_WINDOWS:
        windows = _joined(windows, -(-windows.height // MOST_WINDOWS))
    worst = set(_worst_first(windows).head(WORST_WINDOWS)["window"].to_list())
    return [
        _part(
            row,
            texts,
            f"documents {row['first_document']:,} to {row['first_document'] + row['documents'] - 1:,}",
            with_drivers=row["window"] in worst,
        )
        for row in windows.iter_rows(named=True)
    ]


def _joined(windows: pl.DataFrame, group: int) -> pl.DataFrame:
    """Returns every *group* neighbours as one: sums added, measures averaged, p- and q-values the least."""
    added = {"documents", "tokens", "characters", "weight"} | {
        name for name in windows.columns if name.endswith(("_characters", "_documents")) or name == "special_tokens"
    }
    expressions = []
    for name, kind in windows.schema.items():
        column = pl.col(name)
        if name in added:
            expressions.append(column.sum())
        elif name in ("window", "first_document", "mixture_source") or isinstance(kind, pl.List):
            expressions.append(column.first())
        elif name == "is_judged":
            expressions.append(column.any())
        else:
            expressions.append(column.min() if name.endswith("_value") else column.mean())
    groups = (pl.int_range(pl.len()) // group).alias("_group")
    return windows.with_columns(groups).group_by("_group", maintain_order=True).agg(expressions).drop("_group")


def _reference(counts: pl.DataFrame, vocabulary: int, factor: float, texts: TextsOf) -> dict[str, Any]:
    if "reference_count" not in counts.columns:
        return {}
    corpus, reference, ids = (counts[name].to_numpy() for name in ("count", "reference_count", "id"))
    found = reference_drift(corpus, reference, vocabulary)
    if found is None:
        return {}
    return {
        "reference_kl": plain(found.kl),
        "reference_excess": plain(found.kl - factor * found.null_mean),
        "reference_drivers": _drivers(drivers_of(found.terms, corpus, reference, ids), texts),
    }


def _mixture(sources: pl.DataFrame, planned: Mapping[str, float]) -> list[MixturePart]:
    whole, plan = int(sources["weight"].sum()), float(np.sum([*planned.values()])) if planned else 0.0
    weights = dict(sources.select("source", "weight").iter_rows())
    found = []
    for name in [*weights, *(name for name in planned if name not in weights)][:MOST_MIXTURE]:
        share = weights.get(name, 0) / whole if whole else None
        wanted = planned.get(name, 0.0) / plan if plan else None
        epochs = wanted / share if wanted is not None and share else None
        found.append(
            MixturePart(name=name, token_share=plain(share), planned_share=plain(wanted), epochs=plain(epochs))
        )
    return found
