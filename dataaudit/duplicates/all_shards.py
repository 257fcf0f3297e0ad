"""The files of all shards together, as the steps read them."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dataaudit.duplicates.near import Sets
from dataaudit.duplicates.partitions import Partition
from dataaudit.duplicates.records import ROW_BITS
from dataaudit.duplicates.shard_files import ShardFiles
from dataaudit.kernels.overlap import gather

Documents = NDArray[np.uint64]


class AllShards:
    """Reads digests, keys and sets across shards.

    Attributes:
        shards: in ascending order.
        copies: COPY records of the corpus, ascending; documents that are copies of earlier ones have no keys here.
    """

    def __init__(self, shards: Sequence[ShardFiles], copies: NDArray[np.void] | None = None) -> None:
        self.shards = shards
        self.copies = copies

    def digests(self, part: Partition) -> tuple[NDArray[np.uint64], Documents]:
        """Returns the digests of a partition and the documents they belong to."""
        found = [shard.digests(part) for shard in self.shards]
        return np.concatenate([each for each, _ in found]), np.concatenate([each for _, each in found])

    def keys(self, part: Partition, band: int) -> tuple[NDArray[np.uint64], Documents]:
        """Returns the keys of one band in a partition and the documents they belong to, ascending where keys are equal.

        Documents ascend from shard to shard, and within a run where keys are equal; runs ascend too.
        """
        keys, documents = [np.empty(0, np.uint64)], [np.empty(0, np.uint64)]
        for shard in self.shards:
            found, ids = shard.keys(part, band)
            kept = ~np.isin(ids, self._later_copies(shard), kind="sort")
            keys.append(found[kept])
            documents.append(ids[kept])
        return np.concatenate(keys), np.concatenate(documents)

    def _later_copies(self, shard: ShardFiles) -> Documents:
        assert self.copies is not None
        ids = self.copies["document"]
        first, last = np.searchsorted(ids, np.array([shard.first_id, shard.first_id + (1 << ROW_BITS)], np.uint64))
        mine = self.copies[first:last]
        return np.asarray(mine["document"][mine["document"] != mine["first"]])

    @cached_property
    def _by_number(self) -> dict[int, ShardFiles]:
        return {shard.shard: shard for shard in self.shards}

    def sizes(self, documents: Documents) -> NDArray[np.int64]:
        """Returns how many shingles each document has."""
        found = np.empty(len(documents), np.int64)
        for shard, places in self._grouped(documents):
            starts, stops = shard.bounds(documents[places])
            found[places] = stops - starts
        return found

    def sets(self, documents: Documents) -> Sets:
        """Returns the sets of documents, in their order."""
        offsets = np.append(0, np.cumsum(self.sizes(documents)))
        hashes = np.empty(int(offsets[-1]), np.uint64)
        for shard, places in self._grouped(documents):
            starts, stops = shard.bounds(documents[places])
            gather(np.asarray(shard.sets()), starts, stops, hashes, offsets[:-1][places])
        return Sets(offsets, hashes)

    def _grouped(self, documents: Documents) -> list[tuple[ShardFiles, NDArray[np.int64]]]:
        numbers = (documents >> np.uint64(ROW_BITS)).astype(np.int64)
        order = np.argsort(numbers, kind="stable")
        cuts = np.flatnonzero(np.diff(numbers[order])) + 1
        return [(self._by_number[int(numbers[part[0]])], part) for part in np.split(order, cuts) if len(part)]
