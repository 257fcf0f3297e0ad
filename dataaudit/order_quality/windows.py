"""How well each part of an order is shuffled, and which mixture it has."""

import numpy as np
from numpy.typing import NDArray

from dataaudit.drift.mixture import runs_test, runs_test_of_sums
from dataaudit.kernels import order_windows as kernel
from dataaudit.order import Block, Spans
from dataaudit.order_quality.facts import Documents, Mixture, Shuffle
from dataaudit.order_quality.mixture import MixtureFollower
from dataaudit.order_quality.samples import Samples

LEAST_DEVIATION = 5.0
"""Standard deviation of the runs, in runs, below which the normal approximation says nothing."""


class WindowFollower:
    """Cuts an order into windows of so many samples; a last one of at least half is judged too."""

    def __init__(self, samples: Samples, documents: Documents, plan: dict[str, float], size: int) -> None:
        in_sources = np.bincount(samples.sources + np.int32(1))[1:]
        self._label = "source" if (in_sources > 0).sum() > 1 else "file"
        self._labels = samples.sources if self._label == "source" else samples.files
        self._size = size
        self._of_labels = kernel.new_label_windows(int(self._labels.max(initial=-1)) + 1)
        self._of_sources = MixtureFollower(samples, documents, plan, size)
        self._rows: list[NDArray[np.int64]] = []
        self._first_steps: list[NDArray[np.int64]] = []

    def add(self, block: Block, spans: Spans, first: int) -> None:
        """Reads the next steps; *first* is the number of their first read."""
        self._rows.append(kernel.label_windows(self._of_labels, self._labels[block.samples], self._size))
        self._of_sources.add(block, spans)
        starts = np.arange(-(-first // self._size) * self._size, first + len(block.samples), self._size) - first
        self._first_steps.append(block.steps[np.searchsorted(block.offsets, starts, "right") - 1])

    def finish(self) -> None:
        """Closes the last window, if it is at least half full or the only one."""
        rest = int(self._of_labels.state[0])
        if rest and (2 * rest >= self._size or not sum(map(len, self._rows))):
            self._rows.append(kernel.rest_of_labels(self._of_labels))
            self._of_sources.close()

    def steps(self) -> NDArray[np.int64]:
        """Returns int64[windows], the step in which each starts."""
        return np.concatenate(self._first_steps)[: sum(map(len, self._rows))]

    def shuffle(self) -> Shuffle:
        """Returns how well labels are mixed."""
        total = self._of_labels.total
        z = []
        for labelled, runs, squares, cubes in np.concatenate(self._rows).tolist():
            test = runs_test_of_sums(runs, labelled, squares, cubes)
            is_judged = test is not None and test.z is not None and test.deviation >= LEAST_DEVIATION
            z.append(test.z if test is not None and is_judged else np.nan)
        whole = runs_test(self._of_labels.runs, total.tolist())
        if whole is not None and whole.deviation < LEAST_DEVIATION:
            whole = None
        return Shuffle(self._label, int((total > 0).sum()), whole, np.array(z, np.float64))

    def mixture(self) -> Mixture:
        """Returns the shares of sources."""
        return self._of_sources.result()
