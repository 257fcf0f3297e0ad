"""In which step, and by which rank, a read of an order takes place."""

from typing import NamedTuple

import numpy as np

from dataaudit.order import Block, Order


class Read(NamedTuple):
    """One read: its step, rank and sample."""

    step: int
    rank: int
    sample: int


class Positions:
    """Finds reads by their number, from 0, in an order that was streamed over.

    It remembers where each block began, and makes a block again to look into it.
    """

    def __init__(self, order: Order) -> None:
        self._order = order
        self._firsts: list[int] = []
        self._blocks: list[tuple[int, int]] = []
        self._next = 0
        self._held: tuple[int, Block] | None = None

    def add(self, block: Block) -> int:
        """Takes the next block and returns the number of its first read."""
        first = self._next
        self._firsts.append(first)
        self._blocks.append((int(block.steps[0]), int(block.steps[-1])))
        self._next += len(block.samples)
        return first

    def read(self, position: int) -> Read:
        """Returns a read."""
        at = int(np.searchsorted(self._firsts, position, "right")) - 1
        if self._held is None or self._held[0] != at:
            self._held = at, next(iter(self._order.blocks(*self._blocks[at])))
        block, within = self._held[1], position - self._firsts[at]
        step = int(np.searchsorted(block.offsets, within, "right")) - 1
        return Read(int(block.steps[step]), int(block.ranks[within]), int(block.samples[within]))
