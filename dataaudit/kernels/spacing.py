"""How far apart a training run reads documents that are alike."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel

BEGUN, IN_STEP, CLOSE = range(3)
"""Places in ``Spacing.counts``."""
KEPT_PLACES = 10


class Spacing(NamedTuple):
    """What was read so far of groups of documents that are alike; 24 bytes a group.

    Attributes:
        counts: int64[3]: documents that were begun; those that are like another one begun in the same step; like
            another one begun not more than the reach before.
        in_step, close: int64[10, 4], the first of their kind: step, rank, document, the one before.
        last, last_document: int64[groups], the last sample and document of each; -1 for none.
        begun: int64[groups], documents of each that were begun.
    """

    counts: NDArray[np.int64]
    in_step: NDArray[np.int64]
    close: NDArray[np.int64]
    last: NDArray[np.int64]
    last_document: NDArray[np.int64]
    begun: NDArray[np.int64]


def new_spacing(groups: int) -> Spacing:
    """Returns the state before the first read."""
    return Spacing(
        np.zeros(3, np.int64),
        np.full((KEPT_PLACES, 4), -1, np.int64),
        np.full((KEPT_PLACES, 4), -1, np.int64),
        np.full(groups, -1, np.int64),
        np.full(groups, -1, np.int64),
        np.zeros(groups, np.int64),
    )


def follow_groups(
    spacing: Spacing,
    groups: NDArray[np.int32],
    steps: NDArray[np.int64],
    offsets: NDArray[np.int64],
    ranks: NDArray[np.int32],
    places: NDArray[np.int64],
    documents: NDArray[np.int64],
    first: int,
    reach: int,
) -> None:
    """Reads some steps; changes *spacing*.

    Args:
        spacing: the state.
        groups: int32[documents], from 0; -1 for documents that are like no other.
        steps: int64[k], their numbers.
        offsets: int64[k + 1], where each starts among the samples.
        ranks: int32[samples], who reads each.
        places: int64, the sample in which each of the next begins, ascending.
        documents: int64.
        first: samples that were read before these.
        reach: samples that are close.
    """
    _follow(*spacing, groups, steps, offsets, ranks, places, documents, first, reach)


@kernel
def _follow(
    counts: NDArray[np.int64],
    in_step: NDArray[np.int64],
    close: NDArray[np.int64],
    last: NDArray[np.int64],
    last_document: NDArray[np.int64],
    begun: NDArray[np.int64],
    groups: NDArray[np.int32],
    steps: NDArray[np.int64],
    offsets: NDArray[np.int64],
    ranks: NDArray[np.int32],
    places: NDArray[np.int64],
    documents: NDArray[np.int64],
    first: int,
    reach: int,
) -> None:
    step = 0
    counts[BEGUN] += len(documents)
    for at in range(len(documents)):
        document, place = documents[at], places[at]
        group = groups[document]
        if group < 0:
            continue
        while offsets[step + 1] <= place:
            step += 1
        before, other = last[group], last_document[group]
        if before >= 0 and other != document:
            if before >= first + offsets[step]:
                _keep(in_step, counts[IN_STEP], steps[step], ranks[place], document, other)
                counts[IN_STEP] += 1
            if first + place - before <= reach:
                _keep(close, counts[CLOSE], steps[step], ranks[place], document, other)
                counts[CLOSE] += 1
        last[group] = first + place
        last_document[group] = document
        begun[group] += 1


@kernel
def _keep(places: NDArray[np.int64], count: int, step: int, rank: int, document: int, other: int) -> None:
    if count < len(places):
        places[count, 0] = step
        places[count, 1] = rank
        places[count, 2] = document
        places[count, 3] = other
