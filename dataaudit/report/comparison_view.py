"""What the sections of a comparison's page build from."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from dataaudit.comparison.result import Comparison, Place
from dataaudit.report.numbers import count
from dataaudit.report.svg import Charts
from dataaudit.report.texts import Texts
from dataaudit.result import Status


@dataclass
class ComparisonView:
    """What a comparison's page is made of.

    Attributes:
        found: what is rendered.
        t: the words.
        charts: draws.
        rows: rows that a table shows at most.
        signals: signals that are drawn at most; others are rows of a table.
    """

    found: Comparison
    t: Texts
    charts: Charts
    rows: int
    signals: int

    def status(self, status: Status | None) -> Markup:
        """Returns a status in words; that a run has no such check, without one."""
        return self.t("compare.no_check") if status is None else self.t(f"status.{status}")

    def capped(self, listed: Sequence[Any]) -> tuple[list[Any], Markup]:
        """Returns the first entries, and a line that says how many more there are."""
        rest = len(listed) - self.rows
        return list(listed[: self.rows]), self.t("compare.more", count(rest)) if rest > 0 else Markup("")

    def place(self, run: str, place: Place) -> dict[str, Any]:
        """Returns where a document of a run stands, and how to read it."""
        return {
            "place": f"{place.file}:{place.record}",
            "id": place.id,
            "command": f"dataaudit show {shlex.quote(run)} --doc {place.doc_id}",
        }
