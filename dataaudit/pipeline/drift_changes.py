"""Where the corpus changes along its order: change points of the windows' measures."""

import math
from collections.abc import Iterator, Sequence

import polars as pl

from dataaudit.drift.change_points import SHORTEST_SEGMENT, changes, cusum, robust_z
from dataaudit.drift.sums import plain
from dataaudit.pipeline.drift_tables import ratios
from dataaudit.result import ChangePoint

LEAST_CHANGE = {
    "kl_excess": 0.02,
    "mean_log_length": 0.1,
    "entropy": 0.1,
    "control_char_ratio": 0.0001,
    "replacement_char_ratio": 0.0001,
    "special_char_ratio": 0.02,
    "repeated_char_ratio": 0.02,
    "periodic_document_ratio": 0.01,
}
"""Measures that are followed, and the change of their mean from which on it is told."""
LEAST_SHARE_CHANGE = 0.05
FOLLOWED_SOURCES = 20
MOST_CHANGES = 100
SHARE = "share of "


def change_points(windows: pl.DataFrame, sources: Sequence[str], *, in_blocks: bool) -> list[ChangePoint]:
    """Returns the change points of judged windows, in order, at most the 100 first ones.

    *in_blocks* says that sources come one after the other, each in shards of its own.
    """
    judged = windows.filter("is_judged")
    series = dict(_series(judged, sources))
    boundaries = _boundaries(series) if in_blocks else set()
    found = []
    for measure, values in series.items():
        floor = LEAST_SHARE_CHANGE if measure.startswith(SHARE) else LEAST_CHANGE[measure]
        for window, before, after in _changes(values):
            if abs(after - before) >= floor:
                found.append(
                    ChangePoint(
                        document=judged["first_document"][window],
                        window=judged["window"][window],
                        measure=measure,
                        before=plain(before) or 0.0,
                        after=plain(after) or 0.0,
                        at_source_boundary=any(abs(window - each) <= 1 for each in boundaries),
                    )
                )
    return sorted(found, key=lambda change: (change.document, change.measure))[:MOST_CHANGES]


def _series(windows: pl.DataFrame, sources: Sequence[str]) -> Iterator[tuple[str, list[float]]]:
    """Gives every measure that all windows have."""
    rows = [{**row, **ratios(row)} for row in windows.iter_rows(named=True)]
    for measure in LEAST_CHANGE:
        values = [row[measure] for row in rows]
        if rows and all(value is not None for value in values):
            yield measure, values
    weights = [{each["source"]: each["weight"] for each in row["sources"]} for row in rows]
    for source in sources[:FOLLOWED_SOURCES] if len(sources) > 1 else ():
        yield SHARE + source, [each.get(source, 0) / max(1, sum(each.values())) for each in weights]


def _boundaries(series: dict[str, list[float]]) -> set[int]:
    """Returns the windows in which a source's share differs from that of the window before."""
    return {
        window
        for measure, values in series.items()
        if measure.startswith(SHARE)
        for window in range(1, len(values))
        if abs(values[window] - values[window - 1]) >= LEAST_SHARE_CHANGE
    }


def _changes(values: list[float]) -> Iterator[tuple[int, float, float]]:
    """Gives the window, the mean before and the mean after of each change, by PELT, and by CUSUM what PELT leaves."""
    places = changes(values)
    bounds = [0, *places, len(values)]
    for index, place in enumerate(places):
        yield place, _mean(values[bounds[index] : place]), _mean(values[place : bounds[index + 2]])
    z = robust_z(values)
    for alarm in cusum(z) if z is not None and len(values) >= 2 * SHORTEST_SEGMENT else ():
        if alarm.start > 0 and not places:
            yield alarm.start, _mean(values[: alarm.start]), _mean(values[alarm.start : alarm.window + 1])


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
