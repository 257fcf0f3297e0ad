"""The mixture: how much each source gives, and how much was planned."""

from typing import Any

from dataaudit.report.numbers import count, number, percent
from dataaudit.report.view import View, capped

ORDER = 80
TITLE = "section.sources"
LISTED = 50


def build(view: View) -> dict[str, Any] | None:
    """Returns the sources, largest first."""
    sources, more = capped(view, view.result.sources, LISTED)
    if not sources:
        return None
    planned = {each.name: each for each in view.result.drift.mixture} if view.result.drift is not None else {}
    has_plan = any(each.planned_share is not None for each in planned.values())
    shares = [
        next((each for each in (source.token_share, source.character_share, source.document_share) if each), 0.0)
        for source in view.result.sources
    ]
    return {
        "unit": f"@unit.{view.result.lengths.get('unit', 'tokens')}",
        "stack": view.charts.bars(shares[:24], "bars stack"),
        "has_plan": has_plan,
        "rows": [
            {
                "name": source.name,
                "colour": place % 6,
                "documents": count(source.documents),
                "document_share": percent(source.document_share),
                "tokens": count(source.tokens),
                "token_share": percent(source.token_share),
                "characters": count(source.characters),
                "character_share": percent(source.character_share),
                "planned": percent(getattr(planned.get(source.name), "planned_share", None)),
                "epochs": number(getattr(planned.get(source.name), "epochs", None)),
            }
            for place, source in enumerate(sources)
        ],
        "more": more,
    }
