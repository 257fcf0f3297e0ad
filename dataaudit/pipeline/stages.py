"""The stages of an audit after the plan, and what of them runs again."""

import msgspec
import pyarrow.parquet as pq

from dataaudit.config.load import LoadedConfig
from dataaudit.errors import RunError
from dataaudit.pipeline.drift_result import drift_result
from dataaudit.pipeline.drift_stage import drift_tasks, run_drift
from dataaudit.pipeline.drift_tables import TABLES, drift_tables, write_tables
from dataaudit.pipeline.duplicate_stage import duplicate_tasks, run_duplicates
from dataaudit.pipeline.excerpts import Texts
from dataaudit.pipeline.judge import judge_run
from dataaudit.pipeline.listener import Listener
from dataaudit.pipeline.manifest import manifest
from dataaudit.pipeline.map_shard import release_measurer
from dataaudit.pipeline.plan import Plan
from dataaudit.pipeline.reencode_stage import REENCODE, reencode_task
from dataaudit.pipeline.store import Marker, RunFolder, key_of
from dataaudit.pipeline.tasks import Engine, MapSpec, PoolSpec, Task
from dataaudit.pipeline.text_stage import TEXT, text_task
from dataaudit.pipeline.warm import warm_kernels
from dataaudit.result import AuditResult
from dataaudit.sketches.token_counts import TokenCounts


def map_tasks(plan: Plan) -> list[Task]:
    """Returns a map task a shard; its key leaves out where the tokenizer's file lies."""
    settings = plan.map
    if settings.tokenizer is not None:
        settings = msgspec.structs.replace(
            settings, tokenizer=msgspec.structs.replace(settings.tokenizer, path="", engine_reason="")
        )
    return [
        Task(
            id=f"map-{shard:05d}",
            key=key_of([shard, pieces, settings]),
            size=sum(piece.size for piece in pieces),
            spec=MapSpec(shard),
        )
        for shard, pieces in enumerate(plan.shards)
    ]


def map_shards(run: RunFolder, plan: Plan, engine: Engine, listener: Listener) -> None:
    """Reads and measures every shard that is not done, after removing what no task of the plan has written."""
    tasks = map_tasks(plan)
    done = {task.id: run.marker(task.id, task.key) for task in tasks}
    finished = [marker for marker in done.values() if marker is not None]
    later = _later_tasks(plan) | duplicate_tasks(run)
    kept = [marker for name in later if (marker := run.any_marker(name)) is not None]
    run.sweep([*finished, *kept], {*done, *later})
    _run_stage(run, [task for task in tasks if done[task.id] is None], "measuring", len(tasks), engine, listener)
    release_measurer()


def _later_tasks(plan: Plan) -> set[str]:
    """Returns the ids of all tasks after the map stage."""
    pools = {f"pool-{shard:05d}" for shard in range(len(plan.shards))}
    return pools | {"merge", TABLES, REENCODE, TEXT} | drift_tasks(plan)


def _run_stage(run: RunFolder, waiting: list[Task], name: str, of: int, engine: Engine, listener: Listener) -> None:
    if not waiting:
        listener.note(f"{name}: all {of} shards are done, nothing to do.")
        return
    if len(waiting) < of:
        listener.note(f"{name}: {of - len(waiting)} of {of} shards are done, {len(waiting)} to do.")
    run.retract_report()
    warm_kernels(listener)
    with listener.stage(name, sum(task.size for task in waiting)) as progress:
        for _ in engine.run(waiting, run.path, progress):
            pass


def pool_and_judge(
    run: RunFolder, plan: Plan, engine: Engine, loaded: LoadedConfig, listener: Listener, texts: Texts
) -> AuditResult:
    """Runs what needs all shards, judges, and writes manifest, config and report."""
    maps = [_finished(run, task) for task in map_tasks(plan)]
    with_tokens = [shard for shard, marker in enumerate(maps) if f"tokens/part-{shard:05d}.arrow" in marker.outputs]
    with_tokens = [shard for shard in with_tokens if f"signals/part-{shard:05d}.parquet" in maps[shard].outputs]
    pools: list[Marker] = []
    if with_tokens:
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
        waiting = [task for task in tasks if run.marker(task.id, task.key) is None]
        _run_stage(run, waiting, "comparing with the corpus", len(tasks), engine, listener)
        pools = [_finished(run, task) for task in tasks]
        pools.append(counts)
    drift = run_drift(
        run,
        plan,
        maps,
        window_documents=loaded.config.drift.window_documents,
        reference=loaded.config.drift.reference,
        run_tasks=lambda waiting, of: _run_stage(run, waiting, "looking for drift", of, engine, listener),
    )
    tables = drift_tables(run, plan, loaded.config)
    pools += [*drift, write_tables(run, tables, drift, loaded.config)]
    copies = run_duplicates(
        run, plan, maps, lambda waiting, of: _run_stage(run, waiting, "looking for duplicates", of, engine, listener)
    )
    for again, name in (
        (reencode_task(plan, maps), "decoding and encoding a sample"),
        (text_task(plan, maps), "tokenizing a sample of the text"),
    ):
        if again is not None:
            waiting = [again] if run.marker(again.id, again.key) is None else []
            _run_stage(run, waiting, name, 1, engine, listener)
            pools.append(_finished(run, again))
    done = {f"map-{shard:05d}" for shard in range(len(maps))} | _later_tasks(plan) | copies.keys()
    run.sweep([*maps, *pools, *copies.values()], done)
    run.write("manifest.json", manifest(plan, maps))
    result = judge_run(run, plan, maps, loaded, drift_result(run, plan, loaded.config, tables), texts)
    run.write(
        "config.json", msgspec.json.format(msgspec.json.encode(loaded.config, order="deterministic"), indent=1) + b"\n"
    )
    run.write("report.json", result.to_json())
    return result


def _finished(run: RunFolder, task: Task) -> Marker:
    marker = run.marker(task.id, task.key)
    if marker is None:
        raise RunError(f"{run.path}: task {task.id} ended without a result. Run the same command again.")
    return marker


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
