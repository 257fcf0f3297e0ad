"""Rules that another number of documents fails."""

from typing import Any

from dataaudit.report.comparison_view import ComparisonView
from dataaudit.report.numbers import count

ORDER = 50
TITLE = "compare.rules"


def build(view: ComparisonView) -> dict[str, Any] | None:
    """Returns the rules, or None when none changed."""
    if not view.found.rules:
        return None
    rules, more = view.capped(view.found.rules)
    return {
        "rows": [(each.id, count(each.old_documents), count(each.new_documents), each.limits_differ) for each in rules],
        "more": more,
    }
