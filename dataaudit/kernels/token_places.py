"""Where something stands in the tokens of a document: first places, and what is left without padding."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel


@kernel
def first_marked(offsets: NDArray[np.int64], marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Returns the place of the first marked token in each document, from 0, int64[docs]; -1 where there is none."""
    places = np.full(len(offsets) - 1, -1, np.int64)
    for doc in range(len(offsets) - 1):
        for i in range(offsets[doc], offsets[doc + 1]):
            if marked[i]:
                places[doc] = i - offsets[doc]
                break
    return places


@kernel
def contents(
    offsets: NDArray[np.int64], ids: NDArray[Any], bos: int, eos: int, pad: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns where each document starts and stops in *ids* without the padding at its ends, two int64[docs].

    A pad token that is the end token too ends the document once: the first of the run at the end is no padding. So is
    the last of the run at the start, where the pad token starts documents. -1 stands for an id that there is not.
    """
    starts, stops = offsets[:-1].copy(), offsets[1:].copy()
    if pad < 0:
        return starts, stops
    for doc in range(len(starts)):
        start, stop = starts[doc], stops[doc]
        while stop > start and ids[stop - 1] == pad:
            stop -= 1
        if pad == eos and stop < offsets[doc + 1]:
            stop += 1
        while start < stop and ids[start] == pad:
            start += 1
        if pad == bos and start > offsets[doc]:
            start -= 1
        starts[doc], stops[doc] = start, stop
    return starts, stops


@kernel
def doubled(
    starts: NDArray[np.int64], stops: NDArray[np.int64], ids: NDArray[Any], bos: int, eos: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns how many tokens repeat a start or end token right before them, and where the first does, in *ids*.

    Two int64[docs]; the second is -1 where there is none. -1 stands for an id that there is not.
    """
    counts, places = np.zeros(len(starts), np.int64), np.full(len(starts), -1, np.int64)
    for doc in range(len(starts)):
        for i in range(starts[doc] + 1, stops[doc]):
            token = ids[i]
            if token == ids[i - 1] and token >= 0 and (token in (bos, eos)):
                if counts[doc] == 0:
                    places[doc] = i
                counts[doc] += 1
    return counts, places


@kernel
def inside(
    starts: NDArray[np.int64], stops: NDArray[np.int64], ids: NDArray[Any], token: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns how many tokens before each document's last one are *token*, and where the first is, in *ids*.

    Two int64[docs]; the second is -1 where there is none.
    """
    counts, places = np.zeros(len(starts), np.int64), np.full(len(starts), -1, np.int64)
    for doc in range(len(starts)):
        for i in range(starts[doc], stops[doc] - 1):
            if ids[i] == token:
                if counts[doc] == 0:
                    places[doc] = i
                counts[doc] += 1
    return counts, places
