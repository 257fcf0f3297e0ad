"""The audit from inputs to verdict: plan, map, pool, judge. The only place that decides what runs again."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from dataaudit.config.load import LoadedConfig, load_config
from dataaudit.config.override import override
from dataaudit.corpus import (
    CorpusFile,
    FileNote,
    Piece,
    PieceList,
    ReadOptions,
    Tally,
    cut_pieces,
    find_files,
    read_piece,
)
from dataaudit.errors import ConfigError, NoDocumentsError, RunError, UsageError
from dataaudit.kernels.overlap import SCALE
from dataaudit.pipeline.check_config import check_config
from dataaudit.pipeline.drift_result import drift_result
from dataaudit.pipeline.drift_stage import drift_tasks, run_drift
from dataaudit.pipeline.drift_tables import TABLES, drift_tables, write_tables
from dataaudit.pipeline.duplicate_stage import duplicate_tasks, run_duplicates
from dataaudit.pipeline.excerpts import Texts, texts_for_audit, texts_for_check
from dataaudit.pipeline.judge import judge_run
from dataaudit.pipeline.listener import Listener
from dataaudit.pipeline.local import LocalEngine
from dataaudit.pipeline.manifest import manifest
from dataaudit.pipeline.map_shard import signal_versions
from dataaudit.pipeline.plan import (
    PLAN_FORMAT,
    DamagedFile,
    DuplicateSettings,
    MapSettings,
    Plan,
    PoolSettings,
    TokenizerSettings,
    load_plan,
    pack,
)
from dataaudit.pipeline.readback import read_back
from dataaudit.pipeline.store import Marker, RunFolder, key_of, open_run, pretty_json
from dataaudit.pipeline.tasks import Engine, MapSpec, PoolSpec, Task
from dataaudit.pipeline.versions import versions
from dataaudit.pipeline.warm import warm_kernels
from dataaudit.result import AuditResult, from_json
from dataaudit.sketches.token_counts import TokenCounts
from dataaudit.tokenize import compare_engines, identify
from dataaudit.tokenize.tokenizer_file import locate

LISTED_NOTES = 20
SAMPLED_PIECES, SAMPLED_DOCUMENTS, SAMPLED_BYTES = 8, 64, 1 << 20
"""How much text the two tokenizer engines are compared on."""
BLOCKS_IN_A_WINDOW = 10


def run_audit(
    inputs: Sequence[str],
    out: Path,
    loaded: LoadedConfig,
    listener: Listener,
    *,
    workers: int,
    input_format: str | None = None,
    examples: int | None = None,
) -> AuditResult:
    """Audits the inputs into the run folder *out*; takes over what an earlier run there has finished.

    The report shows at most *examples* excerpts a rule; 0 for no text at all.

    Raises:
        DataAuditError: of the kind that fits, with a message for the user.
    """
    check_config(loaded)
    _refuse_overlap(inputs, out)
    options = _read_options(loaded, input_format)
    found = find_files(inputs)
    _refuse_inputs_inside(found.files, out)
    pieces = cut_pieces(found.files, options, loaded.config.read.shard_bytes)
    _tell(found.skipped, pieces, listener)
    with open_run(out, new=True) as run:
        earlier = _earlier(run)
        plan = _plan(inputs, pieces, options, loaded, earlier, listener)
        if plan != earlier:
            run.retract_report()
        run.write("plan.json", pretty_json(plan))
        with LocalEngine(workers) as engine:
            _map(run, plan, engine, listener)
            result = _pool_and_judge(run, plan, engine, loaded, listener, texts_for_audit(examples))
        read_back(run, listener)
    return result


def run_check(
    out: Path,
    loaded: LoadedConfig | None,
    listener: Listener,
    *,
    workers: int,
    reference: str | None = None,
    examples: int | None = None,
) -> AuditResult:
    """Judges a finished run again, with another config or reference if one is given; the corpus is not read.

    How the corpus was read and tokenized stays as it was; only rules, checks and the model may differ. Excerpts are
    taken over from the report before; those of other documents are read from the corpus only if *examples* is given.
    """
    with open_run(out, new=False) as run:
        plan = _earlier(run)
        if plan is None:
            raise RunError(f"{out}: plan.json is damaged or of another version. Run dataaudit audit again.")
        kept = stored_config(run, plan)
        loaded = override(kept if loaded is None else _on_same_corpus(loaded, kept), reference=reference)
        check_config(loaded)
        unfinished = [task.id for task in _map_tasks(plan) if run.marker(task.id, task.key) is None]
        if unfinished:
            raise RunError(
                f"{out}: {len(unfinished)} of {len(plan.shards)} shards are not finished. "
                "Run the same dataaudit audit command again to resume."
            )
        plan = msgspec.structs.replace(
            plan, config_name=loaded.name, pool=_pool_settings(loaded), duplicates=_duplicate_settings(loaded)
        )
        run.write("plan.json", pretty_json(plan))
        with LocalEngine(workers) as engine:
            result = _pool_and_judge(run, plan, engine, loaded, listener, texts_for_check(examples, _last_result(run)))
        run.tidy()
    return result


def _last_result(run: RunFolder) -> AuditResult | None:
    try:
        return from_json((run.path / "report.json").read_bytes())
    except (OSError, msgspec.DecodeError):
        return None


def _on_same_corpus(loaded: LoadedConfig, kept: LoadedConfig) -> LoadedConfig:
    """Returns the config with what the run was measured with: reading, tokenizing, shingles and the size of windows."""
    duplicates = msgspec.structs.replace(
        loaded.config.duplicates,
        enabled=kept.config.duplicates.enabled,
        shingle_units=kept.config.duplicates.shingle_units,
    )
    drift = msgspec.structs.replace(loaded.config.drift, window_documents=kept.config.drift.window_documents)
    config = msgspec.structs.replace(
        loaded.config, read=kept.config.read, tokenizer=kept.config.tokenizer, duplicates=duplicates, drift=drift
    )
    return replace(loaded, config=config)


def stored_config(run: RunFolder, plan: Plan) -> LoadedConfig:
    """Returns the config that a run was judged with last."""
    path = run.path / "config.json"
    if not path.exists():
        raise RunError(f"{run.path}: the run was never finished. Run the same dataaudit audit command again.")
    try:
        return replace(load_config(str(path)), name=plan.config_name)
    except ConfigError as error:
        raise RunError(
            f"{path} is damaged or of another version. Run the same dataaudit audit command again.\n{error}"
        ) from error


def _refuse_overlap(inputs: Sequence[str], out: Path) -> None:
    target = out.resolve()
    for name in inputs:
        path = Path(name)
        if path.is_dir() and (path.resolve() == target or path.resolve() in target.parents):
            raise UsageError(
                f"the run folder {out} lies inside the input {name}: the next audit would read its own results. "
                "Give --out a folder elsewhere."
            )


def _refuse_inputs_inside(files: Sequence[CorpusFile], out: Path) -> None:
    target = out.resolve()
    for file in files:
        if target in Path(file.path).resolve().parents:
            raise UsageError(
                f"the input {file.path} lies inside the run folder {out}. Give --out a folder of its own, or name the "
                "inputs so that they leave it out."
            )


def _read_options(loaded: LoadedConfig, input_format: str | None) -> ReadOptions:
    read = loaded.config.read
    return ReadOptions(
        text_column=read.text_column,
        id_column=read.id_column,
        source_column=read.source_column,
        number_columns=read.number_columns,
        format=input_format,
        document_per=read.document_per,
    )


def _tell(skipped: Sequence[tuple[str, str]], pieces: PieceList, listener: Listener) -> None:
    for text in _found_in(pieces.notes):
        listener.note(text)
    for file, reason in pieces.damaged:
        listener.warn(f"{file.name}: {reason}")
    if skipped:
        path, reason = skipped[0]
        listener.note(f"left out: {len(skipped)} (such as {path}: {reason})")


def _found_in(notes: Sequence[FileNote]) -> Iterator[str]:
    """Says what was found in the files, one line for all that are alike."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for note in notes:
        alike.setdefault(_facts(note), []).append(note.file.name)
    for facts, names in sorted(alike.items(), key=lambda item: (-len(item[1]), item[0]))[:LISTED_NOTES]:
        yield f"found {len(names):,} {'file' if len(names) == 1 else 'files'} ({names[0]}): {', '.join(facts)}"
    if len(alike) > LISTED_NOTES:
        yield f"... and {len(alike) - LISTED_NOTES:,} more kinds of files; manifest.json lists every file."


