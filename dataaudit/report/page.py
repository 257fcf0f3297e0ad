"""Renders a result as one HTML file that needs nothing else, of at most 1 MB."""

import base64
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from dataaudit.errors import UsageError
from dataaudit.report.numbers import bytes_of, count, percent, share_of
from dataaudit.report.sections import all_sections
from dataaudit.report.svg import Charts
from dataaudit.report.texts import LANGUAGES, Texts, shown
from dataaudit.report.view import View
from dataaudit.result import AuditResult, Status

BUDGET = 1_000_000
"""Bytes that a page has at most, whatever the corpus."""
PLENTY = 200
STEPS = ((4, 200), (2, 200), (1, 200), (0, 200), (0, 50), (0, 20), (0, 5))
"""Excerpts a rule and rows a table, tried in turn while the page is too large: excerpts go first."""

HERE = Path(__file__).parent
_UNSAFE_IN_SCRIPT = {
    ord("<"): "\\u003c",
    ord(">"): "\\u003e",
    ord("&"): "\\u0026",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}


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
    if lang not in LANGUAGES:
        raise UsageError(f"the report has no language {lang!r}. It has: {', '.join(LANGUAGES)}.")
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
    environment = _environment()
    common = {"t": texts, "charts": view.charts, "examples": examples}
    sections = [
        _Built(
            each.name,
            each.title,
            Markup(environment.get_template(f"{each.name}.html").render(**common, **content)),  # noqa: S704 - escaped
        )
        for each in all_sections()
        if (content := each.build(view)) is not None
    ]
    is_trimmed = examples < wanted or rows < PLENTY
    style, script = _asset("style.css"), _asset("report.js")
    texts.pair("page.copied")
    for key in ("chart.bin", "chart.one", "limit.slider"):
        texts.pair(key)
    head = {
        "result": result,
        "lang": lang,
        "sections": sections,
        "counts": [(status, result.counts[status]) for status in Status if result.counts.get(status)],
        "inputs": result.closeup.inputs[:3] if result.closeup is not None else [],
        "figures": _figures(view),
        "trimmed": texts("page.trimmed", examples, rows) if is_trimmed else None,
        "no_text": texts("page.no_text") if not wanted else None,
        "style": Markup(style),  # noqa: S704 - a file of the package
        "script": Markup(script),  # noqa: S704 - a file of the package
        "style_hash": _hash(style),
        "script_hash": _hash(script),
    }
    template = environment.get_template("page.html")
    # Words of the page itself are asked for while it is rendered; the data come last, so that they have all of them.
    template.render(**common, **head, data="")
    return template.render(**common, **head, data=_data(view))


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


def _data(view: View) -> Markup:
    """Returns what the script needs as JSON that cannot end its element."""
    data = {
        "documents": view.documents,
        "tokens": view.tokens,
        "curves": view.curves,
        "messages": view.t.used,
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return Markup(text.translate(_UNSAFE_IN_SCRIPT))  # noqa: S704 - sanitised


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader([HERE / "templates", HERE / "sections"]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_final,
        keep_trailing_newline=False,
    )


def _final(value: Any) -> Any:
    """Makes every text that is not markup of this page safe to look at."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else shown(value)


@cache
def _asset(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8").strip()


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
