"""What every section builds from: the result, the words, the charts and how much may be shown."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from dataaudit.closeup import Closeup, Curve, Excerpt
from dataaudit.report.numbers import count, number, percent, share_of
from dataaudit.report.svg import Charts, place_of
from dataaudit.report.texts import Texts
from dataaudit.result import AuditResult

RUN = "RUN"
"""Stands for the run folder in commands; the page puts its own folder there when one is copied."""


@dataclass
class View:
    """What a page is made of.

    Attributes:
        result: what is rendered.
        t: the words.
        charts: draws.
        examples: excerpts that a rule shows at most.
        rows: rows that a table shows at most.
        curves: limits that can be moved, for the script.
    """

    result: AuditResult
    t: Texts
    charts: Charts
    examples: int
    rows: int
    curves: list[dict[str, Any]] = field(default_factory=list)

    @property
    def closeup(self) -> Closeup | None:
        """What the result holds beyond its verdict."""
        return self.result.closeup

    @property
    def documents(self) -> int:
        """Documents of the corpus."""
        return self.result.corpus.documents

    @property
    def tokens(self) -> int:
        """Tokens of the corpus (characters without a tokenizer)."""
        return int(self.result.lengths.get("total") or 0)

    def excerpts(self, listed: Sequence[Excerpt], signal: str = "") -> list[dict[str, Any]]:
        """Returns documents to look at, as the template shows them."""
        return [self._excerpt(each, signal) for each in listed[: self.examples]]

    def _excerpt(self, each: Excerpt, signal: str) -> dict[str, Any]:
        text = each.text or ""
        has_mark = each.start is not None and each.stop is not None and each.stop > each.start
        start, stop = (each.start or 0, each.stop or 0) if has_mark else (0, 0)
        return {
            "kind": self.t(f"kind.{each.kind}"),
            "place": f"{each.file}:{each.record}",
            "file": each.file,
            "id": each.id,
            "doc_id": each.doc_id,
            "signal": signal,
            "raw": each.value,
            "value": number(each.value),
            "has_text": each.text is not None,
            "before": text[:start],
            "mark": text[start:stop],
            "after": text[stop:],
            "more": (count(each.before), count(each.after)) if each.before or each.after else None,
            "command": f"dataaudit show {RUN} --doc {each.doc_id}",
        }

    def movable(self, curve: Curve, name: str, edges: Sequence[float], own: float) -> dict[str, Any]:
        """Returns a limit that the reader can move, and notes it for the script."""
        at = curve.limits.index(own)
        # A whole number that equals the upper limit is kept: the line stands behind its bar.
        past = 1.0 if curve.side != "min" and all(edge.is_integer() for edge in edges) else 0.0
        number_ = len(self.curves)
        cut = curve.side == "context"
        self.curves.append(
            {
                "side": curve.side,
                "name": name,
                "limits": [number(each) for each in curve.limits],
                "x": [round(place_of(each + past, edges), 4) for each in curve.limits],
                "documents": curve.documents,
                "tokens": curve.tokens,
                "at": at,
            }
        )
        self.t.pair("limit.cut" if cut else "limit.out")
        self.t.pair(f"limit.{curve.side}")
        documents, tokens = curve.documents[at], curve.tokens[at]
        return {
            "number": number_,
            "name": name,
            "x": place_of(own + past, edges),
            "limit": self.t(f"limit.{curve.side}", number(own)),
            "effect": self.t(
                "limit.cut" if cut else "limit.out",
                count(documents),
                percent(share_of(documents, self.documents)),
                count(tokens),
                percent(share_of(tokens, self.tokens)),
            ),
        }


def ticks(edges: Sequence[float]) -> list[str]:
    """Returns the values at five places of an axis that are evenly apart."""
    last = len(edges) - 1
    if last < 1:
        return [_tick(each) for each in edges]
    places = [0, last] if last < 4 else [round(last * quarter / 4) for quarter in range(5)]
    return [_tick(edges[place]) for place in places]


def _tick(value: float) -> str:
    return number(value) if value.is_integer() else f"{value:.2g}"


def histogram(
    view: View,
    name: str,
    edges: Sequence[float],
    hist: Sequence[int],
    token_hist: Sequence[int],
    limits: Sequence[dict[str, Any]],
    doc_ids: Sequence[int | None] = (),
) -> dict[str, Any]:
    """Returns a chart with its axis, its table and its movable limits."""
    svg = view.charts.histogram(
        hist,
        token_hist,
        [limit["x"] for limit in limits],
        name,
        count(sum(hist)),
        number(edges[0] if edges else None),
        number(edges[-1] if edges else None),
    )
    rows = [
        {
            "bin": place,
            "least": number(edges[place]),
            "below": number(edges[place + 1]),
            "low": edges[place],
            "high": edges[place + 1],
            "documents": count(hist[place]),
            "tokens": count(token_hist[place]),
            "doc_id": doc_ids[place] if place < len(doc_ids) else None,
        }
        for place in range(len(hist))
        if hist[place]
    ]
    return {
        "name": name,
        "svg": svg,
        "ticks": ticks(edges),
        "bins": len(hist),
        "rows": rows,
        "limits": list(limits),
        "label": view.t.label("chart.explore", name),
    }


def capped(view: View, listed: Sequence[Any], most: int | None = None) -> tuple[list[Any], Markup]:
    """Returns the first entries, and a line that says how many more there are."""
    room = min(view.rows, most or view.rows)
    rest = len(listed) - room
    return list(listed[:room]), view.t("page.more", count(rest)) if rest > 0 else Markup("")
