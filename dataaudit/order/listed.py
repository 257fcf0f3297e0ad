"""An order that a file lists, step by step."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dataaudit.errors import UsageError
from dataaudit.order.batches import BLOCK_SAMPLES, Batch, Block


@dataclass(frozen=True)
class ListedOrder:
    """The steps of a file; they need not be consecutive.

    Attributes:
        name: as the user wrote it.
        steps: int64, ascending.
        offsets: int64, where each step starts in the next three; one more than steps.
        samples: int64.
        ranks, micro: int32, 0 where the file does not say.
        repeats: never.
    """

    name: str
    steps: NDArray[np.int64]
    offsets: NDArray[np.int64]
    samples: NDArray[np.int64]
    ranks: NDArray[np.int32]
    micro: NDArray[np.int32]
    repeats: bool = False

    @property
    def first(self) -> int:
        """The first step."""
        return int(self.steps[0])

    @property
    def last(self) -> int:
        """The last step."""
        return int(self.steps[-1])

    def epoch(self, step: int) -> int:  # noqa: ARG002 - a list has one
        """Returns the epoch of a step."""
        return 0

    def batch(self, step: int) -> Batch:
        """Returns the batch of a step."""
        at = int(np.searchsorted(self.steps, step))
        if at == len(self.steps) or self.steps[at] != step:
            raise UsageError(
                f"order {self.name} has no step {step:,}; it lists {len(self.steps):,} steps "
                f"from {self.first:,} to {self.last:,}."
            )
        part = slice(int(self.offsets[at]), int(self.offsets[at + 1]))
        return Batch(step, 0, self.samples[part], self.ranks[part], self.micro[part])

    def blocks(self, first: int, last: int) -> Iterator[Block]:
        """Gives the batches of steps, some at a time."""
        at, stop = (int(place) for place in np.searchsorted(self.steps, [first, last + 1]))
        while at < stop:
            reach = int(np.searchsorted(self.offsets, self.offsets[at] + BLOCK_SAMPLES, "right")) - 1
            upto = min(max(reach, at + 1), stop)
            part = slice(int(self.offsets[at]), int(self.offsets[upto]))
            offsets = self.offsets[at : upto + 1] - self.offsets[at]
            yield Block(self.steps[at:upto], offsets, self.samples[part], self.ranks[part])
            at = upto
