"""Runs of characters of one kind."""

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.decode import Decoded
from dataaudit.kernels.jit import kernel


def count_runs(decoded: Decoded, kinds: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Returns int64[documents]: runs of characters of the same kind.

    Args:
        decoded: the characters.
        kinds: uint8[CLASSES], the kind of each Unicode class; characters of kind 0 are in no run.
    """
    return _count_runs(decoded.classes, decoded.offsets, kinds)


@kernel
def _count_runs(classes: NDArray[np.uint8], offsets: NDArray[np.int64], kinds: NDArray[np.uint8]) -> NDArray[np.int64]:
    runs = np.zeros(len(offsets) - 1, np.int64)
    for document in range(len(offsets) - 1):
        before, found = np.uint8(0), 0
        for i in range(offsets[document], offsets[document + 1]):
            here = kinds[classes[i]]
            found += here != 0 and here != before
            before = here
        runs[document] = found
    return runs
