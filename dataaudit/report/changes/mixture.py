"""Sources whose part of the mixture changed."""

from typing import Any

from dataaudit.report.comparison_view import ComparisonView
from dataaudit.report.numbers import count, percent

ORDER = 40
TITLE = "compare.mixture"


def build(view: ComparisonView) -> dict[str, Any] | None:
    """Returns the sources, largest change first, or None when none changed."""
    if not view.found.sources:
        return None
    sources, more = view.capped(view.found.sources)
    return {
        "rows": [
            {
                "name": each.name,
                "old": count(each.old_documents),
                "new": count(each.new_documents),
                "old_share": percent(each.old_share),
                "new_share": percent(each.new_share),
                "bars": [view.charts.bars([share]) for share in (each.old_share, each.new_share)],
            }
            for each in sources
        ],
        "more": more,
    }
