"""What every section of a trace's page builds from."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from markupsafe import Markup

from dataaudit.report.numbers import count, number, percent
from dataaudit.report.svg import Charts
from dataaudit.report.texts import Texts
from dataaudit.trace_result import BatchRisk, Reason, TraceResult

REASONS = 3
UNUSUAL = 0.1
"""A measure that more batches reach is no reason."""


class Section(NamedTuple):
    """A section: its name, which is its template's too, and what the template shows."""

    name: str
    content: dict[str, Any]


@dataclass(frozen=True)
class TraceView:
    """What a page is made of.

    Attributes:
        result: what is rendered.
        t: the words.
        charts: draws.
        full: documents that are shown in full at most.
        rows: rows that a table shows at most.
    """

    result: TraceResult
    t: Texts
    charts: Charts
    full: int
    rows: int

    def capped(self, listed: Sequence[Any]) -> tuple[list[Any], Markup]:
        """Returns the first entries, and a line that says how many more there are."""
        rest = len(listed) - self.rows
        return list(listed[: self.rows]), self.t("trace.more", count(rest)) if rest > 0 else Markup("")

    def family(self, name: str) -> Markup:
        """Returns the name of a family of measures."""
        return self.t(f"trace.family.{name}")

    def reason(self, reason: Reason) -> dict[str, Any]:
        """Returns a reason as templates show it."""
        return {
            "family": self.family(reason.family),
            "measure": reason.measure,
            "value": number(reason.value),
            "share": percent(reason.share),
        }

    def risk(self, risk: BatchRisk) -> dict[str, Any]:
        """Returns a step as templates show it."""
        return {
            "step": count(risk.step),
            "unusual": number(round(risk.unusual, 2)),
            "share": percent(risk.share),
            "why": [self.reason(each) for each in risk.reasons if each.share <= UNUSUAL][:REASONS],
            "worst": risk.worst,
        }

    def command(self, doc_id: int) -> str:
        """Returns the command that shows a document."""
        return f"dataaudit show {shlex.quote(self.result.run)} --doc {doc_id}"
