"""How the corpus uses the ids of the tokenizer."""

from typing import Any

from dataaudit.closeup import TokenBand
from dataaudit.report.numbers import count, percent, share_of
from dataaudit.report.view import View

ORDER = 30
TITLE = "section.tokens"


def build(view: View) -> dict[str, Any] | None:
    """Returns ids by how often they occur, and the most frequent tokens."""
    closeup = view.closeup
    if closeup is None or closeup.tokens is None:
        return None
    found = closeup.tokens
    return {
        "tokens": count(found.tokens),
        "ids": count(found.ids),
        "outside": count(found.outside) if found.outside else None,
        "bands": [
            (
                view.t("tokens.never") if band.most == 0 else _range(band),
                count(band.ids),
                percent(share_of(band.ids, found.ids)),
                share_of(band.ids, found.ids) or 0.0,
                count(band.tokens),
            )
            for band in found.bands
        ],
        "frequent": [
            (
                each.id,
                repr(each.text)[1:-1] if each.text is not None and each.text.strip() != each.text else each.text or "",
                count(each.count),
                percent(share_of(each.count, found.tokens)),
                share_of(each.count, found.most_frequent[0].count) or 0.0,
                count(each.documents),
            )
            for each in found.most_frequent
        ],
    }


def _range(band: TokenBand) -> str:
    return f"≥ {count(band.least)}" if band.most is None else f"{count(band.least)} – {count(band.most)}"
