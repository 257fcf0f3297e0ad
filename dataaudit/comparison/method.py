"""Differences of how two runs were made, so that a change of the tool is not taken for a change of the data."""

from collections.abc import Iterator
from typing import Any

from dataaudit.comparison.result import MethodChange
from dataaudit.result import AuditResult

LISTED = 200
NAMED = ("rules",)
"""Lists of the config whose items are known by their id."""
PLACES = ("path", "engine_reason")
"""What a tokenizer is told by besides what it is."""


def compare_methods(old: AuditResult, new: AuditResult) -> list[MethodChange]:
    """Returns the differences of version, tokenizer, signals and config, in this order."""
    before, after = old.method, new.method
    found = [
        *_changes("dataaudit", old.dataaudit_version, new.dataaudit_version),
        *_changes("report schema", old.schema_version, new.schema_version),
        *_changes("tokenizer", _identity(before.tokenizer), _identity(after.tokenizer)),
        *_changes("signal", before.signals, after.signals),
        *_changes("config", before.config, after.config),
    ]
    return found[:LISTED]


def _identity(tokenizer: dict[str, Any] | None) -> dict[str, Any] | None:
    return tokenizer and {key: value for key, value in tokenizer.items() if key not in PLACES}


def _changes(what: str, old: Any, new: Any) -> Iterator[MethodChange]:
    """Yields the leaves that differ; a value that one side lacks is one leaf."""
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            joint = " " if what == "signal" else "."
            value = _by_id(key, old.get(key)), _by_id(key, new.get(key))
            yield from _changes(f"{what}{joint}{key}", *value)
        return
    yield MethodChange(what=what, old=old, new=new)


def _by_id(key: str, value: Any) -> Any:
    return {each["id"]: each for each in value} if key in NAMED and isinstance(value, list) else value
