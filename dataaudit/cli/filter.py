"""``dataaudit filter`` and ``dataaudit restore``: clean and quarantine."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dataaudit.cli.answer import say
from dataaudit.cli.export import FORMATS as TOKEN_FORMATS
from dataaudit.cli.interrupted import interrupted
from dataaudit.errors import UsageError

if TYPE_CHECKING:
    from dataaudit.config.load import LoadedConfig

Jobs = Annotated[int | None, typer.Option("-j", "--jobs", min=1, metavar="N", help="Workers; all cores by default.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
FORMATS = f"same, jsonl.zst, parquet, or of token ids {TOKEN_FORMATS}"
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notes and no progress on stderr.")]


def filter_(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run folder.")],
    to: Annotated[Path | None, typer.Option(metavar="OUT", help="Where to write; the same one resumes.")] = None,
    format: Annotated[str, typer.Option(metavar="FORMAT", help=f"Of the clean files: {FORMATS}.")] = "same",  # noqa: A002
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go; reads no corpus.")] = False,
    config: Annotated[
        str | None, typer.Option("--config", "-c", metavar="CONFIG", help="Preset or file with the rules.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="RULE.KEY=VALUE", help="Change a rule, such as its min.")
    ] = None,
    at_step: Annotated[int | None, typer.Option(min=0, metavar="N", help="Step of limits that move.")] = None,
    curriculum: Annotated[
        bool, typer.Option("--curriculum", help="Keep what any step admits, and write from which to which step.")
    ] = False,
    jobs: Jobs = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write OUT/clean and OUT/quarantine; every record of the corpus goes to one of the two.

    Clean holds the original records, quarantine the others with every reason. OUT/tokens holds the token ids of clean.

    The input is not touched.
    """
    from dataaudit.cli.progress import TerminalListener
    from dataaudit.filter_result import to_json
    from dataaudit.output.funnel import render_filter, render_funnel
    from dataaudit.pipeline.audit import default_workers
    from dataaudit.pipeline.filter_run import run_dry, run_filter

    loaded = _rules(run, config, settings or [])
    workers = jobs or default_workers()
    if dry_run:
        funnel = run_dry(run, workers=workers, loaded=loaded, step=at_step, curriculum=curriculum)
        say(to_json(funnel) if as_json else render_funnel(funnel))
        return
    if to is None:
        raise UsageError("say where to write with --to OUT, or only look with --dry-run.")
    try:
        result = run_filter(
            run,
            to,
            TerminalListener(quiet=quiet),
            workers=workers,
            output=format,
            loaded=loaded,
            step=at_step,
            curriculum=curriculum,
        )
    except KeyboardInterrupt:
        interrupted(to)
    say(to_json(result) if as_json else render_filter(result))
    if not result.conserved:
        raise typer.Exit(2)


def restore(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The output of a filter.")],
    rule: Annotated[list[str], typer.Option("--rule", metavar="RULE", help="A rule that shall not count.")],
    doc: Annotated[int | None, typer.Option("--doc", metavar="ID", help="Only for this document.")] = None,
    jobs: Jobs = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Put documents that a rule took out back into clean, at their place in the order.

    A document comes back when no other rule takes it out.
    """
    from dataaudit.cli.progress import TerminalListener
    from dataaudit.filter_result import to_json
    from dataaudit.output.funnel import render_filter
    from dataaudit.pipeline.audit import default_workers
    from dataaudit.pipeline.filter_run import run_restore

    try:
        result = run_restore(out, rule, doc, TerminalListener(quiet=quiet), workers=jobs or default_workers())
    except KeyboardInterrupt:
        interrupted(out)
    say(to_json(result) if as_json else render_filter(result))
    if not result.conserved:
        raise typer.Exit(2)


def _rules(run: Path, config: str | None, settings: list[str]) -> "LoadedConfig | None":
    """Returns the config with what was set, or None for that of the run as it is."""
    from dataaudit.config.load import load_config
    from dataaudit.config.settings import apply_settings
    from dataaudit.pipeline.filter_run import finished_plan, rules_for

    if config is None and not settings:
        return None
    loaded = rules_for(run, finished_plan(run), None if config is None else load_config(config))
    return apply_settings(loaded, settings)
