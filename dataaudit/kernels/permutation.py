"""Shuffles an array in place with given random words: the two algorithms of torch's ``randperm`` on a CPU."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel


@kernel
def swap_forward(order: NDArray[Any], first: int, words: NDArray[np.uint64]) -> None:
    """Swaps each place, from *first* on, with itself or a later one; a word a place (Fisher and Yates).

    Args:
        order: what is shuffled; its last place has no word.
        first: the place of the first word.
        words: uint64, 32 random bits each.
    """
    size = len(order)
    for number in range(len(words)):
        place = first + number
        other = place + np.int64(words[number] % np.uint64(size - place))
        order[place], order[other] = order[other], order[place]


@kernel
def insert_forward(order: NDArray[Any], first: int, words: NDArray[np.uint64]) -> None:
    """Puts the numbers *first*, *first* + 1, ... in at random places; two words a number (inside out).

    Args:
        order: holds a shuffle of the numbers below *first* in its first places; the rest is overwritten.
        first: the first number.
        words: uint64, 32 random bits each, the upper half of each 64 before the lower.
    """
    for number in range(len(words) // 2):
        place = first + number
        word = (words[2 * number] << np.uint64(32)) | words[2 * number + 1]
        other = np.int64(word % np.uint64(place + 1))
        order[place] = place
        order[place], order[other] = order[other], order[place]
