"""Signals whose distribution moved."""

from typing import NamedTuple

import msgspec

from dataaudit.comparison.distributions import Aligned, Distance, aligned, distance
from dataaudit.comparison.result import SignalChange
from dataaudit.drift.multiple import benjamini_hochberg
from dataaudit.drift.sums import plain
from dataaudit.result import AuditResult, SignalSummary

LEAST_DISTANCE = 0.05
LEAST_SHARE = 0.05
MOST_Q_VALUE = 0.05


class Signals(NamedTuple):
    """The signals of two runs: those that moved, how many were compared, and why others were not."""

    moved: list[SignalChange]
    compared: int
    not_compared: dict[str, str]


def compare_signals(old: AuditResult, new: AuditResult) -> Signals:
    """Compares the signals that both runs have a histogram of."""
    found: dict[str, Distance | None] = {}
    bins: dict[str, Aligned] = {}
    not_compared: dict[str, str] = {}
    for name in sorted(old.signals.keys() & new.signals.keys()):
        versions = old.method.signals.get(name), new.method.signals.get(name)
        both = aligned(old.signals[name], new.signals[name])
        if versions[0] != versions[1]:
            not_compared[name] = f"version {versions[0]} in the old run, {versions[1]} in the new one"
        elif both is None:
            not_compared[name] = "the histograms have different bins"
        else:
            bins[name], found[name] = both, distance(both.old, both.new)
    p_values = [None if each is None else each.p_value for each in found.values()]
    q_values = dict(zip(found, benjamini_hochberg(p_values), strict=True))
    changes = [_change(name, old.signals[name], new.signals[name], found[name], q_values[name]) for name in found]
    moved = [_with_bins(each, bins[each.name], new) for each in changes if each.has_moved]
    moved.sort(key=lambda each: (-(each.distance or 0.0), each.name))
    return Signals(moved, len(found), not_compared)


def _change(
    name: str, old: SignalSummary, new: SignalSummary, apart: Distance | None, q_value: float | None
) -> SignalChange:
    shares = _undefined_share(old), _undefined_share(new)
    is_apart = (
        apart is not None
        and q_value is not None
        and apart.distance >= LEAST_DISTANCE
        and q_value < MOST_Q_VALUE
        and apart.jensen_shannon > apart.noise_floor
    )
    is_missing = shares[0] is not None and shares[1] is not None and abs(shares[1] - shares[0]) >= LEAST_SHARE
    return SignalChange(
        name=name,
        unit=new.unit,
        distance=plain(apart.distance) if apart else None,
        q_value=plain(q_value),
        jensen_shannon=plain(apart.jensen_shannon) if apart else None,
        noise_floor=plain(apart.noise_floor) if apart else None,
        old_undefined_share=shares[0],
        new_undefined_share=shares[1],
        has_moved=is_apart or is_missing,
    )


def _with_bins(change: SignalChange, bins: Aligned, new: AuditResult) -> SignalChange:
    about = new.closeup.signals.get(change.name) if new.closeup is not None else None
    return msgspec.structs.replace(
        change,
        definition=about.definition if about is not None else "",
        bin_edges=bins.edges,
        old_hist=bins.old.tolist() if bins.edges else [],
        new_hist=bins.new.tolist() if bins.edges else [],
    )


def _undefined_share(signal: SignalSummary) -> float | None:
    documents = signal.nan_count + sum(signal.hist)
    return signal.nan_count / documents if documents else None
