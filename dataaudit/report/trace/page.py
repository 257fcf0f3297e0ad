"""Renders a trace as one HTML file that needs nothing else, of at most 1 MB."""

from pathlib import Path
from typing import Any

from markupsafe import Markup

from dataaudit.report.frame import BUDGET, environment, framed, refuse_language, write_file
from dataaudit.report.numbers import count, percent
from dataaudit.report.svg import Charts
from dataaudit.report.texts import Texts
from dataaudit.report.trace.losses import sections_of_losses
from dataaudit.report.trace.step import sections_of_step
from dataaudit.report.trace.view import Section, TraceView
from dataaudit.trace_result import TraceResult

PLENTY = (50, 200)
"""Documents in full and rows a table."""
STEPS = ((20, 200), (10, 100), (5, 50), (2, 20), (0, 10))
"""The same, tried in turn while the page is too large."""


def render_trace_page(result: TraceResult, *, lang: str = "en") -> str:
    """Returns a trace as one HTML page; the same text for the same trace.

    Raises:
        UsageError: there is no such language.
    """
    refuse_language(lang)
    page = _page(result, lang, *PLENTY)
    for full, rows in STEPS:
        if len(page.encode()) <= BUDGET:
            return page
        page = _page(result, lang, full, rows)
    return page


def write_trace_page(result: TraceResult, path: Path, *, lang: str = "en") -> None:
    """Renders a trace and writes the page whole or not at all.

    Raises:
        UsageError: there is no such language, or the file cannot be written.
    """
    write_file(render_trace_page(result, lang=lang), path, "Give --html another place.")


def _page(result: TraceResult, lang: str, full: int, rows: int) -> str:
    texts = Texts(lang, result.unit)
    view = TraceView(result, texts, Charts(texts), full, rows)
    sections = [
        *(sections_of_step(view, result.trace) if result.trace is not None else []),
        *(sections_of_losses(view, result.losses) if result.losses is not None else []),
        Section("method", {"result": result, "missing": [view.family(each) for each in result.not_measured]}),
    ]
    content = {
        "result": result,
        "sections": [_built(texts, each) for each in sections],
        "figures": _figures(view),
        "trimmed": texts("trace.trimmed", full, rows) if (full, rows) != PLENTY else None,
    }
    return framed("trace/page.html", texts, content, {"documents": 0, "tokens": 0, "curves": []})


def _built(texts: Texts, section: Section) -> dict[str, Any]:
    html = environment().get_template(f"trace/{section.name}.html").render(t=texts, examples=1, **section.content)
    return {
        "name": section.name,
        "title": f"trace.section.{section.name}",
        "html": Markup(html),  # noqa: S704 - the template escapes
    }


def _figures(view: TraceView) -> list[tuple[str, Markup]]:
    t, result = view.t, view.result
    figures = []
    if result.trace is not None:
        figures = [
            (percent(result.trace.batch.share), t("trace.before.share")),
            (count(result.trace.batch.rank), t("trace.place", count(len(result.trace.before)))),
            (count(len(result.trace.samples)), t("trace.samples")),
            (count(len(result.trace.documents)), t("trace.documents")),
            (count(sum(each.size for each in result.trace.documents)), t(f"unit.{result.unit}")),
        ]
    return [*figures, (count(result.steps), t("trace.steps"))]
