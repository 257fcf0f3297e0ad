"""Renders a result as one HTML file that needs nothing else, of at most 1 MB."""

from typing import NamedTuple

from markupsafe import Markup

from dataaudit.report.frame import BUDGET, environment, framed, refuse_language
from dataaudit.report.numbers import bytes_of, count, percent, share_of
from dataaudit.report.sections import all_sections
from dataaudit.report.svg import Charts
from dataaudit.report.texts import Texts
from dataaudit.report.view import View
from dataaudit.result import AuditResult, Status

PLENTY = 200
STEPS = ((4, 200), (2, 200), (1, 200), (0, 200), (0, 50), (0, 20), (0, 5))
"""Excerpts a rule and rows a table, tried in turn while the page is too large: excerpts go first."""


class _Built(NamedTuple):
    """A section as HTML."""

    name: str
    title: str
    html: Markup


def render(result: AuditResult, *, lang: str = "en", examples: int | None = None) -> str:
    """Returns the report as one HTML page; the same text for the same result.

    Args:
        result: what an audit found.
        lang: language of the page when it opens, ``en`` or ``zh``; the reader can switch.
        examples: excerpts that a rule shows at most; None shows all that the result has, 0 no text of the corpus.

    Raises:
        UsageError: there is no such language.
    """
    refuse_language(lang)
    has = result.closeup.examples if result.closeup is not None else 0
    wanted = has if examples is None else min(examples, has)
    page = _page(result, lang, wanted, PLENTY, wanted)
    for most, rows in STEPS:
        if len(page.encode()) <= BUDGET:
            return page
        page = _page(result, lang, min(most, wanted), rows, wanted)
    return page


def _page(result: AuditResult, lang: str, examples: int, rows: int, wanted: int) -> str:
    texts = Texts(lang, str(result.lengths.get("unit", "tokens")))
    view = View(result, texts, Charts(texts), examples, rows)
    common = {"t": texts, "charts": view.charts, "examples": examples}
    sections = [
        _Built(
            each.name,
            each.title,
            Markup(environment().get_template(f"{each.name}.html").render(**common, **content)),  # noqa: S704 - escaped
        )
        for each in all_sections()
        if (content := each.build(view)) is not None
    ]
    is_trimmed = examples < wanted or rows < PLENTY
    for key in ("chart.bin", "chart.one", "limit.slider"):
        texts.pair(key)
    content = {
        "charts": view.charts,
        "examples": examples,
        "result": result,
        "sections": sections,
        "counts": [(status, result.counts[status]) for status in Status if result.counts.get(status)],
        "inputs": result.closeup.inputs[:3] if result.closeup is not None else [],
        "figures": _figures(view),
        "trimmed": texts("page.trimmed", examples, rows) if is_trimmed else None,
        "no_text": texts("page.no_text") if not wanted else None,
    }
    data = {"documents": view.documents, "tokens": view.tokens, "curves": view.curves}
    return framed("page.html", texts, content, data)


def _figures(view: View) -> list[tuple[str, Markup]]:
    corpus, t = view.result.corpus, view.t
    figures = [(count(corpus.documents), t("figure.documents"))]
    if corpus.tokens is not None:
        figures.append((count(corpus.tokens), t("figure.tokens")))
    if corpus.characters is not None:
        figures.append((count(corpus.characters), t("figure.characters")))
    figures.append((bytes_of(corpus.input_bytes), t("figure.bytes")))
    figures.append((count(corpus.files), t("figure.files")))
    figures.append((count(corpus.unreadable + corpus.without_text), t("figure.lost")))
    if view.closeup is not None and view.closeup.rules:
        left = share_of(view.closeup.rules[-1].documents_left, corpus.documents)
        figures.append((percent(left), t("figure.left")))
    return figures
