"""A sample of documents to estimate by, and the interval of the estimate."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SEED = np.uint64(0x2545F4914F6CDD1D)
Z = 1.959963984540054
"""Of a two-sided interval of 95 %."""


class Interval(NamedTuple):
    """A share and the bounds of its 95 % interval."""

    share: float
    low: float
    high: float


def bottom_sample(shards: Iterable[NDArray[np.uint64]], size: int) -> NDArray[np.uint64]:
    """Returns the *size* documents with the least hashes, ascending by document; all of a smaller corpus.

    The hash depends on the document alone, so the sample does not depend on how the corpus is read.
    """
    chosen, ranks = np.empty(0, np.uint64), np.empty(0, np.uint64)
    for documents in shards:
        chosen = np.concatenate([chosen, documents])
        ranks = np.concatenate([ranks, _mix(documents ^ SEED)])
        order = np.lexsort((chosen, ranks))[:size]
        chosen, ranks = chosen[order], ranks[order]
    return np.sort(chosen)


def wilson(hits: int, of: int) -> Interval | None:
    """Returns the Wilson interval of a share; None of nothing."""
    if of == 0:
        return None
    share, square = hits / of, Z * Z
    centre = share + square / (2 * of)
    spread = Z * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    whole = 1 + square / of
    # Exact at the ends, where rounding would leave a trace.
    low = 0.0 if hits == 0 else (centre - spread) / whole
    return Interval(share, low, 1.0 if hits == of else (centre + spread) / whole)


def _mix(value: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Returns the SplitMix64 finaliser of each value, as ``kernels.hashtable.mix``."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))
