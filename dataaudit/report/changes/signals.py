"""Signals whose distribution moved, each before and after; largest distance first."""

from itertools import pairwise
from typing import Any

from dataaudit.comparison.result import SignalChange
from dataaudit.report.comparison_view import ComparisonView
from dataaudit.report.numbers import count, number, percent
from dataaudit.report.view import ticks

ORDER = 20
TITLE = "compare.signals"
BARS, OPEN = 48, 12


def build(view: ComparisonView) -> dict[str, Any]:
    """Returns the signals that moved, and those that were not compared."""
    found = view.found
    drawn = [_card(view, each) | _chart(view, each) for each in found.signals[: view.signals]]
    rest, more = view.capped(found.signals[view.signals :])
    left_out, more_left_out = view.capped(list(found.signals_not_compared.items()))
    return {
        "lead": view.t("compare.signals_lead", len(found.signals), found.signals_compared),
        "cards": drawn[:OPEN],
        "folded": drawn[OPEN:],
        "rest": [_card(view, each) for each in rest],
        "more": more,
        "left_out": [(name, view.t.reason(reason)) for name, reason in left_out],
        "left_out_count": len(found.signals_not_compared),
        "more_left_out": more_left_out,
    }


def _card(view: ComparisonView, change: SignalChange) -> dict[str, Any]:
    return {
        "name": change.name,
        "unit": view.t.known("unit", change.unit),
        "definition": view.t.data(f"signal.{change.name}", change.definition),
        "distance": number(change.distance),
        "divergence": number(change.jensen_shannon),
        "noise": number(change.noise_floor),
        "q": number(change.q_value),
        "undefined": (percent(change.old_undefined_share), percent(change.new_undefined_share))
        if change.old_undefined_share or change.new_undefined_share
        else None,
    }


def _chart(view: ComparisonView, change: SignalChange) -> dict[str, Any]:
    """Returns both histograms as one chart with its axis and its table, in at most 48 bars: neighbours joined."""
    step = -(-len(change.old_hist) // BARS) or 1
    starts = range(0, len(change.old_hist), step)
    old, new = ([sum(hist[start : start + step]) for start in starts] for hist in (change.old_hist, change.new_hist))
    edges = [*(change.bin_edges[start] for start in starts), *change.bin_edges[-1:]]
    view.t.pair("compare.bin")
    names = (change.name, count(sum(old)), count(sum(new)))
    return {
        "bins": len(old),
        "svg": view.charts.before_after(old, new, *names) if old else "",
        "ticks": ticks(edges) if old else [],
        "label": view.t.label("compare.explore", change.name),
        "rows": [
            {"bin": place, "least": number(low), "below": number(high), "old": count(was), "new": count(now)}
            for place, ((low, high), was, now) in enumerate(zip(pairwise(edges), old, new, strict=True))
            if was or now
        ],
    }
