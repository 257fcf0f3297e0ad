"""The search for duplicates: which tasks there are, and in which order they run."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from dataaudit.duplicates.partitions import band_partitions, digest_partitions
from dataaudit.pipeline.duplicate_layout import Layout, ShardFacts, layout_file
from dataaudit.pipeline.plan import Plan
from dataaudit.pipeline.shard_duplicates import DUPLICATES
from dataaudit.pipeline.stage_tasks import StageTasks
from dataaudit.pipeline.store import Marker, RunFolder, key_of, pretty_json
from dataaudit.pipeline.tasks import DuplicatesSpec, Step, Task

LAYOUT = "duplicates-layout"
BYTES_A_DOCUMENT = 4096
"""For progress: about what a document is."""

STAGE = "looking for duplicates"


class Compared(NamedTuple):
    """The tasks that compare documents.

    Attributes:
        markers: by task id.
        examples: the task that is left, whose result nothing but the report needs; None when the search is off.
    """

    markers: dict[str, Marker]
    examples: Task | None


def duplicate_tasks(run: RunFolder) -> set[str]:
    """Returns the ids of all tasks of this stage that ever ended in this run folder."""
    return {path.stem for path in (run.path / "tasks").glob("duplicates-*.json")}


def run_duplicates(run: RunFolder, plan: Plan, maps: Sequence[Marker], stages: StageTasks) -> Compared:
    """Finds the duplicates of the corpus.

    Args:
        run: takes the files.
        plan: of the run.
        maps: markers of the map tasks, in order of the shards.
        stages: does the tasks.

    Raises:
        OpenTasksError: other workers have not done all of theirs.
    """
    shards = [shard for shard, marker in enumerate(maps) if marker.result.get("duplicates", {}).get("documents")]
    if plan.map.shingle_units is None or not shards:
        return Compared({}, None)
    stage = _Steps(stages)
    layout = Layout([ShardFacts(shard=shard, **maps[shard].result["duplicates"]) for shard in shards])
    outputs = {
        name: output
        for shard in shards
        for name, output in maps[shard].outputs.items()
        if name.startswith(f"{DUPLICATES}/")
    }
    placed = _commit_layout(run, layout, key_of([msgspec.to_builtins(layout), outputs]))
    parts = len(digest_partitions(layout.documents))
    keys = {part: key_of([part, placed.outputs]) for part in range(parts)}
    digests = stage.share("digests", keys, layout.documents)
    copies = stage.join("copies", key_of([each.outputs for each in digests]), parts)
    wanted = plan.duplicates
    if wanted.sample is not None:
        stage.join("sample", key_of([placed.outputs, wanted.sample]), wanted.sample)
    parts = len(band_partitions(layout.documents))
    limits = [wanted.threshold, wanted.sample]
    keys = {part: key_of([part, placed.outputs, copies.outputs, limits]) for part in range(parts)}
    bands = stage.share("bands", keys, layout.documents)
    clusters = stage.join("clusters", key_of([each.outputs for each in [*bands, copies]]), parts)
    whole = clusters.outputs
    keys = {shard: key_of([maps[shard].outputs, whole, wanted]) for shard in shards}
    stage.share("documents", keys, layout.documents)
    repeats = {name: output for each in maps for name, output in each.outputs.items() if "/repeated_" in name}
    examples = Task("duplicates-examples-00000", key_of([whole, repeats]), 0, DuplicatesSpec("examples", 0))
    return Compared({LAYOUT: placed, **stage.done}, examples)


def _commit_layout(run: RunFolder, layout: Layout, key: str) -> Marker:
    done = run.marker(LAYOUT, key)
    if done is not None:
        return done
    with run.workspace() as folder:
        path = folder / "layout.json"
        path.write_bytes(pretty_json(layout))
        return run.commit(LAYOUT, key, {path: layout_file(run)}, {})


class _Steps:
    """Does one step after another, and remembers the markers of all."""

    def __init__(self, stages: StageTasks) -> None:
        self._stages = stages
        self.done: dict[str, Marker] = {}

    def share(self, step: Step, keys: dict[int, str], documents: int) -> list[Marker]:
        """Does a task a key; *keys* are by part."""
        size = documents * BYTES_A_DOCUMENT // len(keys)
        tasks = [
            Task(f"duplicates-{step}-{part:05d}", key, size, DuplicatesSpec(step, part)) for part, key in keys.items()
        ]
        found = self._stages.share(f"{STAGE}, {step}", tasks)
        self.done |= {task.id: marker for task, marker in zip(tasks, found, strict=True)}
        return found

    def join(self, step: Step, key: str, part: int) -> Marker:
        """Does the only task of a step."""
        task = Task(f"duplicates-{step}", key, 0, DuplicatesSpec(step, part))
        self.done[task.id] = self._stages.join(f"{STAGE}, {step}", task)
        return self.done[task.id]
