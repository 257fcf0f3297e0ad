"""Cuts what a training run reads into windows, and counts the runs of labels in each."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel

LABELLED, RUNS, SQUARES, CUBES = range(4)
"""Columns of windows: samples with a label, runs, and the sums over labels of n² and n³."""


class LabelWindows(NamedTuple):
    """Labels in the order they are read, so far.

    Attributes:
        total: int64[labels], samples with each.
        held: int64[labels], of them in the window that goes on.
        state: int64[5]: samples of that window, runs of the window, label before, runs of all, labels in the window.
        touched: int64[labels], labels of the window.
    """

    total: NDArray[np.int64]
    held: NDArray[np.int64]
    state: NDArray[np.int64]
    touched: NDArray[np.int64]

    @property
    def runs(self) -> int:
        """Runs of equal labels over all windows."""
        return int(self.state[3])


def new_label_windows(labels: int) -> LabelWindows:
    """Returns the state before the first label."""
    state = np.zeros(5, np.int64)
    state[2] = -1
    return LabelWindows(np.zeros(labels, np.int64), np.zeros(labels, np.int64), state, np.zeros(labels, np.int64))


def label_windows(windows: LabelWindows, labels: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    """Adds labels and returns the windows that they fill: int64[windows, 4], see LABELLED and the others.

    Args:
        windows: the state; it is changed.
        labels: int32, -1 for samples without one.
        size: samples of a window.
    """
    found = np.zeros((len(labels) // size + 2, 4), np.int64)
    return found[: _label_windows(*windows, labels, size, found)]


def rest_of_labels(windows: LabelWindows) -> NDArray[np.int64]:
    """Returns the window that is not full, int64[1, 4]; its samples are in ``state[0]``."""
    found = np.zeros((1, 4), np.int64)
    _close_labels(windows.held, windows.state.copy(), windows.touched, found[0])
    return found


@kernel
def _label_windows(
    total: NDArray[np.int64],
    held: NDArray[np.int64],
    state: NDArray[np.int64],
    touched: NDArray[np.int64],
    labels: NDArray[np.int32],
    size: int,
    found: NDArray[np.int64],
) -> int:
    count = 0
    for at in range(len(labels)):
        label = labels[at]
        if label >= 0:
            if held[label] == 0:
                touched[state[4]] = label
                state[4] += 1
            held[label] += 1
            total[label] += 1
            state[3] += label != state[2]
            # The first label of a window begins a run of it, whatever came before.
            state[1] += label != state[2] or (state[4] == 1 and held[label] == 1)
            state[2] = label
        state[0] += 1
        if state[0] == size:
            _close_labels(held, state, touched, found[count])
            count += 1
    return count


@kernel
def _close_labels(
    held: NDArray[np.int64], state: NDArray[np.int64], touched: NDArray[np.int64], row: NDArray[np.int64]
) -> None:
    for place in range(state[4]):
        label = touched[place]
        n = held[label]
        row[0] += n
        row[2] += n * n
        row[3] += n * n * n
        held[label] = 0
    row[1] = state[1]
    state[0] = 0
    state[1] = 0
    state[4] = 0
