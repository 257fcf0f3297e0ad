"""The tables of drift: a row a portion and a row a window, with everything that a check or a reader asks for."""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl
import pyarrow.parquet as pq

from dataaudit.config.schema import Config
from dataaudit.drift.change_points import robust_z
from dataaudit.drift.mixture import RunsTest, mixture_drift, runs_test
from dataaudit.drift.multiple import benjamini_hochberg
from dataaudit.drift.sums import plain
from dataaudit.pipeline.drift_signals import write_signals
from dataaudit.pipeline.map_shard import signal_versions
from dataaudit.pipeline.plan import Plan
from dataaudit.pipeline.portions import portion_names
from dataaudit.pipeline.shard_blocks import CHARACTER_SUMS, SUMS
from dataaudit.pipeline.store import Marker, RunFolder, key_of

TABLES = "drift-tables"
MOST_SOURCES = 200
REST = "(all other sources)"
FEWEST_OUTLIER_SHARDS = 8
"""A median of fewer shards says too little about what is usual."""


class DriftTables(NamedTuple):
    """Everything about drift.

    Attributes:
        shards: a row a portion, in corpus order.
        windows: a row a window, in corpus order.
        sources: documents and weight of each source, largest first.
        overdispersion: φ.
        order: how well the sources are mixed; None with one source.
    """

    shards: pl.DataFrame
    windows: pl.DataFrame
    sources: pl.DataFrame
    overdispersion: float
    order: RunsTest | None


def drift_tables(run: RunFolder, plan: Plan, config: Config) -> DriftTables:
    """Joins what the drift tasks of a run measured with names, sources and sums."""
    blocks = _blocks(run, plan)
    shards = _joined(run, plan, blocks, "drift_portions", ["shard", "portion"])
    names = pl.DataFrame(
        [
            {"shard": shard, "portion": portion, "name": name}
            for shard, pieces in enumerate(plan.shards)
            for portion, name in enumerate(portion_names(pieces))
        ],
        schema={"shard": pl.Int32, "portion": pl.Int32, "name": pl.String},
    )
    shards = shards.join(names, on=["shard", "portion"], how="left", maintain_order="left")
    windows = _joined(run, plan, blocks, "drift_windows", ["window"])
    first = pl.col("documents").cum_sum() - pl.col("documents")
    windows = windows.with_columns(first.alias("first_document"))
    sources = (
        blocks.group_by("source")
        .agg(pl.col("documents").sum(), pl.col("weight").sum())
        .sort(["weight", "source"], descending=[True, False])
    )
    least = config.drift.min_tokens
    shards = shards.with_columns(
        (
            (pl.col("tokens") >= least)
            & (pl.col("documents") >= config.drift.min_documents)
            & (pl.col("effective_documents").fill_null(0) >= config.drift.min_effective_documents)
        ).alias("is_judged")
    )
    windows = windows.with_columns((pl.col("tokens") >= least).alias("is_judged"))
    factor = _overdispersion(shards)
    expected = _expected(sources, config.mixture)
    return DriftTables(
        _with_outliers(_with_lengths(_with_mixture(_with_excess(shards, factor), expected))),
        _with_lengths(_with_mixture(_with_excess(windows, factor), expected)),
        sources,
        factor,
        _order(blocks, sources),
    )


def _blocks(run: RunFolder, plan: Plan) -> pl.DataFrame:
    """Returns a row a block and source in corpus order, with the block's window."""
    index = pl.DataFrame(pq.read_table(run.sketch("drift_blocks"))).drop("documents", "portion")
    parts = [
        pl.DataFrame(pq.read_table(run.sketch("blocks", shard))).with_columns(pl.lit(shard, pl.Int32).alias("shard"))
        for shard in range(len(plan.shards))
    ]
    return pl.concat(parts).join(index, on=["shard", "block"], how="left", maintain_order="left")


def _joined(run: RunFolder, plan: Plan, blocks: pl.DataFrame, sketch: str, keys: list[str]) -> pl.DataFrame:
    """Returns the measures of portions or windows beside their sums and their sources."""
    measures = pl.concat(
        [pl.DataFrame(pq.read_table(run.sketch(sketch, shard))) for shard in range(len(plan.shards))]
    ).sort(keys)
    by_source = blocks.group_by(*keys, "source", maintain_order=True).agg(
        pl.col("documents").sum(), pl.col("weight").sum()
    )
    listed = (
        by_source.sort([*keys, "weight", "source"], descending=[*(False for _ in keys), True, False])
        .group_by(*keys, maintain_order=True)
        .agg(pl.struct("source", "documents", "weight").alias("sources"))
    )
    sums = blocks.group_by(*keys).agg(pl.col("weight").sum(), *(pl.col(name).sum() for name in SUMS))
    joined = measures.join(sums, on=keys, how="left", maintain_order="left")
    return joined.join(listed, on=keys, how="left", maintain_order="left")


def _overdispersion(shards: pl.DataFrame) -> float:
    """Returns φ: the median of the shards' split-half ratios, at least 1; of those large enough, if there are any."""
    judged = shards.filter("is_judged") if shards["is_judged"].any() else shards
    ratios = judged["split_half_ratio"].drop_nulls().to_list()
    return max(1.0, statistics.median(ratios)) if ratios else 1.0


