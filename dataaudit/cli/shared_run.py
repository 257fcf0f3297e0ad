"""``dataaudit plan``, ``work`` and ``finish``: an audit that any number of machines share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dataaudit.cli import corpus_options as options
from dataaudit.cli.answer import FailOn, FailOnOption, FormatsOption, formats, say, tell
from dataaudit.cli.interrupted import interrupted
from dataaudit.cli.report import ExamplesOption

if TYPE_CHECKING:
    from dataaudit.pipeline.stage_tasks import StageState

LISTED_TASKS = 3


def plan(
    inputs: options.Inputs,
    out: options.Out,
    config: options.Config = None,
    tokenizer: options.Tokenizer = None,
    model: options.Model = None,
    vocab_size: options.VocabSize = None,
    max_length: options.MaxLength = None,
    text_column: options.TextColumn = None,
    id_column: options.IdColumn = None,
    source_column: options.SourceColumn = None,
    input_format: options.InputFormat = None,
    token_dtype: options.TokenDtype = None,
    text: options.Text = None,
    eos_id: options.EosId = None,
    bos_id: options.BosId = None,
    reference: options.Reference = None,
    quiet: options.Quiet = False,
) -> None:
    """Plan an audit that several machines share; then: work, finish.

    Looks into every file, and writes plan and config into the run folder. Takes the options of dataaudit audit; what
    plan, work and finish leave there are the same bytes.
    """
    from dataaudit.cli.progress import TerminalListener
    from dataaudit.config.load import load_config
    from dataaudit.config.override import override
    from dataaudit.pipeline.planned_stages import planned_stages, rounds
    from dataaudit.pipeline.shared_run import run_plan

    loaded = override(
        load_config(config),
        tokenizer=tokenizer,
        model=model,
        vocab_size=vocab_size,
        max_length=max_length,
        text_column=text_column,
        id_column=id_column,
        source_column=source_column,
        token_dtype=token_dtype,
        text_beside=text,
        eos_id=eos_id,
        bos_id=bos_id,
        reference=reference,
    )
    try:
        made = run_plan(inputs, out, loaded, TerminalListener(quiet=quiet), input_format=input_format)
    except KeyboardInterrupt:
        interrupted(out)
    for stage in planned_stages(made):
        say(f"{stage.name:<28}{stage.tasks:>9,} tasks{stage.note}")
    say(f"next, as often, on as many machines that share {out}, and at once, as you like:")
    say(f"  dataaudit work {out}")
    say(f"or, for I = 0 to N-1, each with a share of its own, in {rounds(made)} rounds:")
    say(f"  dataaudit work {out} --shard-index I --num-shards N")
    say(f"then:\n  dataaudit finish {out}")


def work(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A planned run folder, which the workers share.")],
    shard_index: Annotated[
        int | None, typer.Option(metavar="I", help="Which worker this is, from 0; needs --num-shards.")
    ] = None,
    num_shards: Annotated[int | None, typer.Option(metavar="N", help="How many workers share the tasks.")] = None,
    task: Annotated[list[str] | None, typer.Option(metavar="ID", help="Only this task; may be repeated.")] = None,
    wait: Annotated[
        float,
        typer.Option(min=0, metavar="SECONDS", help="How long to wait for other workers in each stage."),
    ] = 0,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Do open tasks of a planned run, beside any number of other workers.

    Takes all that nobody has done, or with --shard-index and --num-shards a share of each stage. A share ends where the
    next stage has to wait for tasks of other workers: run it again when they are done, or --wait.

    A killed worker loses its unfinished tasks alone; whoever does them again writes the same bytes.
    """
    from dataaudit.cli.progress import TerminalListener
    from dataaudit.pipeline.audit import default_workers
    from dataaudit.pipeline.shared_run import Share, run_work

    try:
        states = run_work(
            run,
            TerminalListener(quiet=quiet),
            workers=jobs or default_workers(),
            chosen=Share(shard_index, num_shards, tuple(task or ())),
            patience=wait,
        )
    except KeyboardInterrupt:
        interrupted(run)
    for state in states:
        say(_told(state))
    if any(state.open for state in states):
        say(
            "What is open is other workers', and later stages need it. Run this again when they are done, or take "
            f"their tasks over: dataaudit work {run}"
        )
    else:
        say(f"all tasks are done. next: dataaudit finish {run}")


def _told(state: "StageState") -> str:
    told = f"{state.name:<34}{state.tasks:>7,} tasks, {state.done_here:,} of them done here"
    if not state.open:
        return f"{told}, all done"
    more = ", ..." if len(state.open) > LISTED_TASKS else ""
    return f"{told}, {len(state.open):,} open: {', '.join(state.open[:LISTED_TASKS])}{more}"


def finish(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A planned run folder whose tasks are done.")],
    examples: ExamplesOption = None,
    jobs: options.Jobs = None,
    format: FormatsOption = None,  # noqa: A002 - the option's name
    fail_on: FailOnOption = FailOn.FAIL,
    quiet: options.Quiet = False,
) -> None:
    """Join what the workers have done, judge it, and write report.json and report.html.

    Names the tasks that are missing, if any are. Exit codes are those of dataaudit audit.
    """
    from dataaudit.cli.progress import TerminalListener
    from dataaudit.pipeline.audit import default_workers
    from dataaudit.pipeline.lookup import load_result
    from dataaudit.pipeline.shared_run import run_finish
    from dataaudit.report import NAME, write_page

    told = formats(format)
    try:
        result = run_finish(run, TerminalListener(quiet=quiet), workers=jobs or default_workers(), examples=examples)
        write_page(load_result(run), run / NAME)
    except KeyboardInterrupt:
        interrupted(run)
    tell(result, run, told, fail_on)
