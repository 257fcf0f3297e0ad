"""The random numbers of torch's CPU generator, without torch.

torch seeds a Mersenne twister with the lower 32 bits of the seed, as ``numpy.random.RandomState`` does, and
``torch.randperm`` takes one 32-bit word a place below ``LARGE`` numbers and two from there on. Compared bit for bit
with torch 2.13 in the tests, and by hand at both sides of ``LARGE``.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.permutation import insert_forward, swap_forward

LARGE = ((1 << 32) - 1) // 20
"""``torch.randperm`` of this many numbers and more takes the other algorithm."""
BLOCK = 1 << 18
"""Random words that are made at a time."""


class TorchGenerator:
    """``torch.Generator().manual_seed(seed)``."""

    def __init__(self, seed: int) -> None:
        state: Any = np.random.RandomState(seed & 0xFFFFFFFF).get_state(legacy=False)
        self._bits = np.random.MT19937()
        self._bits.state = state

    def seed(self) -> int:
        """Draws what ``torch.empty((), dtype=torch.int64).random_()`` gives: 63 random bits."""
        high, low = (int(word) for word in self._bits.random_raw(2))
        return (high << 32 | low) & ((1 << 63) - 1)

    def permutation(self, size: int) -> NDArray[Any]:
        """Draws what ``torch.randperm(size)`` gives, as an array of ``number_type(size)``."""
        if size < LARGE:
            order: NDArray[Any] = np.arange(size, dtype=number_type(size))
            for first in range(0, size - 1, BLOCK):
                swap_forward(order, first, self._bits.random_raw(min(BLOCK, size - 1 - first)))
        else:
            order = np.empty(size, number_type(size))
            for first in range(0, size, BLOCK):
                insert_forward(order, first, self._bits.random_raw(2 * min(BLOCK, size - first)))
        return order

    def skip_permutation(self, size: int) -> None:
        """Draws as ``permutation`` does, and keeps nothing."""
        words = max(0, size - 1) if size < LARGE else 2 * size
        for first in range(0, words, BLOCK):
            self._bits.random_raw(min(BLOCK, words - first))


def number_type(size: int) -> type[np.uint32] | type[np.int64]:
    """Returns the smaller of the two types that hold every number below *size*."""
    return np.uint32 if size <= 1 << 32 else np.int64
