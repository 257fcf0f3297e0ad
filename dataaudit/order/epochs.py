"""An order that reads the training set epoch after epoch."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dataaudit.errors import UsageError
from dataaudit.order.batches import BLOCK_SAMPLES, Batch, Block
from dataaudit.order.setup import Layout


class Drawn(Protocol):
    """The samples of an epoch in their order: an array, a mapped file, or what computes them."""

    def __len__(self) -> int: ...
    def __getitem__(self, places: Any) -> Any: ...


class Counting:
    """0, 1, 2, ... as a sequence that takes no memory."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, places: Any) -> NDArray[np.int64]:
        if isinstance(places, slice):
            return np.arange(*places.indices(self._size))
        return np.asarray(places, np.int64)


class Renumbered:
    """The samples of one sequence as places of another: a shuffled training set that is sampled."""

    def __init__(self, numbers: Drawn, drawn: Drawn) -> None:
        self._numbers, self._drawn = numbers, drawn

    def __len__(self) -> int:
        return len(self._drawn)

    def __getitem__(self, places: Any) -> NDArray[np.int64]:
        return np.asarray(self._numbers[np.asarray(self._drawn[places])], np.int64)


@dataclass
class EpochOrder:
    """Reads *length* samples an epoch.

    Attributes:
        name: as the user wrote it.
        draw: gives an epoch's samples (from 0). Past their end they start again: that is how samplers pad.
        length: samples that an epoch reads, padding included and what is dropped left out.
        layout: how they are cut.
        epochs: how many.
        repeats: more epochs can be read.
    """

    name: str
    draw: Callable[[int], Drawn]
    length: int
    layout: Layout
    epochs: int = 1
    repeats: bool = True
    _kept: tuple[int, Drawn] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.length <= 0:
            raise UsageError(
                f"order {self.name}: an epoch has no step: the training set is smaller than one batch of all ranks, "
                "which --drop-last leaves out. Check --batch-size and --world-size."
            )

    @property
    def steps_of_epoch(self) -> int:
        """Steps of one epoch."""
        return -(-self.length // self.layout.step_samples)

    @property
    def first(self) -> int:
        """The first step."""
        return 1

    @property
    def last(self) -> int:
        """The last step."""
        return self.steps_of_epoch * self.epochs

    def epoch(self, step: int) -> int:
        """Returns the epoch of a step."""
        return (step - 1) // self.steps_of_epoch

    def batch(self, step: int) -> Batch:
        """Returns the batch of a step."""
        if not 1 <= step <= self.last:
            epochs = f"{self.epochs:,} epochs" if self.epochs != 1 else "one epoch"
            more = " Give more --epochs." if self.repeats and step > 0 else ""
            raise UsageError(
                f"order {self.name} has no step {step:,}: its steps are 1 to {self.last:,} ({epochs}).{more}"
            )
        epoch, number = divmod(step - 1, self.steps_of_epoch)
        samples = self._samples(epoch, number, number + 1)
        return Batch(step, epoch, samples, *self.layout.places(len(samples)))

    def blocks(self, first: int, last: int) -> Iterator[Block]:
        """Gives the batches of steps, some at a time."""
        at_once = max(1, BLOCK_SAMPLES // self.layout.step_samples)
        step, stop = max(first, 1), min(last, self.last) + 1
        while step < stop:
            epoch, number = divmod(step - 1, self.steps_of_epoch)
            count = min(at_once, stop - step, self.steps_of_epoch - number)
            samples = self._samples(epoch, number, number + count)
            yield Block(np.arange(step, step + count), *self._cut(samples, count))
            step += count

    def _cut(
        self, samples: NDArray[np.int64], count: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
        offsets = np.minimum(np.arange(count + 1) * self.layout.step_samples, len(samples))
        full = self.layout.places(int(offsets[1])).ranks
        last = self.layout.places(int(offsets[-1] - offsets[-2])).ranks
        return offsets, samples, np.concatenate([np.tile(full, count - 1), last])

    def _samples(self, epoch: int, first: int, last: int) -> NDArray[np.int64]:
        """Returns the samples of steps of an epoch, counted from 0."""
        if self._kept is None or self._kept[0] != epoch:
            self._kept = None  # before the next is made: an epoch can be large
            self._kept = epoch, self.draw(epoch)
        drawn, size = self._kept[1], self.layout.step_samples
        start, stop = first * size, min(last * size, self.length)
        if stop <= len(drawn):
            return np.asarray(drawn[start:stop], np.int64)
        return np.asarray(drawn[np.arange(start, stop) % len(drawn)], np.int64)
