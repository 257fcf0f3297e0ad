"""An audit in three steps, of which any number of machines that share the run folder do the second: plan, work, finish.

``run_audit`` is the three in one process; the bytes are the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dataaudit.config.load import LoadedConfig
from dataaudit.corpus import CorpusFile
from dataaudit.corpus.location import is_local
from dataaudit.errors import RunError, UsageError, suggestion
from dataaudit.pipeline.excerpts import texts_for_audit
from dataaudit.pipeline.listener import Listener
from dataaudit.pipeline.local import LocalEngine
from dataaudit.pipeline.map_shard import signal_versions
from dataaudit.pipeline.plan import Plan
from dataaudit.pipeline.planning import look_at, plan_corpus
from dataaudit.pipeline.prepare import earlier_plan
from dataaudit.pipeline.readback import read_back
from dataaudit.pipeline.run_config import stored_config
from dataaudit.pipeline.stage_tasks import (
    Choice,
    OpenTasksError,
    StageState,
    StageTasks,
    everything_from_a_place_of_its_own,
    named,
    nothing,
    share,
)
from dataaudit.pipeline.stages import join_and_judge, measure
from dataaudit.pipeline.store import RunFolder, open_run, refuse_unplanned, share_run
from dataaudit.pipeline.versions import versions
from dataaudit.result import AuditResult

LISTED_TASKS = 10
LOOKED_AT_FILES = 100


@dataclass(frozen=True, slots=True)
class Share:
    """Which tasks a worker takes.

    Attributes:
        index, count: every *count*-th from number *index* on; both None for all that are open.
        tasks: only those with these ids; empty for any.
    """

    index: int | None = None
    count: int | None = None
    tasks: Sequence[str] = field(default=())

    def choice(self) -> Choice:
        """Returns how it chooses.

        Raises:
            UsageError: the numbers do not go together.
        """
        if self.tasks:
            if self.index is not None or self.count is not None:
                raise UsageError("say which tasks: by --task, or by --shard-index and --num-shards.")
            return named(self.tasks)
        if self.index is None and self.count is None:
            return everything_from_a_place_of_its_own
        if self.index is None or self.count is None:
            raise UsageError("--shard-index I and --num-shards N go together: worker I of N, from 0.")
        if self.count < 1:
            raise UsageError(f"--num-shards {self.count}: there has to be one worker at least.")
        if not 0 <= self.index < self.count:
            raise UsageError(
                f"--shard-index {self.index} --num-shards {self.count}: workers are numbered from 0 to "
                f"{self.count - 1}."
            )
        return share(self.index, self.count)


def run_plan(
    inputs: Sequence[str], out: Path, loaded: LoadedConfig, listener: Listener, *, input_format: str | None = None
) -> Plan:
    """Looks into the inputs and writes the plan of their audit into the run folder; no document is measured.

    Raises:
        DataAuditError: of the kind that fits, with a message for the user.
    """
    corpus = look_at(inputs, out, loaded, listener, input_format=input_format)
    with open_run(out, new=True) as run:
        return plan_corpus(run, corpus, loaded, listener)


def run_work(
    out: Path, listener: Listener, *, workers: int, chosen: Share | None = None, patience: float = 0
) -> list[StageState]:
    """Does tasks of a planned run, beside any number of other workers; returns how far each stage is that can be done.

    Args:
        out: the run folder, which the others share.
        listener: hears notes.
        workers: processes.
        chosen: which tasks to take; all that are open when None.
        patience: for how many seconds other workers are waited for in a stage.

    Raises:
        DataAuditError: of the kind that fits, with a message for the user.
    """
    chosen = chosen or Share()
    choose = chosen.choice()
    with share_run(out) as run, LocalEngine(workers) as engine:
        plan, loaded = _planned(run)
        stages = StageTasks(run, engine, listener, choose=choose, patience=patience)
        try:
            measure(run, plan, stages, loaded)
        except OpenTasksError:
            """The states say which are open."""
        _refuse_unknown(chosen.tasks, stages)
    return stages.states


def run_finish(out: Path, listener: Listener, *, workers: int, examples: int | None = None) -> AuditResult:
    """Joins what the workers have done and judges it.

    Raises:
        DataAuditError: of the kind that fits, with a message for the user; tasks that are not done are named.
    """
    refuse_unplanned(out)
    with open_run(out, new=False) as run:
        plan, loaded = _planned(run)
        if examples != 0:
            _refuse_absent(plan)
        with LocalEngine(workers) as engine:
            looking = StageTasks(run, engine, listener, choose=nothing)
            try:
                measured = measure(run, plan, looking, loaded)
            except OpenTasksError as error:
                raise RunError(_open(out, looking.states)) from error
            result = join_and_judge(run, plan, measured, looking, loaded, texts_for_audit(examples))
        read_back(run, listener)
    return result


def _planned(run: RunFolder) -> tuple[Plan, LoadedConfig]:
    plan = earlier_plan(run)
    if plan is None:
        raise RunError(f"{run.path}: plan.json is damaged or of another version. Run the same dataaudit plan again.")
    _refuse_other_versions(plan)
    return plan, stored_config(run, plan)


def _refuse_other_versions(plan: Plan) -> None:
    signals = signal_versions("text", "tokens", "labels", "mask")
    pairs = [(name, version, versions().get(name)) for name, version in plan.map.versions.items()]
    pairs += [(f"signal {name}", str(version), str(signals.get(name))) for name, version in plan.map.signals.items()]
    for name, planned, here in pairs:
        if planned != here:
            raise RunError(
                f"the plan was made with {name} {planned}, and here is {here}: results could differ from machine to "
                "machine. Install the same versions on all of them, or plan again."
            )


def _refuse_absent(plan: Plan) -> None:
    """Raises RunError when the corpus is not there, without which a report has no excerpts."""
    files = [piece.file for shard in plan.shards for piece in shard if is_local(piece.file.path)]
    absent = [file for file in files[:: len(files) // LOOKED_AT_FILES + 1] if not _is_there(file)]
    if absent:
        raise RunError(
            f"{absent[0].path} is not here, and excerpts are read from the corpus. Relative paths start at "
            "the folder where dataaudit plan was run. Go there, or give --examples 0 for a report without any text."
        )


def _is_there(file: CorpusFile) -> bool:
    return file.path.startswith("hub:") or Path(file.path).exists()


def _refuse_unknown(tasks: Sequence[str], stages: StageTasks) -> None:
    for task in tasks:
        if task not in stages.seen:
            raise UsageError(
                f"no task {task!r} can be done now.{suggestion(task, stages.seen)} "
                f"Stages so far: {', '.join(state.name for state in stages.states)}."
            )


def _open(out: Path, states: Sequence[StageState]) -> str:
    told = [
        f"{len(state.open):,} of {state.tasks:,} tasks of {state.name} are not done: {_listed(state.open)}"
        for state in states
        if state.open
    ]
    return "\n".join([f"{out}: {told[0]}", *told[1:], f"Do them, and what follows them: dataaudit work {out}"])


def _listed(tasks: Sequence[str]) -> str:
    more = f" and {len(tasks) - LISTED_TASKS:,} more" if len(tasks) > LISTED_TASKS else ""
    return ", ".join(tasks[:LISTED_TASKS]) + more + "."
