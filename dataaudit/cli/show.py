"""``dataaudit show``: the documents behind a number."""

import json
from pathlib import Path
from typing import Any

from dataaudit.cli.answer import say
from dataaudit.output.visible import one_line, visible
from dataaudit.pipeline.lookup import Shown, documents_of_check, documents_of_rule, look_up


def print_documents(
    run: Path, *, doc: int | None, check: str | None, rule: str | None, count: int, characters: int, as_json: bool
) -> None:
    """Prints documents of a run: one by id, those behind a check, or those that fail a rule."""
    if doc is not None:
        ids = [doc]
    elif check is not None:
        ids = documents_of_check(run, check, count)
    else:
        assert rule is not None
        ids = documents_of_rule(run, rule, count)
    shown = look_up(run, ids)
    if as_json:
        say(json.dumps([_plain(each, characters) for each in shown], ensure_ascii=False, indent=2))
    elif not shown:
        say("no documents.")
    else:
        say("\n\n".join(_card(each, characters) for each in shown))


def _plain(shown: Shown, characters: int) -> dict[str, Any]:
    return {**shown.identity, "signals": shown.signals, "text": shown.text and shown.text[:characters]}


def _card(shown: Shown, characters: int) -> str:
    identity = shown.identity
    lines = [f"doc_id {identity['doc_id']}  {_place_of(identity)}"]
    if identity["id"] is not None:
        lines[0] += f"  id {one_line(identity['id'])}"
    if shown.reason is not None:
        lines.append(f"  not a document: {one_line(shown.reason)}")
    numbers = [f"{one_line(name)} {_number(value)}" for name, value in shown.signals.items() if value is not None]
    lines += ["  " + "  ".join(numbers[first : first + 4]) for first in range(0, len(numbers), 4)]
    if shown.text is not None:
        rest = len(shown.text) - characters
        more = f" ... and {rest:,} more characters" if rest > 0 else ""
        lines.append("  | " + visible(shown.text[:characters]).replace("\n", "\n  | ") + more)
    return "\n".join(lines)


def _place_of(identity: dict[str, Any]) -> str:
    return f"{one_line(identity['file'])}:{identity['record']}  source {one_line(identity['source'])}"


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
