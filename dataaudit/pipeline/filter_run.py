"""The filter from a finished run to clean and quarantine: plan, filter, balance. Also the dry run and restoring."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from dataaudit.config import LoadedConfig
from dataaudit.config.schema import Rule
from dataaudit.errors import RunError, UsageError, suggestion
from dataaudit.filter_result import FilterResult, Funnel, Restored
from dataaudit.pipeline.check_config import check_config
from dataaudit.pipeline.drift_signals import SIGNALS as DRIFT
from dataaudit.pipeline.export_plan import ExportSettings, refuse_undelimited
from dataaudit.pipeline.export_run import export_tokens
from dataaudit.pipeline.filter_balance import balance
from dataaudit.pipeline.filter_plan import (
    FILTER_FORMAT,
    PLAN_NAME,
    RECORD_FORMATS,
    RESULT_NAME,
    FilterPlan,
    load_filter_plan,
    open_out,
    output_names,
    possible_outputs,
    reading,
    refuse_format,
    refuse_place,
)
from dataaudit.pipeline.funnel import Counts, funnel_of
from dataaudit.pipeline.listener import Listener
from dataaudit.pipeline.local import LocalEngine
from dataaudit.pipeline.plan import Plan, load_plan
from dataaudit.pipeline.run_config import stored_config
from dataaudit.pipeline.signal_tables import signal_tables
from dataaudit.pipeline.store import MARKERS, Marker, Output, RunFolder, key_of, pretty_json, writing
from dataaudit.pipeline.tasks import FilterSpec, Task
from dataaudit.pipeline.token_source import token_source, tokens_of_filter
from dataaudit.pipeline.unchanged import refuse_changed
from dataaudit.pipeline.verdicts import columns_of, names_of, verdicts_of
from dataaudit.rules import at_step, is_moving, loosest
from dataaudit.signals import all_signals

READ_BY_FILTER = ("signals", "tokens", "ledger")


def finished_plan(run: Path) -> Plan:
    """Returns the plan of a finished run.

    Raises:
        RunError: there is none, or the run is not finished.
    """
    try:
        plan = load_plan(run)
    except (OSError, msgspec.DecodeError) as error:
        raise RunError(f"{run} is not a run folder: plan.json cannot be read ({error}).") from error
    if not (run / "report.json").exists():
        raise RunError(f"{run}: the run was never finished. Run the same dataaudit audit command again.")
    return plan


def run_filter(
    run: Path,
    out: Path,
    listener: Listener,
    *,
    workers: int,
    output: str = "same",
    loaded: LoadedConfig | None = None,
    step: int | None = None,
    curriculum: bool = False,
) -> FilterResult:
    """Writes OUT/clean, OUT/quarantine, OUT/tokens and OUT/filter.json; takes over what an earlier try has finished.

    Args:
        run: the folder of a finished audit.
        out: the output folder; new, empty, or of an earlier try of the same filter.
        listener: hears notes.
        workers: processes.
        output: format of the clean files: one of RECORD_FORMATS, or of token ids.
        loaded: the rules; those that the run was judged with last when None.
        step: the training step at which moving limits are taken; in the end when None.
        curriculum: keep what any step admits, and say in each kept record from which to which step.

    Raises:
        DataAuditError: of the kind that fits, with a message for the user.
    """
    audit = finished_plan(run)
    loaded = rules_for(run, audit, loaded)
    rules = _limits(loaded, step, curriculum=curriculum)
    refuse_format(output)
    if output not in RECORD_FORMATS:
        _refuse_export(run, output, curriculum=curriculum)
    refuse_place(out, run, audit.inputs)
    _refuse_changed(audit)
    with reading(run), open_out(out) as folder, writing(out):
        plan = FilterPlan(
            format=FILTER_FORMAT,
            run=str(run.resolve()),
            run_key=run_key(run, rules),
            inputs=audit.inputs,
            config_name=loaded.name,
            config_digest=loaded.digest,
            rules=rules,
            step=step,
            output=output,
            restored=[],
            names=output_names(audit, output, with_fields=curriculum),
            moving=loaded.config.rules if curriculum else (),
        )
        plan = _taken_over(plan, folder)
        return _work(folder, plan, listener, workers)


def _refuse_export(run: Path, output: str, *, curriculum: bool) -> None:
    """Says before the work why kept documents cannot be exported as token ids, as far as that is known."""
    if curriculum:
        raise UsageError(f"--curriculum writes steps into records, for which {output} files have no place.")
    source = token_source(run)
    refuse_undelimited(ExportSettings(output), source)


def _limits(loaded: LoadedConfig, step: int | None, *, curriculum: bool) -> tuple[Rule, ...]:
    """Returns the rules with plain limits: of a step, or for a curriculum those that keep most."""
    if not curriculum:
        return at_step(loaded.config.rules, step)
    if step is not None:
        raise UsageError("--curriculum looks at all steps, --at-step at one. Give one of the two.")
    if not any(map(is_moving, loaded.config.rules)):
        raise UsageError(
            f"--curriculum: no rule of {loaded.name} has a limit that moves. Give one initial, final and decay_steps "
            "(docs/config.md)."
        )
    return loosest(loaded.config.rules)


def run_restore(
    out: Path, rules: Sequence[str], doc_id: int | None, listener: Listener, *, workers: int
) -> FilterResult:
    """Puts documents that some rules took out back into OUT/clean, at their place in the order.

    A document comes back when no other rule takes it out. Records that gave no document cannot come back.

    Raises:
        DataAuditError: of the kind that fits, with a message for the user.
    """
    plan = load_filter_plan(out)
    if plan is None:
        raise RunError(f"{out} is not the output of a filter. Run: dataaudit filter RUN --to {out}")
    if plan.moving:
        raise UsageError(f"{out} is a curriculum, in which nothing is restored. Change the rules, with a new --to.")
    run = Path(plan.run)
    audit = finished_plan(run)
    names = names_of(plan.rules)
    for rule in rules:
        if rule not in names:
            what = "records that gave no document cannot be restored" if rule in ("unreadable", "without-text") else ""
            raise UsageError(what or f"the filter has no rule {rule!r}.{suggestion(rule, names)}")
        if doc_id is not None and not _fails(RunFolder(run), plan, rule, doc_id):
            raise UsageError(f"document {doc_id} does not fail {rule}: there is nothing to restore.")
    _refuse_changed(audit)
    with reading(run), open_out(out) as folder, writing(out):
        if run_key(run, plan.rules) != plan.run_key:
            raise RunError(f"{run} has been audited again since {out} was written. Run the filter with a new --to.")
        wanted = {(each.rule, each.doc_id) for each in plan.restored} | {(rule, doc_id) for rule in rules}
        restored = [Restored(rule, doc) for rule, doc in sorted(wanted, key=lambda each: (each[0], each[1] or -1))]
        plan = msgspec.structs.replace(plan, restored=restored)
        return _work(folder, plan, listener, workers)


def _fails(run: RunFolder, plan: FilterPlan, rule: str, doc_id: int) -> bool:
    for table in signal_tables(run, doc_id >> 32, columns_of(plan.rules)):
        row = table.filter(table.column("doc_id").to_numpy() == doc_id)
        if row.num_rows:
            return bool(verdicts_of(plan.rules, row).fails[0, names_of(plan.rules).index(rule)])
    return False


def run_dry(
    run: Path,
    *,
    workers: int,
    loaded: LoadedConfig | None = None,
    step: int | None = None,
    curriculum: bool = False,
) -> Funnel:
    """Returns what a filter would remove; reads the stored signals alone."""
    audit = finished_plan(run)
    loaded = rules_for(run, audit, loaded)
    rules = _limits(loaded, step, curriculum=curriculum)
    wanted = columns_of(rules)

    def count(shard: int) -> Counts:
        counts = Counts()
        for table in signal_tables(RunFolder(run), shard, wanted):
            counts.add(table, verdicts_of(rules, table))
        return counts

    total = Counts()
    with reading(run), ThreadPoolExecutor(workers) as pool:
        for counts in pool.map(count, range(len(audit.shards))):
            total.merge(counts)
    return funnel_of(rules, total)


def rules_for(run: Path, audit: Plan, loaded: LoadedConfig | None) -> LoadedConfig:
    """Returns the config that was given, checked, or the one that the run was judged with last."""
    if loaded is None:
        return stored_config(RunFolder(run), audit)
    check_config(loaded)
    return loaded


def run_key(run: Path, rules: Sequence[Rule]) -> str:
    """Returns a digest of the results of a run that a filter with these rules uses."""
    known = all_signals()
    uses_drift = any(name in known and known[name].needs == "drift" for name in columns_of(rules))
    unused = () if uses_drift else (DRIFT,)
    outputs: dict[str, Output] = {}
    for path in sorted((run / MARKERS).glob("*.json")):
        marker = msgspec.json.decode(path.read_bytes(), type=Marker)
        outputs |= {
            name: output
            for name, output in marker.outputs.items()
            if name.startswith(READ_BY_FILTER) and not name.startswith(unused)
        }
    return key_of(outputs)


def _refuse_changed(audit: Plan) -> None:
    """Compares sizes and times of local files with those at the audit; digests are compared while they are read."""
    for file in {piece.file.name: piece.file for shard in audit.shards for piece in shard}.values():
        refuse_changed(file)


def _taken_over(plan: FilterPlan, folder: RunFolder) -> FilterPlan:
    """Returns the plan with what was restored before.

    Raises:
        RunError: the folder holds the output of another run or of other rules.
    """
    earlier = load_filter_plan(folder.path)
    if earlier is None:
        if (folder.path / PLAN_NAME).exists():
            raise RunError(f"{folder.path}: its filter_plan.json is damaged or of another version. Use a new --to.")
        return plan
    if earlier.run_key != plan.run_key:
        raise RunError(f"{folder.path} holds the output of another run, {earlier.run}. Give --to a new folder.")
    plan = msgspec.structs.replace(plan, run=earlier.run, restored=earlier.restored)
    same = msgspec.structs.replace(plan, config_name=earlier.config_name, config_digest=earlier.config_digest)
    if same != earlier:
        raise RunError(
            f"{folder.path} holds the output of a filter with other rules or another format "
            f"(config {earlier.config_name}). Give --to a new folder."
        )
    return earlier


def _work(folder: RunFolder, plan: FilterPlan, listener: Listener, workers: int) -> FilterResult:
    audit = load_plan(Path(plan.run))
    folder.write(PLAN_NAME, pretty_json(plan))
    tasks = _tasks(plan, audit)
    waiting = [task for task in tasks if folder.marker(task.id, task.key) is None]
    if waiting:
        (folder.path / RESULT_NAME).unlink(missing_ok=True)
        if len(waiting) < len(tasks):
            listener.note(f"filtering: {len(tasks) - len(waiting)} of {len(tasks)} shards are done.")
        with (
            LocalEngine(workers) as engine,
            listener.stage("filtering", sum(task.size for task in waiting)) as progress,
        ):
            for _ in engine.run(waiting, folder.path, progress):
                pass
    else:
        listener.note(f"filtering: all {len(tasks)} shards are done, nothing to do.")
    markers = [folder.any_marker(task.id) for task in tasks]
    done = [marker for marker in markers if marker is not None]
    _sweep(folder, plan, done)
    result = balance(plan, audit, done)
    if plan.output not in RECORD_FORMATS:
        result = _exported(folder.path, plan, result, listener)
    folder.write(RESULT_NAME, pretty_json(result))
    folder.tidy()
    return result


def _exported(out: Path, plan: FilterPlan, result: FilterResult, listener: Listener) -> FilterResult:
    """Writes the token ids of kept documents into OUT/clean, in one format and with a check of their range."""
    source = tokens_of_filter(out, Path(plan.run))
    written = export_tokens(source, out / "clean", ExportSettings(plan.output), listener, again=True)
    for note in written.notes:
        listener.note(f"clean: {note}")
    return msgspec.structs.replace(result, conserved=result.conserved and written.documents == result.records.clean)


def _tasks(plan: FilterPlan, audit: Plan) -> list[Task]:
    facts = msgspec.structs.replace(plan, run="", restored=[], names=[], config_name="", config_digest="", inputs=[])
    return [
        Task(
            id=f"filter-{shard:05d}",
            key=key_of([shard, facts, plan.names[shard], _restored_in(plan, shard)]),
            size=sum(piece.size for piece in pieces),
            spec=FilterSpec(shard),
        )
        for shard, pieces in enumerate(audit.shards)
    ]


def _restored_in(plan: FilterPlan, shard: int) -> list[Restored]:
    """Returns what was restored and concerns a shard, so that other shards are not filtered again."""
    hit = _rules_hit(plan, shard)
    return [
        each
        for each in plan.restored
        if (each.doc_id is None and each.rule in hit) or (each.doc_id is not None and each.doc_id >> 32 == shard)
    ]


def _rules_hit(plan: FilterPlan, shard: int) -> set[str]:
    """Returns the rules that documents of a shard fail, whatever was restored."""
    names = names_of(plan.rules)
    found: set[str] = set()
    for table in signal_tables(RunFolder(Path(plan.run)), shard, columns_of(plan.rules)) if plan.restored else ():
        fails = verdicts_of(plan.rules, table).fails
        found |= {name for at, name in enumerate(names) if fails[:, at].any()}
    return found


def _sweep(folder: RunFolder, plan: FilterPlan, done: Sequence[Marker]) -> None:
    """Removes files that an earlier state of this output had and this one has not; nothing else."""
    wanted = {name for marker in done for name in marker.outputs}
    for name in possible_outputs(plan):
        if name not in wanted:
            (folder.path / name).unlink(missing_ok=True)
    for kind in ("clean", "quarantine", "tokens"):
        for path in sorted((folder.path / kind).rglob("*"), reverse=True):
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()
