"""What every step of the search for duplicates needs to know of the shards; the steps read it from one small file."""

from functools import lru_cache
from pathlib import Path

import msgspec
import numpy as np

from dataaudit.duplicates.all_shards import AllShards
from dataaudit.duplicates.shard_files import ShardFiles
from dataaudit.pipeline.shard_duplicates import DUPLICATES
from dataaudit.pipeline.store import RunFolder
from dataaudit.result import DuplicateCluster, RepeatedText


class ShardFacts(msgspec.Struct, frozen=True):
    """A shard with texts, and what the map task counted in it; see ``duplicates.shard_files.Counts``."""

    shard: int
    documents: int
    empty: int
    without_units: int
    too_short: int
    capped: int
    runs: int


class Layout(msgspec.Struct, frozen=True):
    """The shards with texts, in order."""

    shards: list[ShardFacts]

    @property
    def documents(self) -> int:
        """Documents of all shards."""
        return sum(each.documents for each in self.shards)


class Examples(msgspec.Struct, frozen=True):
    """The texts of the report."""

    clusters: list[DuplicateCluster]
    repeats: list[RepeatedText]


def examples_file(run: RunFolder) -> Path:
    """Returns where the examples lie."""
    return run.path / DUPLICATES / "examples.json"


def layout_file(run: RunFolder) -> Path:
    """Returns where the layout lies."""
    return run.path / DUPLICATES / "layout.json"


def load_layout(run: RunFolder) -> Layout:
    """Reads the layout of a run; a process reads it once."""
    path = layout_file(run)
    facts = path.stat()
    return _decode(path, (facts.st_mtime_ns, facts.st_ino))


@lru_cache(maxsize=1)
def _decode(path: Path, stamp: tuple[int, int]) -> Layout:  # noqa: ARG001 - the stamp is there for the cache
    return msgspec.json.decode(path.read_bytes(), type=Layout)


def step_file(run: RunFolder, name: str, part: int | None = None) -> Path:
    """Returns where a step's records lie: of one part, or of all together."""
    return run.path / DUPLICATES / (f"{name}.npy" if part is None else f"{name}-{part:05d}.npy")


def all_shards(run: RunFolder, *, with_copies: bool) -> AllShards:
    """Returns the shards' files; *with_copies* once exact copies are known."""
    folder = run.path / DUPLICATES
    shards = [ShardFiles(folder, each.shard, each.runs) for each in load_layout(run).shards]
    copies = np.load(step_file(run, "copies"), mmap_mode="r") if with_copies else None
    return AllShards(shards, copies)
