"""The drift stage: adds up the shards, lays windows over them, and runs a drift task a shard."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from dataaudit.errors import UsageError
from dataaudit.pipeline.drift_shard import release_counts, sole_sources
from dataaudit.pipeline.plan import Plan, load_plan
from dataaudit.pipeline.stage_tasks import StageTasks
from dataaudit.pipeline.store import Marker, RunFolder, key_of
from dataaudit.pipeline.tasks import DriftSpec, Task
from dataaudit.sketches.grouped import Column, GroupedTable

MERGE = "drift-merge"
BLOCK_SKETCHES = ("sketches/block", "sketches/portion")
MOST_SOURCES = 64
"""Sources whose shards are compared with each other: the largest ones."""
BLOCK_INDEX = pa.schema(
    {
        **dict.fromkeys(("shard", "block", "portion"), pa.int32()),
        **dict.fromkeys(("documents", "window", "window_shard"), pa.int64()),
    }
)
SOURCE_COUNTS = pa.schema({"source": pa.large_string(), "id": pa.int64(), "count": pa.int64()})


class ReferenceCounts(msgspec.Struct, frozen=True):
    """The counts of an earlier run.

    Attributes:
        table: ``id``, ``count``.
        digest: of the file that they were read from.
    """

    path: str
    digest: str


def drift_tasks(plan: Plan) -> set[str]:
    """Returns the ids of all tasks of this stage."""
    return {MERGE, *(f"drift-{shard:05d}" for shard in range(len(plan.shards)))}


def run_drift(
    run: RunFolder,
    plan: Plan,
    maps: Sequence[Marker],
    *,
    window_documents: int,
    reference: str | None,
    stages: StageTasks,
) -> list[Marker]:
    """Measures the drift of every portion and window, and returns the markers of its tasks.

    Raises:
        UsageError: the reference is no finished run, or was counted in another way.
        OpenTasksError: other workers have not done all of theirs.
    """
    known = None if reference is None else reference_counts(Path(reference), plan)
    outputs = [
        {name: output for name, output in marker.outputs.items() if name.startswith(BLOCK_SKETCHES)} for marker in maps
    ]
    merge = _merge(run, plan, key_of([outputs, window_documents, known and known.digest]), window_documents, known)
    whole = key_of([outputs, merge.outputs, plan.map.tokenizer.id_space if plan.map.tokenizer else 0])
    tasks = [
        Task(
            id=f"drift-{shard:05d}",
            key=key_of([shard, whole]),
            size=sum(piece.size for piece in pieces),
            spec=DriftSpec(shard, whole),
        )
        for shard, pieces in enumerate(plan.shards)
    ]
    try:
        return [merge, *stages.share("looking for drift", tasks)]
    finally:
        release_counts()


def reference_counts(path: Path, plan: Plan) -> ReferenceCounts:
    """Returns where the counts of an earlier run lie, if they are of the same kind as this run's."""
    counts = RunFolder(path).sketch("drift_counts")
    try:
        other = load_plan(path)
    except (OSError, msgspec.DecodeError) as error:
        raise UsageError(
            f"the reference {path} is not a run of this version of dataaudit. "
            f"Audit the reference corpus first: dataaudit audit CORPUS -o {path}"
        ) from error
    if not counts.exists():
        raise UsageError(f"the reference {path} is not finished. Run its dataaudit audit command again.")
    mine, its = (_counted(each) for each in (plan, other))
    if mine != its:
        raise UsageError(
            f"the reference {path} counts {its}, this run {mine}. "
            "Audit both with the same tokenizer, or both without one."
        )
    digest = RunFolder(path).any_marker(MERGE)
    return ReferenceCounts(str(counts), key_of(digest.outputs if digest else None))


def _counted(plan: Plan) -> str:
    if plan.map.drift_unit == "words":
        return "words"
    chosen = plan.map.tokenizer
    return f"tokens of the tokenizer with SHA-256 {chosen.sha256}" if chosen else "token ids of an unknown tokenizer"


