"""A card for every signal that a rule looks at, with its limits as lines that can be moved; the others in one table."""

from typing import Any

from dataaudit.closeup import SignalCloseup
from dataaudit.report.numbers import count, number
from dataaudit.report.view import View, histogram
from dataaudit.result import SignalSummary

ORDER = 40
TITLE = "section.signals"
BARS = 64
FEW = 8


def build(view: View) -> dict[str, Any] | None:
    """Returns the signals by family, those with a rule first."""
    closeup = view.closeup
    if closeup is None or not view.result.signals:
        return None
    curves: dict[str, list[tuple[str, Any]]] = {}
    own = {rule.id: rule for rule in view.result.rules}
    for rule in closeup.rules:
        for curve in rule.curves:
            curves.setdefault(own[rule.id].signal, []).append((rule.id, curve))
    families: dict[str, list[dict[str, Any]]] = {}
    others: dict[str, list[dict[str, Any]]] = {}
    for name, summary in view.result.signals.items():
        about = closeup.signals.get(name)
        if about is None or not summary.hist:
            continue
        hist, tokens, edges, doc_ids = _merged(summary, about)
        if name in curves:
            owns = [float(getattr(own[id_], curve.side)) for id_, curve in curves[name]]
            _widen(
                hist, tokens, doc_ids, edges, [limit for _, curve in curves[name] for limit in (*owns, *curve.limits)]
            )
            limits = [
                view.movable(curve, id_, edges, limit) for (id_, curve), limit in zip(curves[name], owns, strict=True)
            ]
            chart = histogram(view, name, edges, hist, tokens, limits, doc_ids)
            families.setdefault(about.family, []).append(_card(view, name, summary, about) | {"chart": chart})
        elif len(others.get(about.family, [])) < view.rows:
            svg = view.charts.histogram(
                hist, tokens, [], name, count(sum(hist)), number(summary.min), number(summary.max)
            )
            others.setdefault(about.family, []).append(_card(view, name, summary, about) | {"name": name, "svg": svg})
    return {
        "families": [(view.t.known("family", family), cards) for family, cards in sorted(families.items())],
        "others": [(view.t.known("family", family), rows) for family, rows in sorted(others.items())],
        "other_count": sum(len(rows) for rows in others.values()),
    }


def _card(view: View, name: str, summary: SignalSummary, about: SignalCloseup) -> dict[str, Any]:
    return {
        "unit": view.t.known("unit", summary.unit),
        "definition": view.t.data(f"signal.{name}", about.definition),
        "source": view.t.reason(about.source),
        "null": about.null,
        "undefined": count(summary.nan_count) if summary.nan_count else None,
        "least": number(summary.min),
        "most": number(summary.max),
    }


def _widen(
    hist: list[int], tokens: list[int], doc_ids: list[int | None], edges: list[float], limits: list[float]
) -> None:
    """Adds empty bins until the axis holds every limit and is not one wide bar."""
    if min(limits) < edges[0]:
        edges.insert(0, min(limits))
        hist.insert(0, 0)
        tokens.insert(0, 0)
        doc_ids.insert(0, None)
    while edges[-1] <= max(limits) or len(hist) < FEW:
        edges.append(max(edges[-1] + (edges[-1] - edges[-2]), max(limits)))
        hist.append(0)
        tokens.append(0)


def _merged(summary: SignalSummary, about: SignalCloseup) -> tuple[list[int], list[int], list[float], list[int | None]]:
    """Returns the histogram in at most 64 bars: neighbours joined."""
    step = -(-len(summary.hist) // BARS)
    starts = range(0, len(summary.hist), step)
    doc_ids = about.bin_doc_ids
    return (
        [sum(summary.hist[start : start + step]) for start in starts],
        [sum(summary.token_hist[start : start + step]) for start in starts],
        [*(summary.bin_edges[start] for start in starts), summary.bin_edges[-1]],
        [next((each for each in doc_ids[start : start + step] if each is not None), None) for start in starts],
    )
