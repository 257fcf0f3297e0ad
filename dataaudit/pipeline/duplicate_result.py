"""The report's section on duplicates, from the signals and from what the tasks counted."""

import msgspec
import polars as pl

from dataaudit.config.schema import Duplicates as Settings
from dataaudit.duplicates.sample import wilson
from dataaudit.kernels.minhash import BANDS, PERMUTATIONS, ROWS
from dataaudit.pipeline.duplicate_layout import Examples, examples_file, load_layout
from dataaudit.pipeline.duplicate_stage import duplicate_tasks
from dataaudit.pipeline.plan import ROW_BITS, Plan
from dataaudit.pipeline.store import RunFolder
from dataaudit.result import DuplicateRate, Duplicates, DuplicateSample, Multiplicity

LISTED_SOURCES, LISTED_SHARDS = 1000, 200
NORMAL_FORMS = {
    "text": "NFKC, case folding, control characters removed, white space folded; shingles leave out punctuation",
    "ids": "token ids as they are",
}
SHINGLE_UNITS = {"text": "words", "ids": "tokens"}


def duplicate_result(run: RunFolder, plan: Plan, settings: Settings, documents: pl.LazyFrame) -> Duplicates | None:
    """Returns the section, or None when documents were not compared.

    Args:
        run: a run whose tasks are all finished.
        plan: of the run.
        settings: of the config.
        documents: a row a document, as checks see it.
    """
    if plan.map.shingle_units is None or not examples_file(run).exists():
        return None
    layout = load_layout(run)
    counted = _counted(run)
    parts = _parts(documents)
    examples = msgspec.json.decode(examples_file(run).read_bytes(), type=Examples)
    within, across = _by_distance(documents)
    sizes = _multiplicity(documents)
    kinds = sorted({piece.kind for pieces in plan.shards for piece in pieces}, reverse=True)
    return Duplicates(
        normal_form=". ".join(NORMAL_FORMS[kind] for kind in kinds),
        shingle_units=plan.map.shingle_units,
        shingle_unit=" or ".join(SHINGLE_UNITS[kind] for kind in kinds),
        permutations=PERMUTATIONS,
        bands=BANDS,
        rows=ROWS,
        threshold=settings.threshold,
        recall_at_threshold=1 - (1 - settings.threshold**ROWS) ** BANDS,
        sample=_estimate(counted),
        corpus=_rates(parts, None)[0],
        sources=_rates(parts, "source")[:LISTED_SOURCES],
        shards=_rates(parts, "shard")[:LISTED_SHARDS],
        within_shard=within,
        across_shards=across,
        multiplicity=sizes,
        cluster_count=sum(each.clusters for each in sizes if each.least > 1),
        clusters=examples.clusters,
        candidates=counted["candidates"],
        candidate_rate=_share(counted["candidates"], layout.documents),
        verified_rate=_share(counted["verified"], counted["candidates"]),
        unverified_overflow=counted["unverified"],
        largest_bucket=counted["largest_bucket"],
        comparisons=counted["comparisons"],
        empty=sum(each.empty for each in layout.shards),
        without_units=sum(each.without_units for each in layout.shards),
        too_short=sum(each.too_short for each in layout.shards),
        capped=sum(each.capped for each in layout.shards),
        repeats=examples.repeats,
    )


def _counted(run: RunFolder) -> dict[str, int]:
    """Returns what the tasks counted, of all partitions together."""
    found = {"comparisons": 0, "largest_bucket": 0}
    for task in sorted(duplicate_tasks(run)):
        marker = run.any_marker(task)
        assert marker is not None
        if task.startswith("duplicates-bands-"):
            found["comparisons"] += marker.result["comparisons"]
            found["largest_bucket"] = max(found["largest_bucket"], marker.result["largest_bucket"])
        elif task in ("duplicates-clusters", "duplicates-sample"):
            found |= marker.result
    return found


