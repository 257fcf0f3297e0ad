"""Documents added, removed and changed, and by which rules of a filter."""

from collections.abc import Sequence
from typing import Any

from dataaudit.comparison.result import RuleShare
from dataaudit.report.comparison_view import ComparisonView
from dataaudit.report.numbers import count

ORDER = 30
TITLE = "compare.documents"


def build(view: ComparisonView) -> dict[str, Any]:
    """Returns how many, and the first of each kind."""
    found, old, new = view.found.documents, view.found.old.name, view.found.new.name
    if found is None:
        return {"reason": view.t.reason(view.found.documents_reason)}
    counts = (
        ("unchanged", found.unchanged),
        ("changed", found.changed),
        ("added", found.added),
        ("removed", found.removed),
    )
    return {
        "reason": "",
        "how": view.t("compare.by_doc_id" if view.found.checks_reason is not None else "compare.by_text"),
        "counts": [(count(many), view.t(f"compare.{name}")) for name, many in counts],
        "rules": [
            (view.t(f"compare.{name}_by_rule"), *_rules(view, shares))
            for name, shares in (("removed", found.removed_by_rule), ("added", found.added_by_rule))
            if shares
        ],
        "changed": [(view.place(old, each.old), view.place(new, each.new)) for each in found.changed_examples],
        "some": [
            (view.t(f"compare.{name}"), [view.place(run, each) for each in places])
            for name, run, places in (("removed", old, found.removed_examples), ("added", new, found.added_examples))
            if places
        ],
    }


def _rules(view: ComparisonView, shares: Sequence[RuleShare]) -> tuple[list[dict[str, Any]], object]:
    most = max(each.documents for each in shares)
    listed, more = view.capped(shares)
    rows = [
        {
            "id": each.id,
            "documents": count(each.documents),
            "alone": count(each.alone),
            "bar": view.charts.bars([each.alone / most, (each.documents - each.alone) / most], "bars two"),
        }
        for each in listed
    ]
    return rows, more
