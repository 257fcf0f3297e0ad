"""Writes the page of a result to a file."""

import os
from pathlib import Path

from dataaudit.errors import UsageError
from dataaudit.report.page import render
from dataaudit.result import AuditResult

NAME = "report.html"


def write_page(result: AuditResult, path: Path, *, lang: str = "en", examples: int | None = None) -> None:
    """Renders a result and writes the page whole or not at all.

    Raises:
        UsageError: there is no such language, or the file cannot be written.
    """
    page = render(result, lang=lang, examples=examples)
    is_file = path.is_file() or not path.exists()
    target = path.with_name(f".{path.name}.{os.getpid()}") if is_file else path
    try:
        target.write_text(page, encoding="utf-8", newline="\n")
        if is_file:
            target.replace(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}). The result is in report.json.") from error
