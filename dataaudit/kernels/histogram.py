"""The bin of each number, and what the bins hold."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel


class Bins(NamedTuple):
    """What each bin holds.

    Attributes:
        documents: int64[bins], numbers in it.
        weight: int64[bins], the sum of their weights.
        minimum, maximum: float64[bins], the smallest and the largest; infinite where there is none.
    """

    documents: NDArray[np.int64]
    weight: NDArray[np.int64]
    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]


def bins_of(edges: NDArray[np.float64], numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """Returns the k with edges[k] ≤ number < edges[k + 1]; outside the first or last, for NaN ``len(edges) - 1``."""
    return _bins_of(edges, numbers)


@kernel
def _bins_of(edges: NDArray[np.float64], numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    bins = np.empty(len(numbers), np.int64)
    last = len(edges) - 2
    for i in range(len(numbers)):
        number = numbers[i]
        if np.isnan(number):
            bins[i] = last + 1
            continue
        low, high = 0, last
        while low < high:
            middle = (low + high + 1) >> 1
            if edges[middle] <= number:
                low = middle
            else:
                high = middle - 1
        bins[i] = low
    return bins


def fill(places: NDArray[np.int64], numbers: NDArray[np.float64], weights: NDArray[np.int64], bins: int) -> Bins:
    """Returns what *bins* bins hold after each number went to the bin of its place."""
    found = Bins(np.zeros(bins, np.int64), np.zeros(bins, np.int64), np.full(bins, np.inf), np.full(bins, -np.inf))
    # A copy, because kernels are compiled once more for arrays that cannot be written, as Arrow's are.
    _fill(places, numbers, np.array(weights, np.int64), *found)
    return found


@kernel
def _fill(
    places: NDArray[np.int64],
    numbers: NDArray[np.float64],
    weights: NDArray[np.int64],
    documents: NDArray[np.int64],
    weight: NDArray[np.int64],
    minimum: NDArray[np.float64],
    maximum: NDArray[np.float64],
) -> None:
    for i in range(len(places)):
        place, number = places[i], numbers[i]
        documents[place] += 1
        weight[place] += weights[i]
        if number < minimum[place]:
            minimum[place] = number
        if number > maximum[place]:
            maximum[place] = number
