"""The sections about a step: its batch, the steps before it, its documents and samples."""

import math
from typing import Any

from dataaudit.report.numbers import count, number, percent
from dataaudit.report.svg import level
from dataaudit.report.texts import shown
from dataaudit.report.trace.view import Section, TraceView
from dataaudit.trace_result import BatchRisk, FailedRule, StepTrace, TracedDocument

COLUMNS = 200
FIRST = 10
"""Steps that are shown at once; the others fold."""
PIECES = 40
"""Pieces of a sample that a row shows."""
SAMPLES = 6


def sections_of_step(view: TraceView, trace: StepTrace) -> list[Section]:
    """Returns the sections in their order."""
    return [
        Section("batch", {"reasons": [view.reason(each) for each in trace.batch.reasons]}),
        Section("before", _before(view, trace)),
        Section("texts", _texts(view, trace)),
        Section("samples", _samples(view, trace)),
    ]


def _before(view: TraceView, trace: StepTrace) -> dict[str, Any]:
    steps = sorted(trace.before, key=lambda each: each.step)[-COLUMNS:]
    families = sorted({reason.family for each in steps for reason in each.reasons})
    # The rarest that a batch can be in this run has the darkest shade, in every row.
    most = math.log10(max(view.result.steps, 10))
    rarity = [{reason.family: -math.log10(reason.share) for reason in each.reasons} for each in steps]
    rows, more = view.capped(trace.before)
    told = [_row(view, each, families, most) for each in rows]
    return {
        "svg": view.charts.heat(
            [[each.get(family) for each in rarity] for family in families],
            [],
            "@trace.before.map",
            count(len(steps)),
            most=most,
        ),
        "label": view.t.label("chart.explore", "@trace.before.map"),
        "columns": len(steps),
        "names": [shown(count(each.step)) for each in steps],
        "families": [view.family(family) for family in families],
        "last": view.t("trace.before.last", count(len(steps)), count(len(trace.before)))
        if len(steps) < len(trace.before)
        else None,
        "most_unusual": told[:FIRST],
        "others": told[FIRST:],
        "more": more,
        "own": count(trace.step),
    }


def _row(view: TraceView, risk: BatchRisk, families: list[str], most: float) -> dict[str, Any]:
    shares = {reason.family: reason.share for reason in risk.reasons}
    cells = [
        (percent(share), level(-math.log10(share), most)) if (share := shares.get(family)) is not None else ("–", 0)
        for family in families
    ]
    return view.risk(risk) | {"cells": cells}


def _texts(view: TraceView, trace: StepTrace) -> dict[str, Any]:
    told = [each for each in trace.documents if each.signals or each.fails or each.excerpt is not None][: view.full]
    rest = trace.documents[len(told) :]
    rows, more = view.capped(rest)
    return {
        "documents": [_document(view, each) for each in told],
        "rest": [_short(each) for each in rows],
        "more": more,
    }


def _short(document: TracedDocument) -> dict[str, Any]:
    reason = document.reasons[0] if document.reasons else None
    return {
        "part": percent(document.part),
        "place": f"{document.file}:{document.record}",
        "doc_id": document.doc_id,
        "id": document.id,
        "why": f"{reason.measure} {number(reason.value)}" if reason else "",
        "share": percent(reason.share) if reason else "",
    }


def _document(view: TraceView, document: TracedDocument) -> dict[str, Any]:
    text = document.excerpt or ""
    has_mark = document.start is not None and document.stop is not None and document.stop > document.start
    start, stop = (document.start or 0, document.stop or 0) if has_mark else (0, 0)
    samples = ", ".join(str(each) for each in document.samples[:SAMPLES])
    return _short(document) | {
        "bar": view.charts.bars([document.part]),
        "file": document.file,
        "source": document.source,
        "size": view.t(
            "trace.texts.size",
            count(document.size),
            f"@unit.{view.result.unit}",
            samples + (" …" if len(document.samples) > SAMPLES else ""),
        ),
        "has_text": document.excerpt is not None,
        "before": text[:start],
        "mark": text[start:stop],
        "after": text[stop:],
        "reasons": [view.reason(each) for each in document.reasons],
        "fails": [_failed(each) for each in document.fails],
        "signals": [(name, number(value)) for name, value in document.signals.items()],
        "command": view.command(document.doc_id),
    }


def _failed(rule: FailedRule) -> dict[str, Any]:
    limits = [f" {sign} {number(limit)}" for sign, limit in (("≥", rule.min), ("≤", rule.max)) if limit is not None]
    return {"rule": rule.rule, "signal": rule.signal, "value": number(rule.value), "limits": "".join(limits)}


def _samples(view: TraceView, trace: StepTrace) -> dict[str, Any]:
    rows, more = view.capped(trace.samples)
    return {
        "rows": [
            {
                "sample": each.sample,
                "rank": each.rank,
                "micro": each.micro,
                "pieces": [(piece.doc_id, count(piece.start), count(piece.stop)) for piece in each.pieces[:PIECES]],
                "rest": len(each.pieces) - PIECES,
            }
            for each in rows
        ],
        "more": more,
    }
