"""The audit from inputs to verdict, and judging a finished run again."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from dataaudit.config.load import LoadedConfig, load_config
from dataaudit.config.override import override
from dataaudit.corpus import cut_pieces, find_files
from dataaudit.errors import ConfigError, RunError
from dataaudit.pipeline.check_config import check_config
from dataaudit.pipeline.excerpts import texts_for_audit, texts_for_check
from dataaudit.pipeline.listener import Listener
from dataaudit.pipeline.local import LocalEngine
from dataaudit.pipeline.plan import Plan
from dataaudit.pipeline.prepare import (
    duplicate_settings,
    earlier_plan,
    make_plan,
    pool_settings,
    read_options,
    refuse_inputs_inside,
    refuse_other_corpus,
    refuse_overlap,
    tell_what_was_found,
    token_hints,
)
from dataaudit.pipeline.readback import read_back
from dataaudit.pipeline.stages import map_shards, map_tasks, pool_and_judge
from dataaudit.pipeline.store import RunFolder, open_run, pretty_json
from dataaudit.pipeline.text_beside import text_beside
from dataaudit.result import AuditResult, from_json
from dataaudit.tokenize import identify


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
    refuse_overlap(inputs, out)
    if loaded.config.tokenizer.path is not None:
        identify(loaded.config.tokenizer.path)  # what is wrong with it is said before a large corpus is looked through
    options = read_options(loaded, input_format)
    found = find_files(inputs)
    refuse_inputs_inside(found.files, out)
    pieces = cut_pieces(
        found.files,
        options,
        loaded.config.read.shard_bytes,
        lambda: token_hints(loaded),
        ids_first=loaded.config.read.text_beside is not None,
    )
    tell_what_was_found(found.skipped, pieces, listener)
    beside = text_beside(pieces, loaded, out, listener)
    with open_run(out, new=True) as run:
        earlier = earlier_plan(run)
        refuse_other_corpus(earlier, found.files, out)
        plan = make_plan(inputs, pieces, options, loaded, earlier, listener)
        plan = msgspec.structs.replace(plan, text_beside=beside)
        if plan != earlier:
            run.retract_report()
        run.write("plan.json", pretty_json(plan))
        with LocalEngine(workers) as engine:
            map_shards(run, plan, engine, listener)
            result = pool_and_judge(run, plan, engine, loaded, listener, texts_for_audit(examples))
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
        plan = earlier_plan(run)
        if plan is None:
            raise RunError(f"{out}: plan.json is damaged or of another version. Run dataaudit audit again.")
        kept = stored_config(run, plan)
        loaded = override(kept if loaded is None else _on_same_corpus(loaded, kept), reference=reference)
        check_config(loaded)
        unfinished = [task.id for task in map_tasks(plan) if run.marker(task.id, task.key) is None]
        if unfinished:
            raise RunError(
                f"{out}: {len(unfinished)} of {len(plan.shards)} shards are not finished. "
                "Run the same dataaudit audit command again to resume."
            )
        plan = msgspec.structs.replace(
            plan, config_name=loaded.name, pool=pool_settings(loaded), duplicates=duplicate_settings(loaded)
        )
        run.write("plan.json", pretty_json(plan))
        with LocalEngine(workers) as engine:
            result = pool_and_judge(run, plan, engine, loaded, listener, texts_for_check(examples, _last_result(run)))
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


def default_workers() -> int:
    """Returns the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
