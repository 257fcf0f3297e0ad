"""Lengths of documents, with the context length as a line that can be moved, and what packing costs."""

from typing import Any

from dataaudit.report.numbers import count, number, percent
from dataaudit.report.view import View, histogram

ORDER = 20
TITLE = "section.lengths"


def build(view: View) -> dict[str, Any] | None:
    """Returns the histogram of lengths, percentiles and packing."""
    closeup = view.closeup
    if closeup is None or not closeup.lengths.hist:
        return None
    lengths = closeup.lengths
    limits = []
    if lengths.curve.limits:
        own = float(lengths.context) if lengths.context else lengths.curve.limits[len(lengths.curve.limits) // 2]
        limits.append(view.movable(lengths.curve, "max_length", lengths.bin_edges, own))
    percentiles = view.result.lengths.get("percentiles", {})
    return {
        "unit": f"@unit.{view.result.lengths.get('unit', 'tokens')}",
        "chart": histogram(
            view, view.t.plain("lengths.chart"), lengths.bin_edges, lengths.hist, lengths.token_hist, limits
        ),
        "has_context": lengths.context is not None,
        "percentiles": [
            (point.removeprefix("p"), count(value))
            for point, value in sorted(percentiles.items(), key=lambda entry: int(entry[0].removeprefix("p")))
        ],
        "packing": [_packing(each) for each in _packings(view)],
    }


def _packings(view: View) -> list[dict[str, Any]]:
    found = [each.details.get("packing") for each in view.result.findings if each.id == "packing"]
    return found[0] if found and found[0] else []


def _packing(row: dict[str, Any]) -> list[str]:
    return [
        number(row.get("context")),
        number(row.get("best_fit_windows")),
        percent(row.get("best_fit_efficiency")),
        number(row.get("expected_truncated_documents")),
    ]
