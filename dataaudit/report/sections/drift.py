"""How shards and windows differ from the rest: heat maps, change points, and the tokens that make the difference."""

from collections.abc import Sequence
from typing import Any

from dataaudit.report.numbers import count, number
from dataaudit.report.svg import level
from dataaudit.report.texts import shown
from dataaudit.report.view import View, capped
from dataaudit.result import ChangePoint, DriftPart, Driver

ORDER = 60
TITLE = "section.drift"
MEASURES = (
    "kl_excess",
    "kl_excess_source",
    "jensen_shannon",
    "length_distance",
    "mixture_distance",
    "split_half_ratio",
)
COLUMNS, LISTED, DRIVERS, CHANGES = 240, 40, 12, 50


def build(view: View) -> dict[str, Any] | None:
    """Returns the comparison of shards and windows, or None when there was none."""
    drift = view.result.drift
    if drift is None:
        return None
    measures = [*MEASURES, *(["reference_excess"] if drift.reference is not None else [])]
    changes, more = capped(view, drift.change_points, CHANGES)
    return {
        "lead": view.t(
            "drift.lead",
            f"@unit.{drift.unit}",
            count(sum(each.is_judged for each in drift.shards)),
            count(drift.shard_count),
            count(sum(each.is_judged for each in drift.windows)),
            count(drift.window_count),
        ),
        "shape": view.t(
            "drift.shape",
            number(drift.entropy),
            number(drift.perplexity),
            count(drift.types),
            number(drift.zipf_slope),
        ),
        "reference": view.t("drift.reference", number(drift.reference_excess)) if drift.reference else None,
        "reference_drivers": _drivers(drift.reference_drivers),
        "shards": _map(view, "shards", drift.shards, measures, ()),
        "windows": _map(view, "windows", drift.windows, measures, drift.change_points)
        if len(drift.windows) > 1
        else None,
        "changes": [
            (
                count(each.document),
                view.t.reason(each.measure),
                number(each.before),
                number(each.after),
                each.at_source_boundary,
            )
            for each in changes
        ],
        "more_changes": more,
        "has_small": any(not each.is_judged for each in drift.shards),
    }


def _map(
    view: View, name: str, parts: Sequence[DriftPart], measures: Sequence[str], changes: Sequence[ChangePoint]
) -> dict[str, Any] | None:
    used = [measure for measure in measures if any(getattr(each, measure) is not None for each in parts)]
    if not parts or not used:
        return None
    columns = _columns(parts)
    marks = [_place(each.document, columns) for each in changes]
    most = {measure: max(getattr(each, measure) or 0.0 for each in parts) for measure in used}
    listed, more = capped(view, parts if name == "shards" else _largest(parts), LISTED)
    return {
        "name": name,
        "svg": view.charts.heat(
            [[_worst(column, measure) for column in columns] for measure in used],
            marks,
            f"@drift.{name}",
            count(len(columns)),
        ),
        "columns": len(columns),
        "names": [shown(column[0].name) for column in columns],
        "measures": [view.t(f"measure.{measure}") for measure in used],
        "rows": [
            {
                "name": each.name,
                "documents": count(each.documents),
                "judged": each.is_judged,
                "cells": [
                    (number(getattr(each, measure)), level(getattr(each, measure) or 0.0, most[measure]))
                    for measure in used
                ],
                "drivers": _drivers(each.drivers),
            }
            for each in listed
        ],
        "more": more,
        "label": view.t.label("chart.explore", f"@drift.{name}"),
    }


def _columns(parts: Sequence[DriftPart]) -> list[Sequence[DriftPart]]:
    """Returns the parts in at most 240 columns: neighbours joined."""
    step = -(-len(parts) // COLUMNS)
    return [parts[start : start + step] for start in range(0, len(parts), step)]


def _worst(column: Sequence[DriftPart], measure: str) -> float | None:
    values = [value for each in column if (value := getattr(each, measure)) is not None]
    return max(values) if values else None


def _place(document: int, columns: Sequence[Sequence[DriftPart]]) -> int:
    """Returns the column that a document begins."""
    return sum((column[0].first_document or 0) < document for column in columns)


def _largest(parts: Sequence[DriftPart]) -> list[DriftPart]:
    return sorted(parts, key=lambda each: -(each.kl_excess or 0.0))


def _drivers(drivers: Sequence[Driver]) -> list[tuple[str, str, str]]:
    return [
        (
            each.text.replace("\n", "\\n") if each.text else f"id {each.id}",
            count(each.count),
            number(each.contribution),
        )
        for each in drivers[:DRIVERS]
    ]
