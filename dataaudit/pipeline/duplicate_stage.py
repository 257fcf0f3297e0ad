"""The search for duplicates: which tasks there are, and in which order they run."""

from collections.abc import Callable, Sequence

import msgspec

from dataaudit.duplicates.partitions import band_partitions, digest_partitions
from dataaudit.errors import RunError
from dataaudit.pipeline.duplicate_layout import Layout, ShardFacts, layout_file
from dataaudit.pipeline.plan import Plan
from dataaudit.pipeline.shard_duplicates import DUPLICATES
from dataaudit.pipeline.store import Marker, RunFolder, key_of, pretty_json
from dataaudit.pipeline.tasks import DuplicatesSpec, Step, Task

LAYOUT = "duplicates-layout"
BYTES_A_DOCUMENT = 4096
"""For progress: about what a document is."""

RunTasks = Callable[[list[Task], int], None]
"""Runs the tasks that are still to do, of so many."""


def duplicate_tasks(run: RunFolder) -> set[str]:
    """Returns the ids of all tasks of this stage that ever ended in this run folder."""
    return {path.stem for path in (run.path / "tasks").glob("duplicates-*.json")}


def run_duplicates(run: RunFolder, plan: Plan, maps: Sequence[Marker], run_tasks: RunTasks) -> dict[str, Marker]:
    """Finds the duplicates of the corpus and returns the markers of its tasks by id; none when the search is off.

    Args:
        run: takes the files.
        plan: of the run.
        maps: markers of the map tasks, in order of the shards.
        run_tasks: runs tasks.
    """
    shards = [shard for shard, marker in enumerate(maps) if marker.result.get("duplicates", {}).get("documents")]
    if plan.map.shingle_units is None or not shards:
        return {}
    stage = _Stage(run, run_tasks)
    layout = Layout([ShardFacts(shard=shard, **maps[shard].result["duplicates"]) for shard in shards])
    outputs = {
        name: output
        for shard in shards
        for name, output in maps[shard].outputs.items()
        if name.startswith(f"{DUPLICATES}/")
    }
    placed = _commit_layout(run, layout, key_of([msgspec.to_builtins(layout), outputs]))
    parts = len(digest_partitions(layout.documents))
    digests = stage.run("digests", [key_of([part, placed.outputs]) for part in range(parts)], layout.documents)
    copies = stage.run("copies", [key_of([each.outputs for each in digests])], 0, parts)
    wanted = plan.duplicates
    if wanted.sample is not None:
        stage.run("sample", [key_of([placed.outputs, wanted.sample])], 0, wanted.sample)
    parts = len(band_partitions(layout.documents))
    limits = [wanted.threshold, wanted.sample]
    pairs = [key_of([part, placed.outputs, copies[0].outputs, limits]) for part in range(parts)]
    bands = stage.run("bands", pairs, layout.documents)
    clusters = stage.run("clusters", [key_of([each.outputs for each in [*bands, *copies]])], 0, parts)
    whole = clusters[0].outputs
    keys = {shard: key_of([maps[shard].outputs, whole, wanted]) for shard in shards}
    stage.run_shards("documents", keys, layout.documents)
    repeats = {name: output for each in maps for name, output in each.outputs.items() if "/repeated_" in name}
    stage.run("examples", [key_of([whole, repeats])], 0)
    return {LAYOUT: placed, **stage.done}


def _commit_layout(run: RunFolder, layout: Layout, key: str) -> Marker:
    done = run.marker(LAYOUT, key)
    if done is not None:
        return done
    with run.workspace() as folder:
        path = folder / "layout.json"
        path.write_bytes(pretty_json(layout))
        return run.commit(LAYOUT, key, {path: layout_file(run)}, {})


class _Stage:
    """Runs the tasks that are still to do, and remembers the markers of all."""

    def __init__(self, run: RunFolder, run_tasks: RunTasks) -> None:
        self._folder = run
        self._run_tasks = run_tasks
        self.done: dict[str, Marker] = {}

    def run(self, step: Step, keys: Sequence[str], documents: int, argument: int | None = None) -> list[Marker]:
        """Runs a task a key; their parts are 0, 1, ..., or *argument* for a single task."""
        if argument is not None:
            return self._run({f"duplicates-{step}": (keys[0], DuplicatesSpec(step, argument))}, documents)
        return self.run_shards(step, dict(enumerate(keys)), documents)

    def run_shards(self, step: Step, keys: dict[int, str], documents: int) -> list[Marker]:
        """Runs a task a key; *keys* are by part."""
        named = {f"duplicates-{step}-{part:05d}": (key, DuplicatesSpec(step, part)) for part, key in keys.items()}
        return self._run(named, documents)

    def _run(self, named: dict[str, tuple[str, DuplicatesSpec]], documents: int) -> list[Marker]:
        size = documents * BYTES_A_DOCUMENT // len(named)
        tasks = [Task(name, key, size, spec) for name, (key, spec) in named.items()]
        waiting = [task for task in tasks if self._folder.marker(task.id, task.key) is None]
        if waiting:
            self._run_tasks(waiting, len(tasks))
        found = {task.id: self._finished(task) for task in tasks}
        self.done |= found
        return list(found.values())

    def _finished(self, task: Task) -> Marker:
        marker = self._folder.marker(task.id, task.key)
        if marker is None:
            raise RunError(f"{self._folder.path}: task {task.id} ended without a result. Run the same command again.")
        return marker
