"""The audit from inputs to verdict, and judging a finished run again."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from dataaudit.config.load import LoadedConfig
from dataaudit.config.override import override
from dataaudit.errors import RunError
from dataaudit.pipeline.check_config import check_config
from dataaudit.pipeline.excerpts import texts_for_audit, texts_for_check
from dataaudit.pipeline.listener import Listener
from dataaudit.pipeline.local import LocalEngine
from dataaudit.pipeline.plan import write_plan
from dataaudit.pipeline.planning import look_at, plan_corpus
from dataaudit.pipeline.prepare import duplicate_settings, earlier_plan, pool_settings
from dataaudit.pipeline.readback import read_back
from dataaudit.pipeline.run_config import stored_config
from dataaudit.pipeline.stage_tasks import StageTasks
from dataaudit.pipeline.stages import join_and_judge, map_tasks, measure
from dataaudit.pipeline.store import RunFolder, open_run
from dataaudit.result import AuditResult, from_json


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
    corpus = look_at(inputs, out, loaded, listener, input_format=input_format)
    with open_run(out, new=True) as run:
        plan = plan_corpus(run, corpus, loaded, listener)
        with LocalEngine(workers) as engine:
            stages = StageTasks(run, engine, listener)
            measured = measure(run, plan, stages, loaded)
            result = join_and_judge(run, plan, measured, stages, loaded, texts_for_audit(examples))
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
        write_plan(run, plan)
        texts = texts_for_check(examples, _last_result(run))
        with LocalEngine(workers) as engine:
            stages = StageTasks(run, engine, listener)
            result = join_and_judge(run, plan, measure(run, plan, stages, loaded), stages, loaded, texts)
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


def default_workers() -> int:
    """Returns the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
