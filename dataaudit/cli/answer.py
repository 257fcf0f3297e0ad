"""How the result of a run is told: printed on stdout, written to files, and as the exit code."""

import os
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from dataaudit.errors import UsageError, suggestion
from dataaudit.output.formats import DEFAULT, format_names

if TYPE_CHECKING:
    from dataaudit.result import AuditResult, Status

SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"
SUMMARY_BYTES = 1024 * 1024
"""GitHub shows no summary at all for a step that writes more."""
SUMMARY_REST = "\n\nThe rest does not fit into a job's summary; see report.json.\n"


class FailOn(StrEnum):
    """The least status that makes the exit code 1."""

    FAIL = "fail"
    WARN = "warn"
    NEVER = "never"


class Format(NamedTuple):
    """A format, and the file it goes to; None is stdout."""

    name: str
    file: Path | None


FormatsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        metavar="FORMAT[=FILE]",
        help=f"{', '.join(format_names())}: how the result is printed on stdout (default {DEFAULT}); with =FILE, "
        "written to that file. May be repeated.",
    ),
]
FailOnOption = Annotated[FailOn, typer.Option("--fail-on", help="Least status for exit code 1.")]


def formats(values: list[str] | None) -> list[Format]:
    """Returns what to tell and where; the default format on stdout when nothing else goes there.

    Raises:
        UsageError: an unknown format, two for stdout or for one file, or a file that cannot be written.
    """
    asked = [_parse(value) for value in values or []]
    places = [each.file for each in asked]
    if places.count(None) > 1:
        names = ", ".join(each.name for each in asked if each.file is None)
        raise UsageError(f"one format can be printed on stdout, not {names}. Write the others to files: FORMAT=FILE.")
    for file in places:
        if file is not None and places.count(file) > 1:
            raise UsageError(f"two formats go to {file}. Give each its own file.")
    return asked if None in places else [Format(DEFAULT, None), *asked]


def _parse(value: str) -> Format:
    name, equals, file = value.partition("=")
    if name not in format_names():
        raise UsageError(
            f"no format {name!r}.{suggestion(name, format_names())} There are: {', '.join(format_names())}."
        )
    if not equals:
        return Format(name, None)
    path = Path(file)
    if not file or path.is_dir() or not path.parent.is_dir():
        raise UsageError(f"--format {value}: {file or 'an empty name'} is no file that can be written.")
    return Format(name, path)


def tell(result: "AuditResult", run: Path, told: list[Format], fail_on: FailOn) -> None:
    """Prints the result, then writes it, and ends with its exit code, whatever the formats.

    Raises:
        UsageError: a file cannot be written.
        typer.Exit: 1 when the verdict is at or above *fail_on*, 2 when a check could not be judged.
    """
    from dataaudit.output.formats import render
    from dataaudit.output.formats.table import render_for_terminal

    for name, file in sorted(told, key=lambda each: each.file is not None):
        if file is not None:
            _write(file, render(name, result, run))
        else:
            say(render_for_terminal(result, run) if name == DEFAULT else render(name, result, run))
    if any(each.name == "github" for each in told) and (summary := os.environ.get(SUMMARY_VARIABLE)):
        append_summary(Path(summary), render("markdown", result, run))
    end(result.counts, result.verdict, fail_on)


def end(counts: Mapping[str, int], verdict: "Status", fail_on: FailOn) -> None:
    """Ends with the exit code of a verdict.

    Raises:
        typer.Exit: 1 when the verdict is at or above *fail_on*, 2 when a check could not be judged.
    """
    from dataaudit.result import Status

    if counts[Status.ERROR]:
        raise typer.Exit(2)
    reached = {FailOn.FAIL: (Status.FAIL,), FailOn.WARN: (Status.FAIL, Status.WARN), FailOn.NEVER: ()}[fail_on]
    if verdict in reached:
        raise typer.Exit(1)


def say(text: str) -> None:
    """Prints an answer on stdout, with a line feed at its end if it has none."""
    typer.echo(text, nl=not text.endswith("\n"))


def append_summary(path: Path, text: str) -> None:
    """Appends Markdown to a GitHub job's summary, cut at a line where it would pass the size that GitHub allows.

    The summary is a courtesy: when it cannot be written, that is said on stderr and the exit code stays.
    """
    content = text.encode()
    try:
        room = SUMMARY_BYTES - (path.stat().st_size if path.exists() else 0)
        if len(content) > room:
            rest = SUMMARY_REST.encode()
            content = content[: content.rfind(b"\n", 0, max(0, room - len(rest))) + 1]
            content = content + rest if len(content) + len(rest) <= room else b""
        with path.open("ab") as file:
            file.write(content)
    except OSError as error:
        sys.stderr.write(f"warning: {SUMMARY_VARIABLE}={path} cannot be written ({error.strerror}).\n")


def _write(path: Path, text: str) -> None:
    """Writes a file whole or not at all, since a collector may read it at any time; pipes and devices as they are."""
    is_file = path.is_file() or not path.exists()
    target = path.with_name(f".{path.name}.{os.getpid()}") if is_file else path
    try:
        target.write_text(text, encoding="utf-8")
        if is_file:
            target.replace(path)
    except OSError as error:
        if is_file:
            target.unlink(missing_ok=True)
        raise UsageError(f"{path}: cannot be written ({error.strerror}). The result is in report.json.") from error
