"""What every page has: templates that escape, style and script with the hashes that a browser checks, and its data."""

import base64
import hashlib
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from dataaudit.errors import UsageError
from dataaudit.report.texts import LANGUAGES, Texts, shown

BUDGET = 1_000_000
"""Bytes that a page has at most, whatever the corpus."""
HERE = Path(__file__).parent
_UNSAFE_IN_SCRIPT = {
    ord("<"): "\\u003c",
    ord(">"): "\\u003e",
    ord("&"): "\\u0026",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}


def refuse_language(lang: str) -> None:
    """Makes sure that pages come in a language.

    Raises:
        UsageError: they do not.
    """
    if lang not in LANGUAGES:
        raise UsageError(f"the report has no language {lang!r}. It has: {', '.join(LANGUAGES)}.")


@cache
def environment() -> Environment:
    """Returns what renders templates: everything is escaped, and a name that is missing is an error."""
    return Environment(
        loader=FileSystemLoader([HERE / "templates", HERE / "sections", HERE]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_final,
        keep_trailing_newline=False,
    )


def _final(value: Any) -> Any:
    """Makes every text that is not markup of this page safe to look at."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else shown(value)


def framed(template: str, texts: Texts, content: dict[str, Any], data: dict[str, Any]) -> str:
    """Renders a page around its content.

    Args:
        template: of the page; it extends ``frame.html``.
        texts: the words that the content uses.
        content: what the template shows.
        data: what the script needs besides the words.
    """
    style, script = _asset("style.css"), _asset("report.js")
    texts.pair("page.copied")
    head = {
        "lang": texts.lang,
        "t": texts,
        "style": Markup(style),  # noqa: S704 - a file of the package
        "script": Markup(script),  # noqa: S704 - a file of the package
        "style_hash": _hash(style),
        "script_hash": _hash(script),
    }
    page = environment().get_template(template)
    # Words of the page itself are asked for while it is rendered; the data come last, so that they have all of them.
    page.render(**head, **content, data="")
    return page.render(**head, **content, data=_block(data | {"messages": texts.used}))


def _block(data: dict[str, Any]) -> Markup:
    """Returns data as JSON that cannot end its element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return Markup(text.translate(_UNSAFE_IN_SCRIPT))  # noqa: S704 - sanitised


@cache
def _asset(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8").strip()


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def write_file(page: str, path: Path, else_at: str) -> None:
    """Writes a page whole or not at all; pipes and devices as they are.

    Raises:
        UsageError: the file cannot be written; *else_at* says where its content is, too.
    """
    is_file = path.is_file() or not path.exists()
    target = path.with_name(f".{path.name}.{os.getpid()}") if is_file else path
    try:
        target.write_text(page, encoding="utf-8", newline="\n")
        if is_file:
            target.replace(path)
    except OSError as error:
        if is_file:
            target.unlink(missing_ok=True)
        raise UsageError(f"{path}: cannot be written ({error.strerror}). {else_at}") from error
