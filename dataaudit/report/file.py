"""Writes the page of a result to a file."""

from pathlib import Path

from dataaudit.report.frame import write_file
from dataaudit.report.page import render
from dataaudit.result import AuditResult

NAME = "report.html"


def write_page(result: AuditResult, path: Path, *, lang: str = "en", examples: int | None = None) -> None:
    """Renders a result and writes the page whole or not at all.

    Raises:
        UsageError: there is no such language, or the file cannot be written.
    """
    write_file(render(result, lang=lang, examples=examples), path, "The result is in report.json.")
