"""Checks that came out differently, and other checks whose value moved."""

from typing import Any

from dataaudit.comparison.result import CheckChange
from dataaudit.report.chinese import CHINESE
from dataaudit.report.comparison_view import ComparisonView
from dataaudit.report.numbers import judged

ORDER = 10
TITLE = "compare.checks"


def build(view: ComparisonView) -> dict[str, Any]:
    """Returns the checks, worse ones first."""
    found = view.found
    worse = [each for each in found.checks if each.id in found.regressions]
    others = [each for each in found.checks if each.id not in found.regressions]
    values, more = view.capped(found.values)
    return {
        "reason": view.t.reason(found.checks_reason),
        "changed": [_check(view, each) for each in (*worse, *others)],
        "values": [_check(view, each) for each in values],
        "many": len(found.values),
        "more": more,
    }


def _check(view: ComparisonView, change: CheckChange) -> dict[str, Any]:
    old, new = (judged(value, change.unit) for value in (change.old_value, change.new_value))
    title = CHINESE.get(f"check.{change.id}.title", change.id)
    return {
        "id": change.id,
        "group": view.t.known("group", change.group),
        "worse": change.id in view.found.regressions,
        "levels": change.levels_differ,
        "old_status": change.old_status or "skip",
        "new_status": change.new_status or "skip",
        "old_name": view.status(change.old_status),
        "new_name": view.status(change.new_status),
        "old": old,
        "new": new,
        "unit": view.t.known("unit", change.unit or ""),
        "message": view.t.both(f"change.{change.id}", change.message, f"{title}：{old} → {new}"),
    }
