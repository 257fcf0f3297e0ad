"""How records are divided so that a part fits in memory: by ranges of hashes, from the document count alone."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.minhash import BANDS

PARTITION_RECORDS = 1 << 22
"""Records of a partition: sorting them takes some 200 MB."""


class Partition(NamedTuple):
    """The bands of a partition and its range of hashes: *least* ≤ hash ≤ *most*."""

    bands: range
    least: int
    most: int

    def slice_of(self, keys: NDArray[np.uint64]) -> slice:
        """Returns where ascending hashes lie in the range."""
        start = np.searchsorted(keys, np.uint64(self.least), side="left")
        return slice(int(start), int(np.searchsorted(keys, np.uint64(self.most), side="right")))


def digest_partitions(documents: int) -> list[Partition]:
    """Returns ranges of digests for a corpus of so many documents."""
    return _ranges(range(0), _power_of_two(documents))


def band_partitions(documents: int) -> list[Partition]:
    """Returns all bands together for a small corpus, single bands for a larger one, and ranges of keys beyond that."""
    parts = _power_of_two(BANDS * documents)
    if parts <= BANDS:
        step = BANDS // parts
        return [part for first in range(0, BANDS, step) for part in _ranges(range(first, first + step), 1)]
    return [part for band in range(BANDS) for part in _ranges(range(band, band + 1), parts // BANDS)]


def _power_of_two(records: int) -> int:
    parts = 1
    while parts * PARTITION_RECORDS < records:
        parts *= 2
    return parts


def _ranges(bands: range, parts: int) -> list[Partition]:
    width = 2**64 // parts
    return [Partition(bands, part * width, (part + 1) * width - 1) for part in range(parts)]