def _estimate(counted: dict[str, int]) -> DuplicateSample | None:
    """Returns what the sample says; in it, whoever has a verified earlier document is a near duplicate."""
    if "sampled" not in counted:
        return None
    found = wilson(counted["verified"], counted["sampled"])
    assert found is not None, "a corpus without documents is not compared"
    return DuplicateSample(
        documents=counted["sampled"],
        near_documents=counted["verified"],
        near_share=found.share,
        low=found.low,
        high=found.high,
    )


def _parts(documents: pl.LazyFrame) -> pl.DataFrame:
    """Returns documents and tokens, of exact and of near duplicates too, by shard and source."""
    kinds = {"exact": "exact_duplicate_of", "near": "near_duplicate_of"}
    known = {kind: name for kind, name in kinds.items() if name in documents.collect_schema().names()}
    columns = [pl.len().cast(pl.Int64).alias("documents"), pl.col("weight").sum().alias("tokens")]
    for kind, name in known.items():
        repeats = pl.col(name).is_not_null()
        columns += [
            repeats.sum().cast(pl.Int64).alias(f"{kind}_documents"),
            pl.col("weight").filter(repeats).sum().alias(f"{kind}_tokens"),
        ]
    return documents.group_by("shard", "source").agg(columns).collect(engine="streaming")


def _rates(parts: pl.DataFrame, key: str | None) -> list[DuplicateRate]:
    """Returns the rates of each source or shard, largest share of duplicates first; without a key, of the corpus."""
    totals = pl.exclude("shard", "source").sum()
    rows = parts.select(totals) if key is None else parts.group_by(key).agg(totals)
    found = [_rate(row, key) for row in rows.iter_rows(named=True)]
    return sorted(found, key=lambda each: (-((each.exact_share or 0) + (each.near_share or 0)), each.name))


def _rate(row: dict[str, int], key: str | None) -> DuplicateRate:
    name = "corpus" if key is None else f"shard {row[key]}" if key == "shard" else str(row[key])
    return DuplicateRate(
        name=name,
        documents=row["documents"],
        tokens=row["tokens"],
        exact_documents=row["exact_documents"],
        exact_tokens=row["exact_tokens"],
        near_documents=row.get("near_documents"),
        near_tokens=row.get("near_tokens"),
        exact_share=_share(row["exact_documents"], row["documents"]),
        near_share=_share(row.get("near_documents"), row["documents"]),
        exact_token_share=_share(row["exact_tokens"], row["tokens"]),
        near_token_share=_share(row.get("near_tokens"), row["tokens"]),
    )


def _by_distance(documents: pl.LazyFrame) -> tuple[int, int]:
    """Returns how many duplicates have their earlier document in the same shard, and in another."""
    names = documents.collect_schema().names()
    earlier = pl.coalesce([name for name in ("exact_duplicate_of", "near_duplicate_of") if name in names])
    same = earlier // (1 << ROW_BITS) == pl.col("shard")
    counts = documents.select(same.sum().alias("within"), (~same).sum().alias("across")).collect(engine="streaming")
    return int(counts["within"][0]), int(counts["across"][0])


def _multiplicity(documents: pl.LazyFrame) -> list[Multiplicity]:
    """Returns documents and clusters by cluster size: 1, 2, 3-4, 5-8, ... up to the largest."""
    size = pl.col("duplicate_cluster_size").fill_null(1).alias("size")
    rows = documents.group_by(size).len().collect(engine="streaming")
    by_bin: dict[int, list[int]] = {}
    for value, count in rows.iter_rows():
        found = by_bin.setdefault((value - 1).bit_length(), [0, 0])
        found[0] += count // value
        found[1] += count
    return [
        Multiplicity(
            least=(1 << power >> 1) + 1 if power else 1,
            most=1 << power,
            clusters=by_bin.get(power, [0, 0])[0],
            documents=by_bin.get(power, [0, 0])[1],
        )
        for power in range(max(by_bin, default=-1) + 1)
    ]


def _share(part: int | None, whole: int) -> float | None:
    return part / whole if part is not None and whole else None
