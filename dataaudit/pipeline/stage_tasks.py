"""Gets the tasks of a stage done: all of them, a share beside other workers, or none, which only looks at them."""

import os
import socket
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from dataaudit.errors import RunError
from dataaudit.pipeline.listener import Listener
from dataaudit.pipeline.store import Marker, RunFolder
from dataaudit.pipeline.tasks import Engine, Progress, Task
from dataaudit.pipeline.warm import warm_kernels

LOOK_EVERY_SECONDS = 2.0

Choice = Callable[[Sequence[Task]], list[Task]]
"""Returns those tasks of a stage that this process does, in its order."""


class StageState(NamedTuple):
    """How far a stage is.

    Attributes:
        name: as people read it.
        tasks: how many it has.
        done_here: how many of them this process has done.
        open: ids of those that nobody has done.
    """

    name: str
    tasks: int
    done_here: int
    open: list[str]


class OpenTasksError(Exception):
    """Tasks of a stage are left to other workers and not done yet."""


def everything(tasks: Sequence[Task]) -> list[Task]:
    """Chooses all tasks."""
    return list(tasks)


def nothing(tasks: Sequence[Task]) -> list[Task]:  # noqa: ARG001 - a Choice
    """Chooses none."""
    return []


def everything_from_a_place_of_its_own(tasks: Sequence[Task]) -> list[Task]:
    """Chooses all tasks, from another one on in each process, so that several at once rarely do the same one."""
    name = f"{socket.gethostname()} {os.getpid()}"
    start = zlib.crc32(name.encode()) % max(1, len(tasks))
    return [*tasks[start:], *tasks[:start]]


def share(index: int, count: int) -> Choice:
    """Returns a choice of every *count*-th task from number *index* on."""
    return lambda tasks: list(tasks[index::count])


def named(ids: Sequence[str]) -> Choice:
    """Returns a choice of the tasks with these ids."""
    return lambda tasks: [task for task in tasks if task.id in ids]


class StageTasks:
    """Does the tasks of one stage after another, and remembers how far each is (*states*) and all their ids (*seen*).

    Args:
        run: takes the files.
        engine: runs tasks.
        listener: hears of them.
        choose: which tasks of a stage are done here; all others are left to other workers.
        patience: for how many seconds other workers are waited for in a stage.
    """

    def __init__(
        self, run: RunFolder, engine: Engine, listener: Listener, *, choose: Choice = everything, patience: float = 0
    ) -> None:
        self.states: list[StageState] = []
        self.seen: set[str] = set()
        self._run, self._engine, self._listener = run, engine, listener
        self._choose, self._patience = choose, patience

    def share(self, name: str, tasks: Sequence[Task]) -> list[Marker]:
        """Does this process's part of a stage, and returns the markers of all its tasks.

        Raises:
            OpenTasksError: other workers have not done all of theirs.
        """
        chosen = self._choose(tasks)
        self.seen |= {task.id for task in tasks}
        found = {task.id: self._marker(task) for task in chosen}
        waiting = [task for task in chosen if found[task.id] is None]
        done_here = self._do(name, waiting, len(chosen))
        found |= {task.id: self._finished(task) for task in waiting}
        self._wait(name, [task for task in tasks if task.id not in found], found)
        missing = [task.id for task in tasks if found[task.id] is None]
        self.states.append(StageState(name, len(tasks), done_here, missing))
        if missing:
            raise OpenTasksError(name)
        return [marker for task in tasks if (marker := found[task.id]) is not None]

    def join(self, name: str, task: Task) -> Marker:
        """Does the only task of a stage unless it is done: whoever comes to it first."""
        done = self._marker(task)
        if done is None:
            self._do(name, [task], 1)
            done = self._finished(task)
        return done

    def _marker(self, task: Task) -> Marker | None:
        return self._run.marker(task.id, task.key)

    def _finished(self, task: Task) -> Marker:
        marker = self._marker(task)
        if marker is None:
            raise RunError(f"{self._run.path}: task {task.id} ended without a result. Run the same command again.")
        return marker

    def _do(self, name: str, waiting: list[Task], of: int) -> int:
        """Does the tasks, and returns how many no other worker has done meanwhile."""
        if not of:
            return 0
        if not waiting:
            self._listener.note(f"{name}: all {of} tasks are done, nothing to do.")
            return 0
        if len(waiting) < of:
            self._listener.note(f"{name}: {of - len(waiting)} of {of} tasks are done, {len(waiting)} to do.")
        self._run.retract_report()
        warm_kernels(self._listener)
        with self._listener.stage(name, sum(task.size for task in waiting)) as progress:
            still_open = self._still_open(waiting, progress)
            return sum(1 for _ in self._engine.run(still_open, self._run.path, progress))

    def _still_open(self, tasks: list[Task], progress: Progress) -> Iterator[Task]:
        for task in tasks:
            if self._marker(task) is None:
                yield task
            else:
                progress(task.size)

    def _wait(self, name: str, others: list[Task], found: dict[str, Marker | None]) -> None:
        """Looks for the markers of other workers' tasks until all are there, or for as long as the patience lasts."""
        started, told = time.monotonic(), False
        while True:
            found |= {task.id: self._marker(task) for task in others}
            others = [task for task in others if found[task.id] is None]
            left = self._patience - (time.monotonic() - started)
            if not others or left <= 0:
                return
            if not told:
                self._listener.note(f"{name}: waiting for {len(others)} tasks of other workers ...")
                told = True
            time.sleep(min(LOOK_EVERY_SECONDS, left))
