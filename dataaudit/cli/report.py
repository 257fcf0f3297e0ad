"""``dataaudit report``: the result of a run as a page, or as JSON, once more."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dataaudit.cli.answer import say
from dataaudit.errors import UsageError


class Language(StrEnum):
    """Languages of the page."""

    EN = "en"
    ZH = "zh"


ExamplesOption = Annotated[
    int | None,
    typer.Option(
        "--examples", min=0, max=100, metavar="N", help="Excerpts of documents a rule, 8 by default; 0 for no text."
    ),
]


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run folder.")],
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="The page; RUN/report.html by default.")] = None,
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="Where to write the result as JSON.")] = None,
    lang: Annotated[Language, typer.Option(help="Language of the page; it can be switched there.")] = Language.EN,
    examples: ExamplesOption = None,
) -> None:
    """Render the report of a run again, from its report.json alone."""
    from dataaudit.pipeline.lookup import load_result
    from dataaudit.report import NAME, write_page

    result = load_result(run)
    if json is not None:
        try:
            json.write_bytes(result.to_json())
        except OSError as error:
            raise UsageError(f"{json}: cannot be written ({error.strerror}).") from error
        say(str(json))
    if html is not None or json is None:
        target = html or run / NAME
        write_page(result, target, lang=lang, examples=examples)
        say(str(target))
