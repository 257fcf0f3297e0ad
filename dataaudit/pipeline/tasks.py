"""Tasks: a spec in, files in the run folder and a small result out.

A task is a pure function of its spec: whoever runs it, wherever and how often, it writes the same bytes.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from dataaudit.pipeline.store import Marker, RunFolder, writing

Progress = Callable[[int], None]
"""Called by a task with the number of input bytes it has worked off since the last call."""


class MapSpec(msgspec.Struct, frozen=True, tag="map"):
    """Reads one shard: see *map_shard*."""

    shard: int


class PoolSpec(msgspec.Struct, frozen=True, tag="pool"):
    """Measures one shard against the whole corpus, whose token counts have this digest: see *pool_shard*."""

    shard: int
    counts_digest: str


class DriftSpec(msgspec.Struct, frozen=True, tag="drift"):
    """Compares one shard with the whole corpus, whose counts have this digest: see *drift_shard*."""

    shard: int
    counts_digest: str


Step = Literal["digests", "copies", "sample", "bands", "clusters", "documents", "examples"]


class DuplicatesSpec(msgspec.Struct, frozen=True, tag="duplicates"):
    """One step of the search for duplicates: see *duplicates_step*.

    Attributes:
        step: what to do.
        part: the partition or the shard; for steps that put parts together, how many there are; the sample's size.
    """

    step: Step
    part: int


class ReencodeSpec(msgspec.Struct, frozen=True, tag="reencode"):
    """Decodes and encodes a sample of the documents that came as token ids: see *reencode*."""


class TextSpec(msgspec.Struct, frozen=True, tag="text"):
    """Tokenizes the texts beside a sample of the documents that came as token ids: see *compare_texts*."""


class FilterSpec(msgspec.Struct, frozen=True, tag="filter"):
    """Filters one shard; the task's folder is the filter's output: see *filter_shard*."""

    shard: int


class Task(msgspec.Struct, frozen=True):
    """One unit of work.

    Attributes:
        id: its name in the run folder.
        key: digest of everything its outputs depend on.
        size: input bytes, for progress.
        spec: what to do.
    """

    id: str
    key: str
    size: int
    spec: MapSpec | PoolSpec | DriftSpec | DuplicatesSpec | ReencodeSpec | TextSpec | FilterSpec


class Engine(Protocol):
    """Runs tasks somewhere; the only seam between the pipeline and where it runs."""

    def run(self, tasks: Iterable[Task], folder: Path, progress: Progress) -> Iterator[tuple[Task, Marker]]:
        """Runs every task and gives each with its marker as it ends, in any order; takes the next when it can start."""
        ...


def execute(task: Task, folder: Path, progress: Progress) -> Marker:
    """Runs one task in this process, and gives the memory that it has freed back to the system."""
    from dataaudit.pipeline.freed_memory import give_back

    try:
        with writing(folder):
            return _run(task, folder, progress)
    finally:
        give_back()


def _run(task: Task, folder: Path, progress: Progress) -> Marker:
    from dataaudit.pipeline.drift_shard import drift_shard
    from dataaudit.pipeline.duplicate_steps import duplicates_step
    from dataaudit.pipeline.filter_shard import filter_shard
    from dataaudit.pipeline.map_shard import map_shard, release_measurer
    from dataaudit.pipeline.pool_shard import pool_shard
    from dataaudit.pipeline.reencode_stage import reencode
    from dataaudit.pipeline.text_stage import compare_texts

    run = RunFolder(folder)
    if not isinstance(task.spec, MapSpec):
        release_measurer()
    match task.spec:
        case MapSpec():
            return map_shard(task, run, progress)
        case PoolSpec():
            return pool_shard(task, run, progress)
        case DriftSpec():
            return drift_shard(task, run, progress)
        case DuplicatesSpec():
            return duplicates_step(task, run, progress)
        case ReencodeSpec():
            return reencode(task, run, progress)
        case TextSpec():
            return compare_texts(task, run, progress)
        case FilterSpec():
            return filter_shard(task, run, progress)
