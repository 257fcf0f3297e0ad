"""Renders a comparison of two runs as one HTML file that needs nothing else, of at most 1 MB."""

from pathlib import Path
from typing import Any

from markupsafe import Markup

from dataaudit.comparison.result import Comparison, Side
from dataaudit.report.changes import all_changes
from dataaudit.report.comparison_view import ComparisonView
from dataaudit.report.frame import BUDGET, environment, framed, refuse_language, write_file
from dataaudit.report.numbers import count
from dataaudit.report.svg import Charts
from dataaudit.report.texts import Texts

STEPS = ((200, 60), (100, 30), (50, 12), (10, 4), (5, 0))
"""Rows a table and charts of signals, tried in turn while the page is too large."""


def render_comparison_page(found: Comparison, *, lang: str = "en") -> str:
    """Returns what changed as one HTML page; the same text for the same comparison.

    Raises:
        UsageError: there is no such language.
    """
    refuse_language(lang)
    page = ""
    for rows, charts in STEPS:
        page = _page(found, lang, rows, charts)
        if len(page.encode()) <= BUDGET:
            break
    return page


def write_comparison_page(found: Comparison, path: Path, *, lang: str = "en") -> None:
    """Renders a comparison and writes the page whole or not at all.

    Raises:
        UsageError: there is no such language, or the file cannot be written.
    """
    write_file(render_comparison_page(found, lang=lang), path, "Give --html another place.")


def _page(found: Comparison, lang: str, rows: int, charts: int) -> str:
    texts = Texts(lang)
    view = ComparisonView(found, texts, Charts(texts), rows, charts)
    sections = [
        {"name": each.name, "title": each.title, "html": _html(view, each.name, content)}
        for each in all_changes()
        if (content := each.build(view)) is not None
    ]
    outcome = "none" if found.checks_reason is not None else "worse" if found.regressions else "same"
    content = {
        "sections": sections,
        "examples": 0,
        "outcome": outcome,
        "tone": {"none": "info", "worse": "fail", "same": "pass"}[outcome],
        "say": texts(f"compare.say.{outcome}", len(found.regressions)),
        "sides": [_side(view, key, side) for key, side in (("old", found.old), ("new", found.new))],
        "version": found.new.dataaudit_version,
        "trimmed": texts("compare.trimmed", charts, rows) if (rows, charts) != STEPS[0] else None,
    }
    return framed("comparison.html", texts, content, {"documents": 0, "tokens": 0, "curves": []})


def _html(view: ComparisonView, name: str, content: dict[str, Any]) -> Markup:
    template = environment().get_template(f"changes/{name}.html")
    return Markup(template.render(t=view.t, charts=view.charts, examples=0, **content))  # noqa: S704 - it escapes


def _side(view: ComparisonView, key: str, side: Side) -> dict[str, Any]:
    return {
        "key": view.t(f"compare.{key}"),
        "name": side.name,
        "verdict": side.verdict,
        "status": view.status(side.verdict) if side.verdict is not None else view.t("compare.not_judged"),
        "documents": count(side.documents),
        "tokens": count(side.tokens),
        "characters": count(side.characters),
        "records": count(side.records),
        "config": side.config_name,
    }
