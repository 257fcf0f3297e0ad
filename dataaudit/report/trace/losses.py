"""The sections about a training log: its spikes, and what stands out before them."""

from typing import Any

from dataaudit.report.numbers import count, number, percent
from dataaudit.report.trace.view import Section, TraceView
from dataaudit.trace_result import LossTrace, Spike

STANDS_OUT = 0.05


def sections_of_losses(view: TraceView, losses: LossTrace) -> list[Section]:
    """Returns the sections in their order."""
    rows, more = view.capped(losses.spikes)
    logged = " · ".join(f"{name}: {count(many)}" for name, many in losses.values.items())
    spikes = {
        "lead": view.t("trace.spikes.lead", logged),
        "notes": losses.notes,
        "rows": [_spike(view, each) for each in rows],
        "more": more,
    }
    return [Section("spikes", spikes), Section("associations", _associations(view, losses))]


def _spike(view: TraceView, spike: Spike) -> dict[str, Any]:
    recovery = view.t(f"trace.recovery.{spike.recovery}")
    if spike.recovered_after is not None:
        recovery = view.t("trace.spikes.after", f"@trace.recovery.{spike.recovery}", count(spike.recovered_after))
    return {
        "step": count(spike.step),
        "series": spike.series,
        "value": "NaN" if spike.value is None else number(spike.value),
        "usual": f"{number(spike.mean)} ± {number(spike.sigma)}",
        "recovery": recovery,
        "batch": view.risk(spike.before[0]) if spike.before else None,
    }


def _associations(view: TraceView, losses: LossTrace) -> dict[str, Any]:
    return {
        "lead": view.t("trace.associations.lead", count(losses.window), count(losses.draws))
        if losses.draws
        else view.t("trace.associations.few"),
        "rows": [
            {
                "family": view.family(each.family),
                "measure": each.measure,
                "before": percent(each.before_spikes),
                "elsewhere": percent(each.baseline),
                "p": number(each.p),
                "stands_out": each.p <= STANDS_OUT,
            }
            for each in losses.associations
        ],
    }
