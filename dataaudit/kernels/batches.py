"""Measures training batches: the extremes and means of their documents' signals, and their mixture of sources."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel


class BatchMeasures(NamedTuple):
    """Measures of batches; NaN where no document of the batch has a value.

    Attributes:
        maxima: float32[batches, signals], the largest value of any document in the batch.
        means: float32[batches, signals], the mean, each document weighed by what the batch holds of it.
        source_distance: float32[batches], half the sum of the differences between the batch's and the corpus's shares
            of sources (total variation), from 0 to 1.
    """

    maxima: NDArray[np.float32]
    means: NDArray[np.float32]
    source_distance: NDArray[np.float32]


def measure_batches(
    offsets: NDArray[np.int64],
    documents: NDArray[np.int64],
    weights: NDArray[np.int64],
    values: NDArray[np.float32],
    sources: NDArray[np.int32],
    shares: NDArray[np.float64],
) -> BatchMeasures:
    """Measures batches of pieces of documents.

    Args:
        offsets: int64[batches + 1], where each batch starts in the next two.
        documents: int64, rows of *values* and *sources*.
        weights: int64, tokens of each piece.
        values: float32[documents, signals], NaN where undefined.
        sources: int32[documents], places in *shares*.
        shares: float64[sources], of the corpus's tokens.
    """
    shape = (len(offsets) - 1, values.shape[1])
    found = BatchMeasures(
        np.full(shape, np.nan, np.float32), np.full(shape, np.nan, np.float32), np.full(shape[0], np.nan, np.float32)
    )
    _measure(offsets, documents, weights, values, found.maxima, found.means)
    _distances(offsets, documents, weights, sources, shares, found.source_distance)
    return found


@kernel
def _measure(
    offsets: NDArray[np.int64],
    documents: NDArray[np.int64],
    weights: NDArray[np.int64],
    values: NDArray[np.float32],
    maxima: NDArray[np.float32],
    means: NDArray[np.float32],
) -> None:
    signals = values.shape[1]
    sums = np.zeros(signals, np.float64)
    weighed = np.zeros(signals, np.float64)
    for batch in range(len(offsets) - 1):
        sums[:] = 0.0
        weighed[:] = 0.0
        for at in range(offsets[batch], offsets[batch + 1]):
            document, weight = documents[at], weights[at]
            for signal in range(signals):
                value = values[document, signal]
                if np.isnan(value):
                    continue
                if not maxima[batch, signal] >= value:
                    maxima[batch, signal] = value
                sums[signal] += weight * value
                weighed[signal] += weight
        for signal in range(signals):
            if weighed[signal] > 0.0:
                means[batch, signal] = sums[signal] / weighed[signal]


@kernel
def _distances(
    offsets: NDArray[np.int64],
    documents: NDArray[np.int64],
    weights: NDArray[np.int64],
    sources: NDArray[np.int32],
    shares: NDArray[np.float64],
    distances: NDArray[np.float32],
) -> None:
    held = np.zeros(len(shares), np.int64)
    for batch in range(len(offsets) - 1):
        total = 0
        for at in range(offsets[batch], offsets[batch + 1]):
            held[sources[documents[at]]] += weights[at]
            total += weights[at]
        distance = 1.0
        for at in range(offsets[batch], offsets[batch + 1]):
            source = sources[documents[at]]
            if held[source] > 0:
                share = held[source] / total
                distance += abs(share - shares[source]) - shares[source]
                held[source] = 0
        if total > 0:
            distances[batch] = distance / 2.0
