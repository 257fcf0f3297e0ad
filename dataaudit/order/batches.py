"""What an order gives: the samples of a step, and of many steps at a time."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

BLOCK_SAMPLES = 1 << 20
"""Samples that ``blocks`` gives at a time."""


class Batch(NamedTuple):
    """The global batch of one step.

    Attributes:
        step: from 1, as trainers log it.
        epoch: from 0.
        samples: int64, numbers of samples of the training set, in the order they are read.
        ranks: int32, which rank reads each.
        micro: int32, in which micro-batch of the step.
    """

    step: int
    epoch: int
    samples: NDArray[np.int64]
    ranks: NDArray[np.int32]
    micro: NDArray[np.int32]


class Block(NamedTuple):
    """Consecutive steps.

    Attributes:
        steps: int64[k].
        offsets: int64[k + 1], where each step starts in the next two.
        samples, ranks: as in ``Batch``.
    """

    steps: NDArray[np.int64]
    offsets: NDArray[np.int64]
    samples: NDArray[np.int64]
    ranks: NDArray[np.int32]


class Order(Protocol):
    """Which samples each step of a training run reads.

    Attributes:
        name: as the user wrote it.
        first, last: its first and last step.
        repeats: more epochs give more steps.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def first(self) -> int: ...  # noqa: D102
    @property
    def last(self) -> int: ...  # noqa: D102
    @property
    def repeats(self) -> bool: ...  # noqa: D102

    def epoch(self, step: int) -> int:
        """Returns the epoch of a step, from 0."""
        ...

    def batch(self, step: int) -> Batch:
        """Returns the batch of a step.

        Raises:
            UsageError: there is no such step.
        """
        ...

    def blocks(self, first: int, last: int) -> Iterator[Block]:
        """Gives the batches of the steps from *first* to *last*, about ``BLOCK_SAMPLES`` samples at a time."""
        ...