def _with_excess(parts: pl.DataFrame, factor: float) -> pl.DataFrame:
    excess = {
        name: [
            None if kl is None or null is None else plain(kl - factor * null)
            for kl, null in parts.select(f"{prefix}kl", f"{prefix}null_mean").iter_rows()
        ]
        for name, prefix in (("kl_excess", ""), ("kl_excess_source", "source_"), ("reference_excess", "reference_"))
    }
    z = [
        None if value is None or not deviation else plain(value / (factor * deviation))
        for value, deviation in zip(excess["kl_excess"], parts["null_deviation"].to_list(), strict=True)
    ]
    return parts.with_columns(
        pl.Series(name, values, pl.Float64) for name, values in {**excess, "kl_excess_z": z}.items()
    )


def _with_outliers(shards: pl.DataFrame) -> pl.DataFrame:
    """Adds how far each judged shard is from the others in its distance from them, in robust standard deviations."""
    ratios = shards["rest_ratio"].to_list()
    judged = [at for at, flag in enumerate(shards["is_judged"].to_list()) if flag and ratios[at] is not None]
    values: list[float | None] = [None] * len(ratios)
    z = robust_z([ratios[at] for at in judged]) if len(judged) >= FEWEST_OUTLIER_SHARDS else None
    for at, value in zip(judged, z.tolist() if z is not None else (), strict=False):
        values[at] = plain(value)
    return shards.with_columns(pl.Series("outlier_z", values, pl.Float64))


def _with_lengths(parts: pl.DataFrame) -> pl.DataFrame:
    values = [plain(value) for value in benjamini_hochberg(parts["length_p_value"].to_list())]
    return parts.with_columns(pl.Series("length_q_value", values, pl.Float64))


def _expected(sources: pl.DataFrame, mixture: Mapping[str, float]) -> dict[str, float]:
    """Returns the weight that each source is expected to have; those past the largest 200 share the name REST."""
    found = {name: float(weight) for name, weight in sources.select("source", "weight").iter_rows()}
    if mixture:
        found = {**mixture, **{name: 0.0 for name in found if name not in mixture}}
    names = list(found)
    return {name: found[name] for name in names[:MOST_SOURCES]} | {
        REST: math.fsum(found[name] for name in names[MOST_SOURCES:])
    }


def _with_mixture(parts: pl.DataFrame, expected: Mapping[str, float]) -> pl.DataFrame:
    names, plan = list(expected), list(expected.values())
    places = {name: place for place, name in enumerate(names)}
    distances: list[float | None] = []
    p_values: list[float | None] = []
    largest: list[str | None] = []
    for listed, draws in parts.select("sources", "effective_documents").iter_rows():
        weights = [0] * len(names)
        for each in listed or ():
            weights[places.get(each["source"], places[REST])] += each["weight"]
        found = mixture_drift(weights, draws or 0.0, plan)
        distances.append(plain(found.largest_difference) if found else None)
        p_values.append(plain(found.p_value) if found else None)
        largest.append(names[found.source] if found else None)
    return parts.with_columns(
        pl.Series("mixture_distance", distances, pl.Float64),
        pl.Series("mixture_p_value", p_values, pl.Float64),
        pl.Series("mixture_q_value", [plain(value) for value in benjamini_hochberg(p_values)], pl.Float64),
        pl.Series("mixture_source", largest, pl.String),
    )


def _order(blocks: pl.DataFrame, sources: pl.DataFrame) -> RunsTest | None:
    """Judges the order of the sources, over all documents."""
    if sources.height < 2:
        return None
    first, last = (
        blocks.filter(pl.col(flag) == 1).sort("shard", "block")["source"].to_list() for flag in ("is_first", "is_last")
    )
    joined = sum(before == after for before, after in zip(last[:-1], first[1:], strict=True))
    return runs_test(int(blocks["runs"].sum()) - joined, sources["documents"].to_list())


def ratios(row: Mapping[str, int]) -> dict[str, float | None]:
    """Returns the shares that a row's sums stand for; None where there is nothing to take a share of."""
    characters, documents = row["characters"], row["documents"]
    found = {
        name.replace("_characters", "_char_ratio"): row[name] / characters if characters else None
        for name in CHARACTER_SUMS
    }
    found["special_tokens_per_document"] = row["special_tokens"] / documents if documents else None
    found["periodic_document_ratio"] = row["periodic_documents"] / documents if documents else None
    return {name: plain(value) for name, value in found.items()}


def write_tables(run: RunFolder, tables: DriftTables, inputs: Sequence[Marker], config: Config) -> Marker:
    """Writes ``drift/shards.parquet``, ``drift/windows.parquet`` and the signals of documents, ``signals_drift/``."""
    key = key_of([[marker.outputs for marker in inputs], config.drift, config.mixture, signal_versions("drift")])
    done = run.marker(TABLES, key)
    if done is not None:
        return done
    with run.workspace() as folder:
        outputs = {}
        for name, table in (("shards", tables.shards), ("windows", tables.windows)):
            path = folder / f"{name}.parquet"
            pq.write_table(table.to_arrow(), path, compression="zstd")
            outputs[path] = run.path / "drift" / path.name
        outputs |= write_signals(run, tables.shards, tables.windows, folder)
        return run.commit(TABLES, key, outputs, {})
