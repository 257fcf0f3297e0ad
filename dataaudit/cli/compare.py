"""``dataaudit compare``: what changed from one run to another."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dataaudit.cli.report import Language


class ComparisonFormat(StrEnum):
    """How the comparison is printed."""

    TABLE = "table"
    JSON = "json"


def compare(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A run folder, the output of a filter, or a report.json.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The one to judge: likewise.")],
    format: Annotated[  # noqa: A002 - the option's name
        ComparisonFormat, typer.Option("--format", help="How it is printed on stdout.")
    ] = ComparisonFormat.TABLE,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write it as a page, too.")] = None,
    lang: Annotated[Language, typer.Option(help="Language of the page; it can be switched there.")] = Language.EN,
) -> None:
    """Say what changed from one run to another; exit code 1 when a check got worse.

    Checks, values, distributions of signals, mixture, documents added, removed and changed, and how the runs were made.

    Before and after cleaning: compare RUN OUT; checks too, if OUT/audit is an audit of OUT/clean.
    """
    from dataaudit.cli.answer import say
    from dataaudit.output.comparison import render_comparison
    from dataaudit.pipeline.compare_runs import compare_runs

    found = compare_runs(old, new)
    if html is not None:
        from dataaudit.report import write_comparison_page

        write_comparison_page(found, html, lang=lang)
    say(found.to_json().decode() if format is ComparisonFormat.JSON else render_comparison(found))
    if found.is_regression:
        raise typer.Exit(1)
