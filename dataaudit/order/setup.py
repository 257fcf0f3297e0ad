"""What an order of training depends on besides itself, and how it cuts samples into steps, micro-batches and ranks."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbering = Callable[[str, NDArray[np.object_]], NDArray[np.int64]]
"""Finds samples by ``doc_id`` or by the user's own ``id``: column and values in, sample numbers out, -1 for unknown."""
Spread = Literal["blocks", "stride", "even"]


class Setup(NamedTuple):
    """How the training set was read.

    Attributes:
        samples: of the training set.
        batch_size: samples a rank and micro-batch.
        grad_accum: micro-batches a step.
        world_size: ranks that read different data.
        drop_last: the data loader leaves out a last batch that is not full.
        epochs: times the training set is read.
        numbering: finds samples by document; None when files of orders may only hold sample numbers.
    """

    samples: int
    batch_size: int
    grad_accum: int = 1
    world_size: int = 1
    drop_last: bool = False
    epochs: int = 1
    numbering: Numbering | None = None


class Places(NamedTuple):
    """Where the samples of a step went: int32 ranks and micro-batches, both from 0."""

    ranks: NDArray[np.int32]
    micro: NDArray[np.int32]


class Layout(NamedTuple):
    """How the samples of an epoch, in their order, become steps.

    A step is the next ``step_samples`` of them, and of these each micro-batch the next ``micro_samples``; the last of
    an epoch may be smaller. *spread* says which rank takes which of a micro-batch: ``blocks`` of *batch_size* one after
    the other, every *world_size*-th (``stride``), or ``even`` shares, which differ from blocks when it is not full.
    """

    batch_size: int
    grad_accum: int
    world_size: int
    spread: Spread

    @property
    def micro_samples(self) -> int:
        """Samples of a full micro-batch of all ranks."""
        return self.batch_size * self.world_size

    @property
    def step_samples(self) -> int:
        """Samples of a full step."""
        return self.micro_samples * self.grad_accum

    def places(self, size: int) -> Places:
        """Returns where each of the *size* samples of a step goes."""
        micro, within = np.divmod(np.arange(size), self.micro_samples)
        if self.spread == "stride":
            ranks = within % self.world_size
        elif self.spread == "even":
            in_micro = np.minimum(size - micro * self.micro_samples, self.micro_samples)
            ranks = within // -(-in_micro // self.world_size)
        else:
            ranks = within // self.batch_size
        return Places(ranks.astype(np.int32), micro.astype(np.int32))


def layout_of(setup: Setup, spread: Spread) -> Layout:
    """Returns the layout of a setup."""
    return Layout(setup.batch_size, setup.grad_accum, setup.world_size, spread)


def whole(length: int, part: int, *, drop_last: bool) -> int:
    """Returns *length*, without a last part that is not full if that is dropped."""
    return length // part * part if drop_last else length