def _facts(note: FileNote) -> tuple[str, ...]:
    if note.empty:
        return ("empty",)
    what = "text" if note.kind == "text" else "token ids"
    return (
        f"{note.format} {note.compression}" if note.compression else note.format,
        f"{what} in {note.content!r}" if note.content else f"all of it {what}",
        f"id in {note.id_column!r}" if note.id_column else "no id column",
        *([f"source in {note.source_column!r}"] if note.source_column else []),
    )


def _earlier(run: RunFolder) -> Plan | None:
    try:
        plan = load_plan(run.path)
    except (OSError, msgspec.DecodeError):
        return None
    return plan if plan.format == PLAN_FORMAT else None


def _plan(
    inputs: Sequence[str],
    pieces: PieceList,
    options: ReadOptions,
    loaded: LoadedConfig,
    earlier: Plan | None,
    listener: Listener,
) -> Plan:
    if not pieces.pieces and not pieces.damaged:
        raise NoDocumentsError(f"no files to read in {', '.join(inputs)}.")
    return Plan(
        format=PLAN_FORMAT,
        inputs=list(inputs),
        config_name=loaded.name,
        shards=pack(pieces.pieces, loaded.config.read.shard_bytes),
        damaged=[DamagedFile(file, reason) for file, reason in pieces.damaged],
        map=MapSettings(
            read=options,
            tokenizer=_tokenizer(pieces.pieces, options, loaded, earlier, listener),
            special_strings=loaded.config.tokenizer.special_strings,
            signals=signal_versions("text", "tokens"),
            block_documents=max(1, loaded.config.drift.window_documents // BLOCKS_IN_A_WINDOW),
            drift_unit=_drift_unit(pieces, loaded),
            shingle_units=loaded.config.duplicates.shingle_units if loaded.config.duplicates.enabled else None,
            versions=versions(),
        ),
        pool=_pool_settings(loaded),
        duplicates=_duplicate_settings(loaded),
    )


def _drift_unit(pieces: PieceList, loaded: LoadedConfig) -> Literal["tokens", "words"]:
    has_ids = loaded.config.tokenizer.path is not None or any(piece.kind == "ids" for piece in pieces.pieces)
    return "tokens" if has_ids else "words"


def _pool_settings(loaded: LoadedConfig) -> PoolSettings:
    model = loaded.config.model
    return PoolSettings(model.vocab_size, model.max_length, model.bos_id, model.eos_id, signal_versions("pooled"))


def _duplicate_settings(loaded: LoadedConfig) -> DuplicateSettings:
    wanted = loaded.config.duplicates
    return DuplicateSettings(round(wanted.threshold * SCALE), wanted.sample, signal_versions("duplicates"))


def _tokenizer(
    pieces: Sequence[Piece], options: ReadOptions, loaded: LoadedConfig, earlier: Plan | None, listener: Listener
) -> TokenizerSettings | None:
    wanted = loaded.config.tokenizer
    if wanted.path is None:
        listener.note(_without_tokenizer(pieces))
        return None
    identity = identify(wanted.path)
    for token in identity.renumbered:
        listener.warn(f"{wanted.path}: {token.token!r} loads as id {token.actual}, not as {token.declared}.")
    chosen = TokenizerSettings(
        path=str(locate(wanted.path).absolute()),
        sha256=identity.sha256,
        model_type=identity.model_type,
        id_space=identity.id_space,
        asked=wanted.engine,
        engine="tokenizers",
        engine_reason="",
        special_text=wanted.special_text,
        add_special_tokens=wanted.add_special_tokens,
    )
    if earlier is not None and earlier.map.tokenizer is not None and earlier.map.read == options:
        known = earlier.map.tokenizer
        again = msgspec.structs.replace(chosen, engine=known.engine, engine_reason=known.engine_reason)
        if again == known and [piece for shard in earlier.shards for piece in shard] == list(pieces):
            return again
    choice = compare_engines(
        wanted.path,
        _sample(pieces, options),
        engine=wanted.engine,
        special_text=wanted.special_text,
        add_special_tokens=wanted.add_special_tokens,
    )
    tell = listener.warn if choice.fell_back else listener.note
    tell(f"tokenizer engine: {choice.engine}. {choice.reason}")
    return msgspec.structs.replace(chosen, engine=choice.engine, engine_reason=choice.reason)


def _without_tokenizer(pieces: Sequence[Piece]) -> str:
    kinds = {piece.kind for piece in pieces}
    if kinds == {"ids"}:
        return "no tokenizer given: ids are counted, but compared with no vocabulary. Give --tokenizer FILE for that."
    skipped = "token checks are skipped" if kinds == {"text"} else "token checks see the token ids alone"
    return f"no tokenizer given: text is measured, {skipped}. Give --tokenizer FILE for them."


def _sample(pieces: Sequence[Piece], options: ReadOptions) -> pa.LargeStringArray:
    """Returns the first documents of pieces spread evenly over the corpus."""
    texts = [piece for piece in pieces if piece.kind == "text"]
    step = max(1, len(texts) // SAMPLED_PIECES)
    sample: list[str] = []
    few = msgspec.structs.replace(options, batch_rows=SAMPLED_DOCUMENTS, batch_bytes=SAMPLED_BYTES)
    for piece in texts[::step][:SAMPLED_PIECES]:
        for batch in read_piece(piece, few, Tally()):
            room = SAMPLED_BYTES // SAMPLED_PIECES
            for text in batch.column("text").to_pylist():
                room -= len(text)
                if room < 0:
                    break
                sample.append(text)
            break
    return pa.array(sample, pa.large_string())


def _map_tasks(plan: Plan) -> list[Task]:
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


def _map(run: RunFolder, plan: Plan, engine: Engine, listener: Listener) -> None:
    tasks = _map_tasks(plan)
    done = {task.id: run.marker(task.id, task.key) for task in tasks}
    finished = [marker for marker in done.values() if marker is not None]
    later = _later_tasks(plan) | duplicate_tasks(run)
    kept = [marker for name in later if (marker := run.any_marker(name)) is not None]
    run.sweep([*finished, *kept], {*done, *later})
    _run_stage(run, [task for task in tasks if done[task.id] is None], "measuring", len(tasks), engine, listener)


def _later_tasks(plan: Plan) -> set[str]:
    """Returns the ids of all tasks after the map stage."""
    return {f"pool-{shard:05d}" for shard in range(len(plan.shards))} | {"merge", TABLES} | drift_tasks(plan)


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


def _pool_and_judge(
    run: RunFolder, plan: Plan, engine: Engine, loaded: LoadedConfig, listener: Listener, texts: Texts
) -> AuditResult:
    maps = [_finished(run, task) for task in _map_tasks(plan)]
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


def default_workers() -> int:
    """Returns the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