def _merge(run: RunFolder, plan: Plan, key: str, window_documents: int, known: ReferenceCounts | None) -> Marker:
    done = run.marker(MERGE, key)
    if done is not None:
        return done
    shards = range(len(plan.shards))
    tables = {
        "drift_counts": _sum(run, shards, "portion_counts", "id", "count"),
        "drift_sources": _source_counts(run, shards),
        "drift_lengths": _sum(run, shards, "block_lengths", "length", "documents"),
        "drift_blocks": _block_index(run, shards, window_documents),
    }
    if known is not None:
        tables["drift_counts"] = _beside(tables["drift_counts"], pq.read_table(known.path))
    with run.workspace() as folder:
        outputs = {}
        for name, table in tables.items():
            path = folder / f"{name}.parquet"
            pq.write_table(table, path, compression="zstd")
            outputs[path] = run.sketch(name)
        return run.commit(MERGE, key, outputs, {})


def _sum(run: RunFolder, shards: Sequence[int], sketch: str, key: str, value: str) -> pa.Table:
    """Returns the sum of a sketch's column over all shards, a row a key; sorted."""
    merged = GroupedTable([pa.field(key, pa.int64())], [Column(value, pa.int64(), "sum")])
    for shard in shards:
        merged.add(pq.read_table(run.sketch(sketch, shard), columns=[key, value]))
    return merged.table()


def _beside(counts: pa.Table, reference: pa.Table) -> pa.Table:
    """Returns the counts of both, a row an id of either."""
    ids = np.union1d(counts.column("id").to_numpy(), reference.column("id").to_numpy())
    columns = {"id": ids}
    for name, table in (("count", counts), ("reference_count", reference)):
        found = np.zeros(len(ids), np.int64)
        found[np.searchsorted(ids, table.column("id").to_numpy())] = table.column("count").to_numpy()
        columns[name] = found
    return pa.table(columns)


def _source_counts(run: RunFolder, shards: Sequence[int]) -> pa.Table:
    """Returns the counts of each source over those portions that hold it alone, if there are several.

    So a shard of a source is compared with the source's other shards, and not with the sources that differ by design.
    """
    alone = {shard: sole_sources(run, shard) for shard in shards}
    sizes: dict[str, list[int]] = {}
    for portions in alone.values():
        for source, weight in portions.values():
            sizes.setdefault(source, []).append(weight)
    several = sorted((source for source in sizes if len(sizes[source]) > 1), key=lambda name: (-sum(sizes[name]), name))
    wanted = set(several[:MOST_SOURCES])
    merged = GroupedTable([*SOURCE_COUNTS][:2], [Column("count", pa.int64(), "sum")])
    for shard, portions in alone.items():
        for portion, (source, _) in portions.items():
            if source not in wanted or len(sizes) == 1:
                continue
            rows = pq.read_table(run.sketch("portion_counts", shard), filters=[("portion", "==", portion)])
            name = pa.repeat(pa.scalar(source, pa.large_string()), rows.num_rows)
            merged.add(rows.drop_columns("portion").add_column(0, SOURCE_COUNTS.field(0), name))
    return merged.table()


def _block_index(run: RunFolder, shards: Sequence[int], window_documents: int) -> pa.Table:
    """Returns a row a block in corpus order, with the window it is in and the shard where that window starts."""
    parts = []
    window, start, room = -1, 0, 0
    for shard in shards:
        rows = pq.read_table(run.sketch("blocks", shard), columns=["block", "portion", "documents"])
        blocks = rows.group_by(["block", "portion"], use_threads=False).aggregate([("documents", "sum")])
        blocks = blocks.rename_columns(["block", "portion", "documents"]).sort_by("block")
        placed = np.zeros((2, blocks.num_rows), np.int64)
        for place, documents in enumerate(blocks.column("documents").to_pylist()):
            if room <= 0:
                window, start, room = window + 1, shard, window_documents
            room -= documents
            placed[:, place] = window, start
        columns = {
            "shard": pa.array(np.full(blocks.num_rows, shard)),
            **{name: blocks.column(name) for name in ("block", "portion", "documents")},
            "window": pa.array(placed[0]),
            "window_shard": pa.array(placed[1]),
        }
        parts.append(pa.table(columns).cast(BLOCK_INDEX))
    return pa.concat_tables(parts).combine_chunks()


def window_bounds(index: pa.Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the first document of each window, counted over the corpus from 0, and its number of documents."""
    windows, documents = index.column("window").to_numpy(), index.column("documents").to_numpy()
    sizes = np.bincount(windows, documents).astype(np.int64) if len(windows) else np.zeros(0, np.int64)
    return np.cumsum(sizes) - sizes, sizes
