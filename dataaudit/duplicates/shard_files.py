"""The files that one shard leaves for finding duplicates: written while it is read, later mapped and not loaded.

    rows            the row of each document in its shard
    sets, set_ends  shingle sets, one after the other, and where each ends
    digests         upper and lower halves of the digests, ascending, and the rows they belong to
    keys            the keys of each band, ascending, and the rows they belong to

Digests and keys are sorted in runs of RUN_DOCUMENTS, so that a shard of any size is written in bounded memory.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from dataaudit.duplicates.fingerprint import Fingerprints
from dataaudit.duplicates.partitions import Partition
from dataaudit.duplicates.records import ROW_BITS, ROW_MASK

RUN_DOCUMENTS = 1 << 18


@dataclass
class Counts:
    """Documents of a shard: all; empty in normal form; without a unit; with fewer units than a shingle; cut."""

    documents: int = 0
    empty: int = 0
    without_units: int = 0
    too_short: int = 0
    capped: int = 0
    runs: int = 0


@dataclass
class _Run:
    """The documents of the run that is being collected."""

    rows: list[NDArray[np.uint32]] = field(default_factory=list)
    digests: list[NDArray[np.uint64]] = field(default_factory=list)
    filled: list[NDArray[np.bool_]] = field(default_factory=list)
    keys: list[NDArray[np.uint64]] = field(default_factory=list)
    has_set: list[NDArray[np.bool_]] = field(default_factory=list)
    documents: int = 0


class ShardFilesWriter:
    """Writes the files of one shard into a folder."""

    def __init__(self, folder: Path, shingle_units: int) -> None:
        self.folder = folder
        self.shingle_units = shingle_units
        self.counts = Counts()
        self._sets: BinaryIO = (folder / "sets.bin").open("wb")
        self._run = _Run()
        self._rows: list[NDArray[np.uint32]] = []
        self._set_ends: list[NDArray[np.int64]] = []
        self._hashes = 0
        self._files = {"sets": folder / "sets.bin"}

    def add(self, doc_ids: NDArray[np.uint64], prints: Fingerprints) -> None:
        """Adds a batch of documents."""
        rows = (doc_ids & np.uint64(ROW_MASK)).astype(np.uint32)
        sizes = np.diff(prints.sets.offsets)
        self._sets.write(prints.sets.hashes.astype("<u8", copy=False).tobytes())
        self._rows.append(rows)
        self._set_ends.append(prints.sets.offsets[1:] + self._hashes)
        self._hashes += int(sizes.sum())
        run = self._run
        run.rows.append(rows)
        run.digests.append(prints.digests)
        run.filled.append(prints.filled)
        run.keys.append(prints.keys)
        run.has_set.append(sizes > 0)
        run.documents += len(rows)
        counts, units = self.counts, prints.sets.units
        counts.documents += len(rows)
        counts.empty += int((~prints.filled).sum())
        counts.without_units += int(((units == 0) & prints.filled).sum())
        counts.too_short += int(((units > 0) & (units < self.shingle_units)).sum())
        counts.capped += int(prints.sets.capped.sum())
        if run.documents >= RUN_DOCUMENTS:
            self._write_run()

    def finish(self) -> dict[str, Path]:
        """Closes the files and returns them by name."""
        if self._run.documents:
            self._write_run()
        self.close()
        self._save("rows", np.concatenate([np.empty(0, np.uint32), *self._rows]))
        self._save("set_ends", np.concatenate([np.zeros(1, np.int64), *self._set_ends]))
        return self._files

    def close(self) -> None:
        """Closes what is open."""
        self._sets.close()

    def _write_run(self) -> None:
        run, number = self._run, self.counts.runs
        rows = np.concatenate(run.rows)
        filled = np.concatenate(run.filled)
        digests = np.concatenate(run.digests)[filled]
        order = np.lexsort((digests[:, 1], digests[:, 0]))
        self._save(f"digests.{number}", np.ascontiguousarray(digests[order].T))
        self._save(f"digest_rows.{number}", rows[filled][order])
        has_set = np.concatenate(run.has_set)
        keys = np.ascontiguousarray(np.concatenate(run.keys)[has_set].T)
        orders = np.array([_order(each) for each in keys]).reshape(keys.shape)
        self._save(f"keys.{number}", np.take_along_axis(keys, orders, axis=1))
        self._save(f"key_rows.{number}", rows[has_set][orders])
        self.counts.runs += 1
        self._run = _Run()

    def _save(self, name: str, array: NDArray[Any]) -> None:
        path = self.folder / f"{name}.npy"
        np.save(path, array, allow_pickle=False)
        self._files[name] = path


def _order(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Returns what ``np.argsort(keys, kind="stable")`` returns, several times faster when few keys are equal."""
    order = np.argsort(keys)
    same = np.zeros(len(keys) + 1, np.bool_)
    same[1:-1] = keys[order[1:]] == keys[order[:-1]]
    tied = np.flatnonzero(same[:-1] | same[1:])
    order[tied] = order[tied][np.lexsort((order[tied], keys[order[tied]]))]
    return order


