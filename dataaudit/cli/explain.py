"""``dataaudit explain``: what a signal, a rule or a check is."""

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dataaudit.cli.answer import say
from dataaudit.errors import UsageError, suggestion

if TYPE_CHECKING:
    from dataaudit.checks import Check
    from dataaudit.config.schema import Condition, Level, Levels, Moving, Rule
    from dataaudit.signals import Signal

KINDS = ("signals", "rules", "checks")


class Format(StrEnum):
    """How the answer is printed."""

    TABLE = "table"
    JSON = "json"


def explain(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A signal, rule or check; all without it.")] = None,
    signals: Annotated[bool, typer.Option("--signals", help="Only signals.")] = False,
    rules: Annotated[bool, typer.Option("--rules", help="Only rules.")] = False,
    checks: Annotated[bool, typer.Option("--checks", help="Only checks.")] = False,
    config: Annotated[
        str | None, typer.Option("--config", "-c", metavar="CONFIG", help="Preset or file with the rules.")
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="How it is printed.")] = Format.TABLE,  # noqa: A002 - the option
) -> None:
    """Say what a signal, a rule or a check is: definition, unit, range, source."""
    wanted = [kind for kind, chosen in zip(KINDS, (signals, rules, checks), strict=True) if chosen] or KINDS
    entries = [entry for entry in describe(config) if entry["kind"] in wanted]
    if name is not None:
        known = list(dict.fromkeys(entry["name"] for entry in entries))
        entries = [entry for entry in entries if entry["name"] == name]
        if not entries:
            what = " or ".join(kind.removesuffix("s") for kind in wanted)
            raise UsageError(f"no {what} {name!r}.{suggestion(name, known)} List all: dataaudit explain")
    if format is Format.JSON:
        say(json.dumps(entries, ensure_ascii=False, indent=2))
    elif name is not None:
        say("\n\n".join(_card(entry) for entry in entries))
    else:
        say(_listing(entries))


def describe(config: str | None = None) -> list[dict[str, Any]]:
    """Returns what there is to say about every signal, every rule of *config* and every check.

    Each entry has ``kind`` (one of KINDS), ``name``, ``group``, ``summary`` (one line) and what its kind has to say.
    """
    from dataaudit.checks import all_checks
    from dataaudit.config.load import load_config
    from dataaudit.signals import all_signals

    loaded = load_config(config)
    levels = loaded.config.checks
    return [
        *(_signal(each) for each in all_signals().values()),
        *(_rule(each) for each in loaded.config.rules),
        *(_check(each, levels.get(each.id)) for each in all_checks().values()),
    ]


def _signal(each: "Signal") -> dict[str, Any]:
    return {
        "kind": "signals",
        "name": each.name,
        "group": each.family,
        "summary": _first_line(each.doc),
        "definition": each.doc,
        "unit": each.unit,
        "minimum": each.minimum,
        "maximum": each.maximum,
        "null": each.null,
        "needs": each.needs,
        "version": each.version,
        "source": each.source,
    }


def _rule(each: "Rule") -> dict[str, Any]:
    keeps = f"Keeps {_range(each)}"
    where = [_range(condition) for condition in each.applies_when]
    return {
        "kind": "rules",
        "name": each.id,
        "group": each.action,
        "summary": f"{keeps} where {' and '.join(where)}" if where else keeps,
        "definition": keeps,
        "signal": each.signal,
        "applies_when": where,
        "if_null": each.if_null,
        "action": each.action,
        "source": each.source,
    }


def _check(each: "Check", levels: "Levels | None") -> dict[str, Any]:
    return {
        "kind": "checks",
        "name": each.id,
        "group": each.group,
        "summary": _first_line(each.doc),
        "definition": each.doc,
        "unit": each.unit,
        "needs": list(each.needs),
        "warn": _level(levels.warn if levels else None),
        "fail": _level(levels.fail if levels else None),
        "options": {**each.options, **(levels.options if levels else {})},
    }


def _range(each: "Rule | Condition") -> str:
    one_of = getattr(each, "one_of", None)
    if one_of is not None:
        return f"{each.signal} in {', '.join(f'{value:g}' for value in one_of)}"
    low = "" if each.min is None else f"{_limit(each.min)} ≤ "
    high = "" if each.max is None else f" ≤ {_limit(each.max)}"
    return f"{low}{each.signal}{high}"


def _limit(limit: "float | Moving") -> str:
    if isinstance(limit, int | float):
        return f"{limit:g}"
    return f"({limit.initial:g} → {limit.final:g}, decay over {limit.decay_steps:,} steps)"


def _level(level: "Level | None") -> str | None:
    if level is None:
        return None
    return f"above {level.above:g}" if level.above is not None else f"at least {level.at_least:g}"


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def _card(entry: dict[str, Any]) -> str:
    """Returns an entry as a title, its definition, and a line a fact."""
    facts = {key: _shown(value) for key, value in entry.items() if key not in ("kind", "name", "summary", "definition")}
    width = max(len(key) for key in facts)
    lines = [f"  {key.replace('_', ' '):<{width}}  {value}" for key, value in facts.items()]
    return "\n".join([f"{entry['name']} ({entry['kind'].removesuffix('s')})", "", entry["definition"], "", *lines])


def _shown(value: Any) -> str:
    if value is None or value == [] or value == {}:
        return "-"
    if isinstance(value, dict):
        return ", ".join(f"{key} {item:g}" for key, item in value.items())
    return ", ".join(value) if isinstance(value, list) else str(value)


def _listing(entries: list[dict[str, Any]]) -> str:
    """Returns a block a kind and group, in order of their first entry, with a line an entry."""
    width = max((len(entry["name"]) for entry in entries), default=0)
    blocks: dict[str, list[str]] = {}
    for entry in entries:
        line = f"  {entry['name']:<{width}}  {entry['summary']}"
        blocks.setdefault(f"{entry['kind']}: {entry['group']}", []).append(line)
    return "\n\n".join("\n".join([heading, *lines]) for heading, lines in blocks.items())
