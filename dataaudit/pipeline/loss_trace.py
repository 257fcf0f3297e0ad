"""The spikes of a training log: each traced to its steps, and what batches before spikes have more of than others."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dataaudit.losses import FoundSpike, Log, Series, find_spikes
from dataaudit.pipeline.batch_risk import BatchRisks
from dataaudit.trace_result import Association, BatchRisk, LossTrace, Spike

WINDOW = 5
"""Steps up to a spike, itself among them, that are looked at; more where not every step was logged."""
DRAWS = 9_999
SEED = 0
LEAST_SPIKES = 3
"""Spikes, fewer than which say nothing about what stands out before them."""
LEAST_WINDOWS = 4
"""Windows in the logged steps, fewer than which leave random steps nothing to differ by."""
LONGEST_WINDOW = 100
SHOWN = 5
Before = Callable[[int, int], list[BatchRisk]]


def trace_losses(log: Log, risks: BatchRisks, before: Before) -> LossTrace:
    """Finds the spikes of a log and traces them.

    Args:
        log: of the training run.
        risks: every batch of the run.
        before: gives the steps before a step, most unusual first.
    """
    found = [(series, spike) for series in log.series for spike in find_spikes(series)]
    spikes = sorted((_spike(*each, risks, before) for each in found), key=lambda each: (each.step, each.series))
    notes = list(log.notes)
    if missing := sum(not spike.order_has_it for spike in spikes):
        notes.append(f"spikes at steps that the order does not have: {missing:,}. Check --epochs and --order.")
    if any(spike.step > spike.first_step for spike in spikes):
        notes.append("Not every step was logged: a logged value may stand for all steps since the one before.")
    window = _window(spikes)
    associations = _associations(_apart(spikes, window), _logged(log, risks), window, risks)
    return LossTrace(
        files=log.files,
        values={series.name: len(series.steps) for series in log.series},
        spikes=spikes,
        window=window,
        draws=DRAWS if associations else 0,
        associations=associations,
        notes=notes,
    )


def _spike(series: Series, spike: FoundSpike, risks: BatchRisks, before: Before) -> Spike:
    has = risks.place_of(spike.step) is not None
    lookback = max(WINDOW - 1, spike.step - spike.previous_step - 1)
    return Spike(
        step=spike.step,
        series=series.name,
        value=spike.value,
        mean=spike.mean,
        sigma=spike.sigma,
        recovery=spike.recovery,
        recovered_after=spike.recovered_after,
        first_step=spike.previous_step + 1,
        before=before(spike.step, lookback)[:SHOWN] if has else [],
        order_has_it=has,
    )


def _window(spikes: Sequence[Spike]) -> int:
    """Returns how many steps up to a spike are looked at: WINDOW, or all that its logged value may stand for."""
    return max([WINDOW, *(min(spike.step - spike.first_step + 1, LONGEST_WINDOW) for spike in spikes)])


def _apart(spikes: Sequence[Spike], window: int) -> list[int]:
    """Returns the steps of spikes; those within one window, such as those of loss and gradient norm, count once."""
    steps: list[int] = []
    for step in sorted({spike.step for spike in spikes if spike.order_has_it}):
        if not steps or step - steps[-1] >= window:
            steps.append(step)
    return steps


def _logged(log: Log, risks: BatchRisks) -> NDArray[np.int64]:
    """Returns the rows of the steps from the first to the last that was logged."""
    first = min(int(series.steps[0]) for series in log.series)
    last = max(int(series.steps[-1]) for series in log.series)
    begin, end = np.searchsorted(risks.steps, [first, last + 1]).tolist()
    return np.arange(begin, end)


def _associations(steps: Sequence[int], logged: NDArray[np.int64], window: int, risks: BatchRisks) -> list[Association]:
    """Compares the steps before spikes with as many random ones, for every measure; seeded, so always the same."""
    if len(steps) < LEAST_SPIKES or len(logged) < LEAST_WINDOWS * window:
        return []
    rows = np.array([risks.place_of(step) for step in steps], np.int64)
    percentiles = _windowed(1.0 - risks.shares, window)
    random = np.random.Generator(np.random.PCG64(SEED))
    drawn = np.array([random.choice(logged, len(rows), replace=False) for _ in range(DRAWS)])
    found = []
    for at, measure in enumerate(risks.measures):
        column = percentiles[:, at]
        observed, baseline = float(column[rows].mean()), column[drawn].mean(axis=1)
        p = (1 + int((baseline >= observed - 1e-6).sum())) / (1 + DRAWS)
        found.append(Association(measure.name, measure.family, observed, float(baseline.mean()), p))
    return _corrected(found)


def _windowed(values: NDArray[np.float32], window: int) -> NDArray[np.float32]:
    """Returns the largest of each value and the *window* - 1 before it."""
    largest = values.copy()
    for back in range(1, min(window, len(values))):
        largest[back:] = np.maximum(largest[back:], values[:-back])
    return largest


def _corrected(found: list[Association]) -> list[Association]:
    """Returns the associations by p, each corrected as Holm does for having looked at all of them."""
    ordered = sorted(found, key=lambda each: (each.p, -each.before_spikes, each.measure))
    corrected, least = [], 0.0
    for place, each in enumerate(ordered):
        least = max(least, min(1.0, each.p * (len(ordered) - place)))
        corrected.append(Association(each.measure, each.family, each.before_spikes, each.baseline, least))
    return corrected