class ShardFiles:
    """Reads what *ShardFilesWriter* wrote; *path_of* says where a file of this shard lies."""

    def __init__(self, folder: Path, shard: int, runs: int) -> None:
        self.folder = folder
        self.first_id = shard << ROW_BITS
        self.shard = shard
        self.runs = runs

    def documents(self) -> NDArray[np.uint64]:
        """Returns all documents, ascending."""
        return self._ids(self._map("rows"))

    def digests(self, part: Partition) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Returns uint64[n, 2] digests of a partition and the documents they belong to."""
        found, rows = [np.empty((0, 2), np.uint64)], [np.empty(0, np.uint32)]
        for run in range(self.runs):
            digests = self._map(f"digests.{run}")
            where = part.slice_of(digests[0])
            found.append(np.ascontiguousarray(digests[:, where].T))
            rows.append(self._map(f"digest_rows.{run}")[where])
        return np.concatenate(found), self._ids(np.concatenate(rows))

    def keys(self, part: Partition, band: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Returns the keys of one band in a partition and the documents they belong to."""
        found, rows = [np.empty(0, np.uint64)], [np.empty(0, np.uint32)]
        for run in range(self.runs):
            keys = self._map(f"keys.{run}")[band]
            where = part.slice_of(keys)
            found.append(np.asarray(keys[where]))
            rows.append(self._map(f"key_rows.{run}")[band][where])
        return np.concatenate(found), self._ids(np.concatenate(rows))

    def bounds(self, documents: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns where the sets of documents of this shard start and stop."""
        places = np.searchsorted(self._map("rows"), (documents & np.uint64(ROW_MASK)).astype(np.uint32))
        ends = self._map("set_ends")
        return np.asarray(ends[places]), np.asarray(ends[places + 1])

    def sets(self) -> NDArray[np.uint64]:
        """Returns all sets of the shard, one after the other."""
        path = self.folder / f"sets-{self.shard:05d}.bin"
        return np.memmap(path, "<u8", mode="r") if path.stat().st_size else np.empty(0, np.uint64)

    def _map(self, name: str) -> NDArray[Any]:
        first, dot, run = name.partition(".")
        mapped: NDArray[Any] = np.load(self.folder / f"{first}-{self.shard:05d}{dot}{run}.npy", mmap_mode="r")
        return mapped

    def _ids(self, rows: NDArray[np.uint32]) -> NDArray[np.uint64]:
        return rows.astype(np.uint64) + np.uint64(self.first_id)


def final_name(name: str, shard: int, suffix: str) -> str:
    """Returns what a file that *ShardFilesWriter* names so is called in the folder of all shards."""
    first, dot, run = name.partition(".")
    return f"{first}-{shard:05d}{dot}{run}{suffix}"
