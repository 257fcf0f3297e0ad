"""The stages of an audit after the plan: those that many workers share, and what joins them to a verdict."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import pyarrow.parquet as pq

from dataaudit.config.load import LoadedConfig
from dataaudit.pipeline.drift_result import drift_result
from dataaudit.pipeline.drift_stage import drift_tasks, run_drift
from dataaudit.pipeline.drift_tables import TABLES, drift_tables, write_tables
from dataaudit.pipeline.duplicate_stage import STAGE as DUPLICATES
from dataaudit.pipeline.duplicate_stage import Compared, duplicate_tasks, run_duplicates
from dataaudit.pipeline.excerpts import Texts
from dataaudit.pipeline.judge import judge_run
from dataaudit.pipeline.manifest import manifest
from dataaudit.pipeline.map_shard import release_measurer
from dataaudit.pipeline.plan import Plan, map_key
from dataaudit.pipeline.reencode_stage import REENCODE, reencode_task
from dataaudit.pipeline.run_config import write_config
from dataaudit.pipeline.stage_tasks import OpenTasksError, StageTasks
from dataaudit.pipeline.store import Marker, RunFolder, key_of
from dataaudit.pipeline.tasks import MapSpec, PoolSpec, Task
from dataaudit.pipeline.text_stage import TEXT, text_task
from dataaudit.result import AuditResult
from dataaudit.sketches.token_counts import TokenCounts

T = TypeVar("T")


class Measured(NamedTuple):
    """What the shared stages gave.

    Attributes:
        maps: markers of the map tasks, in order of the shards.
        pools: those of the second pass.
        drift: those of drift.
        compared: those of the search for duplicates.
    """

    maps: list[Marker]
    pools: list[Marker]
    drift: list[Marker]
    compared: Compared


def map_tasks(plan: Plan) -> list[Task]:
    """Returns a map task a shard."""
    return [
        Task(
            id=f"map-{shard:05d}",
            key=map_key(shard, pieces, plan.map),
            size=sum(piece.size for piece in pieces),
            spec=MapSpec(shard),
        )
        for shard, pieces in enumerate(plan.shards)
    ]


def sweep_unplanned(run: RunFolder, plan: Plan) -> None:
    """Removes what no task of the plan has written."""
    tasks = map_tasks(plan)
    finished = [marker for task in tasks if (marker := run.marker(task.id, task.key)) is not None]
    later = _later_tasks(plan) | duplicate_tasks(run)
    kept = [marker for name in later if (marker := run.any_marker(name)) is not None]
    run.sweep([*finished, *kept], {task.id for task in tasks} | later)


def _later_tasks(plan: Plan) -> set[str]:
    """Returns the ids of all tasks after the map stage."""
    pools = {f"pool-{shard:05d}" for shard in range(len(plan.shards))}
    return pools | {"merge", TABLES, REENCODE, TEXT} | drift_tasks(plan)


def measure(run: RunFolder, plan: Plan, stages: StageTasks, loaded: LoadedConfig) -> Measured:
    """Does the tasks that many workers can share, up to those that have to wait for other workers.

    Raises:
        OpenTasksError: other workers have not done all of theirs.
    """
    try:
        maps = stages.share("measuring", map_tasks(plan))
    finally:
        release_measurer()
    open_ones: list[OpenTasksError] = []
    pools = _unless_open(lambda: _pool(run, plan, maps, stages), open_ones)
    drift = _unless_open(
        lambda: run_drift(
            run,
            plan,
            maps,
            window_documents=loaded.config.drift.window_documents,
            reference=loaded.config.drift.reference,
            stages=stages,
        ),
        open_ones,
    )
    compared = _unless_open(lambda: run_duplicates(run, plan, maps, stages), open_ones)
    if pools is None or drift is None or compared is None:
        raise open_ones[0]
    return Measured(maps, pools, drift, compared)


def _unless_open(branch: Callable[[], T], open_ones: list[OpenTasksError]) -> T | None:
    """Returns what a branch gives; None when it has to wait, which the others need not."""
    try:
        return branch()
    except OpenTasksError as error:
        open_ones.append(error)
        return None


def _pool(run: RunFolder, plan: Plan, maps: list[Marker], stages: StageTasks) -> list[Marker]:
    """Compares the tokens of each shard with those of the corpus."""
    with_tokens = [shard for shard, marker in enumerate(maps) if f"tokens/part-{shard:05d}.arrow" in marker.outputs]
    with_tokens = [shard for shard in with_tokens if f"signals/part-{shard:05d}.parquet" in maps[shard].outputs]
    if not with_tokens:
        return []
    counts = _merge_token_counts(run, plan, maps, with_tokens)
    sha = plan.map.tokenizer.sha256 if plan.map.tokenizer else None
    tasks = [
        Task(
            id=f"pool-{shard:05d}",
            key=key_of([shard, maps[shard].outputs, counts.outputs, sha, plan.pool, plan.map.versions]),
            size=sum(piece.size for piece in plan.shards[shard]),
            spec=PoolSpec(shard, key_of(counts.outputs)),
        )
        for shard in with_tokens
    ]
    return [*stages.share("comparing with the corpus", tasks), counts]


def join_and_judge(
    run: RunFolder, plan: Plan, measured: Measured, stages: StageTasks, loaded: LoadedConfig, texts: Texts
) -> AuditResult:
    """Does what is left when the shared stages are done, judges, and writes manifest, config and report."""
    maps, drift, compared = measured.maps, measured.drift, measured.compared
    tables = drift_tables(run, plan, loaded.config)
    others = [*measured.pools, *drift, write_tables(run, tables, drift, loaded.config), *compared.markers.values()]
    for name, task in (
        (f"{DUPLICATES}, examples", compared.examples),
        ("decoding and encoding a sample", reencode_task(plan, maps)),
        ("tokenizing a sample of the text", text_task(plan, maps)),
    ):
        if task is not None:
            others.append(stages.join(name, task))
    copies = {*compared.markers} | ({compared.examples.id} if compared.examples is not None else set())
    run.sweep([*maps, *others], {task.id for task in map_tasks(plan)} | _later_tasks(plan) | copies)
    run.write("manifest.json", manifest(plan, maps))
    result = judge_run(run, plan, maps, loaded, drift_result(run, plan, loaded.config, tables), texts)
    write_config(run, loaded)
    run.write("report.json", result.to_json())
    return result


def _merge_token_counts(run: RunFolder, plan: Plan, maps: list[Marker], shards: list[int]) -> Marker:
    key = key_of([maps[shard].outputs for shard in shards])
    done = run.marker("merge", key)
    if done is not None:
        return done
    id_space = plan.map.tokenizer.id_space if plan.map.tokenizer else 0
    merged = TokenCounts(id_space)
    for shard in shards:
        merged.merge(TokenCounts.from_table(pq.read_table(run.sketch("token_counts", shard)), id_space))
    with run.workspace() as folder:
        path = folder / "token_counts.parquet"
        pq.write_table(merged.to_table(), path, compression="zstd")
        return run.commit("merge", key, {path: run.sketch("token_counts")}, {})
