"""How well each part of an order is shuffled, and which mixture it has."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dataaudit.drift.mixture import runs_test, runs_test_of_sums
from dataaudit.drift.special import chi_square_sf
from dataaudit.kernels import order_windows as kernel
from dataaudit.order import Block, Spans
from dataaudit.order_quality.facts import Documents, Mixture, Shuffle
from dataaudit.order_quality.samples import Samples

LEAST_DEVIATION = 5.0
"""Standard deviation of the runs of a window, in runs, below which the normal approximation says nothing."""


class WindowFollower:
    """Cuts an order into windows of so many samples; a last one of at least half is judged too."""

    def __init__(self, samples: Samples, documents: Documents, plan: dict[str, float], size: int) -> None:
        self._documents, self._held, self._is_planned = documents, samples.held, bool(plan)
        self._label = "source" if len(documents.source_names) > 1 else "file"
        self._labels = samples.sources if self._label == "source" else samples.files
        self._names = [*documents.source_names, *(name for name in plan if name not in documents.source_names)]
        self._expected = _shares([plan.get(name, 0.0) for name in self._names] if plan else samples.held)
        self._size = size
        self._of_labels = kernel.new_label_windows(int(self._labels.max(initial=-1)) + 1)
        self._of_sources = kernel.new_mixture_windows(len(self._names))
        self._label_rows: list[NDArray[np.int64]] = []
        self._mixture_rows: list[NDArray[np.float64]] = []
        self._first_steps: list[NDArray[np.int64]] = []

    def add(self, block: Block, spans: Spans, first: int) -> None:
        """Reads the next steps; *first* is the number of their first read."""
        self._label_rows.append(kernel.label_windows(self._of_labels, self._labels[block.samples], self._size))
        sources = self._documents.sources[spans.documents]
        sizes = spans.stops - spans.starts
        self._mixture_rows.append(
            kernel.mixture_windows(
                self._of_sources, len(block.samples), spans.places, sources, sizes, self._expected, self._size
            )
        )
        starts = np.arange(-(-first // self._size) * self._size, first + len(block.samples), self._size) - first
        self._first_steps.append(block.steps[np.searchsorted(block.offsets, starts, "right") - 1])

    def finish(self) -> None:
        """Closes the last window, if it is at least half full or the only one."""
        rest = int(self._of_labels.state[0])
        if rest and (2 * rest >= self._size or not sum(map(len, self._label_rows))):
            self._label_rows.append(kernel.rest_of_labels(self._of_labels))
            self._mixture_rows.append(kernel.rest_of_mixture(self._of_sources, self._expected))

    def steps(self) -> NDArray[np.int64]:
        """Returns int64[windows], the step in which each starts."""
        return np.concatenate(self._first_steps)[: sum(map(len, self._label_rows))]

    def shuffle(self) -> Shuffle:
        """Returns how well labels are mixed."""
        total = self._of_labels.total
        tests = [runs_test_of_sums(runs, *sums) for sums, runs in map(_row, np.concatenate(self._label_rows).tolist())]
        z = [
            test.z if test is not None and test.z is not None and test.deviation >= LEAST_DEVIATION else np.nan
            for test in tests
        ]
        whole = runs_test(self._of_labels.runs, total.tolist())
        return Shuffle(self._label, int((total > 0).sum()), whole, np.array(z, np.float64))

    def mixture(self) -> Mixture:
        """Returns the shares of sources."""
        rows = np.concatenate(self._mixture_rows)
        freedom = max(int((self._expected > 0).sum()) - 1, 0)
        draws = np.divide(rows[:, 0] ** 2, rows[:, 1], out=np.zeros(len(rows)), where=rows[:, 1] > 0)
        p = [_p_value(*each, freedom) for each in zip(draws.tolist(), rows[:, 2].tolist(), strict=True)]
        held = np.zeros(len(self._names), np.int64)
        held[: len(self._held)] = self._held
        return Mixture(
            self._names,
            self._expected,
            self._is_planned,
            self._of_sources.total,
            held,
            rows[:, 3],
            rows[:, 4].astype(np.int64),
            np.array(p, np.float64),
        )


def _row(row: list[int]) -> tuple[tuple[int, int, int], int]:
    return (row[kernel.LABELLED], row[kernel.SQUARES], row[kernel.CUBES]), row[kernel.RUNS]


def _p_value(draws: float, chi_square: float, freedom: int) -> float:
    if not draws:
        return 1.0
    return 0.0 if np.isinf(chi_square) else chi_square_sf(draws * chi_square, freedom)


def _shares(weights: Sequence[float] | NDArray[np.int64]) -> NDArray[np.float64]:
    found = np.asarray(weights, np.float64)
    whole = found.sum()
    return np.asarray(found / whole if whole > 0 else np.full(len(found), 1 / max(len(found), 1)))
