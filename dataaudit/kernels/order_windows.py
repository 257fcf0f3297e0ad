"""Cuts what a training run reads into windows, and counts runs of labels and shares of sources in each."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel

LABELLED, RUNS, SQUARES, CUBES = range(4)
"""Columns of the windows of ``LabelWindows``: samples with a label, runs, and the sums over labels of n² and n³."""
WEIGHT, SQUARE, CHI_SQUARE, DIFFERENCE, SOURCE = range(5)
"""Columns of the windows of ``MixtureWindows``."""


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


class MixtureWindows(NamedTuple):
    """Sources in the order they are read, so far.

    Attributes:
        total: int64[sources], tokens of each.
        held: int64[sources], of them in the window that goes on.
        state: int64[4]: samples of the window so far, sources in it, the sample that goes on, its tokens.
        sums: float64[1], sum over the window's samples of their tokens squared.
        touched: int64[sources], sources of the window.
    """

    total: NDArray[np.int64]
    held: NDArray[np.int64]
    state: NDArray[np.int64]
    sums: NDArray[np.float64]
    touched: NDArray[np.int64]


def new_mixture_windows(sources: int) -> MixtureWindows:
    """Returns the state before the first sample."""
    return MixtureWindows(
        np.zeros(sources, np.int64),
        np.zeros(sources, np.int64),
        np.zeros(4, np.int64),
        np.zeros(1, np.float64),
        np.zeros(sources, np.int64),
    )


def mixture_windows(
    windows: MixtureWindows,
    samples: int,
    places: NDArray[np.int64],
    sources: NDArray[np.int32],
    weights: NDArray[np.int64],
    expected: NDArray[np.float64],
    size: int,
) -> NDArray[np.float64]:
    """Adds samples and returns the windows that they fill.

    Args:
        windows: the state; it is changed.
        samples: how many there are, those without a token too.
        places: int64, the sample of each piece of a document, ascending from 0.
        sources: int32, of each piece.
        weights: int64, tokens of each piece.
        expected: float64[sources], shares that sum to 1.
        size: samples of a window.

    Returns:
        float64[windows, 5]: tokens; the sum of squares of its samples' tokens; Σ (share - expected)² / expected over
        the sources that are expected (infinite with tokens of another); the largest difference of a share from the one
        expected, and its source.
    """
    found = np.zeros((samples // size + 2, 5), np.float64)
    largest_first = np.argsort(-expected, kind="stable")
    return found[: _mixture_windows(*windows, samples, places, sources, weights, expected, largest_first, size, found)]


def rest_of_mixture(windows: MixtureWindows, expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the window that is not full, float64[1, 5]; its samples are in ``state[0]``."""
    found = np.zeros((1, 5), np.float64)
    largest_first = np.argsort(-expected, kind="stable")
    _close_mixture(
        windows.held, windows.state.copy(), windows.sums.copy(), windows.touched, expected, largest_first, found[0]
    )
    return found


@kernel
def _mixture_windows(
    total: NDArray[np.int64],
    held: NDArray[np.int64],
    state: NDArray[np.int64],
    sums: NDArray[np.float64],
    touched: NDArray[np.int64],
    samples: int,
    places: NDArray[np.int64],
    sources: NDArray[np.int32],
    weights: NDArray[np.int64],
    expected: NDArray[np.float64],
    largest_first: NDArray[np.int64],
    size: int,
    found: NDArray[np.float64],
) -> int:
    at = count = 0
    for sample in range(samples):
        tokens = 0
        while at < len(places) and places[at] == sample:
            source = sources[at]
            if weights[at] > 0:
                if held[source] == 0:
                    touched[state[1]] = source
                    state[1] += 1
                held[source] += weights[at]
                total[source] += weights[at]
                tokens += weights[at]
            at += 1
        sums[0] += float(tokens) * float(tokens)
        state[0] += 1
        if state[0] == size:
            _close_mixture(held, state, sums, touched, expected, largest_first, found[count])
            count += 1
    return count


@kernel
def _close_mixture(
    held: NDArray[np.int64],
    state: NDArray[np.int64],
    sums: NDArray[np.float64],
    touched: NDArray[np.int64],
    expected: NDArray[np.float64],
    largest_first: NDArray[np.int64],
    row: NDArray[np.float64],
) -> None:
    whole = 0
    for place in range(state[1]):
        whole += held[touched[place]]
    chi_square = 1.0  # a source that is not there adds its expected share; all of them add up to 1
    for place in range(state[1]):
        source = touched[place]
        share, wanted = held[source] / whole, expected[source]
        if abs(share - wanted) > row[3]:
            row[3] = abs(share - wanted)
            row[4] = source
        chi_square += (share - wanted) ** 2 / wanted - wanted if wanted > 0.0 else np.inf
    for source in largest_first:
        if held[source] == 0:
            if whole > 0 and expected[source] > row[3]:
                row[3] = expected[source]
                row[4] = source
            break
    row[0] = whole
    row[1] = sums[0]
    row[2] = max(chi_square, 0.0) if whole > 0 else 0.0
    for place in range(state[1]):
        held[touched[place]] = 0
    state[0] = 0
    state[1] = 0
    sums[0] = 0.0
