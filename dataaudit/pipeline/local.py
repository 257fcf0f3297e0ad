"""The local engine: tasks in worker processes of this machine.

Workers are spawned, never forked: threads of Polars and Arrow do not survive a fork. A worker that dies takes no
result with it, and a parent that dies takes its workers with it.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from dataaudit.errors import DataAuditError, RunError
from dataaudit.pipeline.store import Marker
from dataaudit.pipeline.tasks import Progress, Task, execute

THREAD_LIMITS = ("OMP_NUM_THREADS", "RAYON_NUM_THREADS", "FASTOKENS_BPE_THREADS", "POLARS_MAX_THREADS")
"""A worker is one core's worth of work; these keep the libraries under it to one thread each."""


class LocalEngine:
    """Runs up to *workers* tasks at a time; use it as a context manager, which ends its workers."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._started: list[_Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._started:
            worker.stop()
        self._started = []

    def run(self, tasks: Iterable[Task], folder: Path, progress: Progress) -> Iterator[tuple[Task, Marker]]:
        """Runs every task; one task or one worker stays in this process."""
        queue = iter(tasks)
        first = list(islice(queue, self.workers))
        if len(first) <= 1:
            return _run_here(chain(first, queue), folder, progress)
        with _one_thread_each():
            self._started += [_Worker(folder) for _ in range(len(first) - len(self._started))]
        return _run_in_processes(first, queue, self._started, progress)


def _run_here(tasks: Iterable[Task], folder: Path, progress: Progress) -> Iterator[tuple[Task, Marker]]:
    """Runs tasks in a thread, so that Ctrl-C is heard while a kernel runs."""
    pool = ThreadPoolExecutor(1)
    try:
        for task in tasks:
            future: Future[Marker] = pool.submit(execute, task, folder, progress)
            while not future.done():
                _nap(future)
            yield task, future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _nap(future: Future[Marker]) -> None:
    ended = threading.Event()
    future.add_done_callback(lambda _: ended.set())
    ended.wait(0.5)


class _Worker:
    """A process that works off one task at a time."""

    def __init__(self, folder: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, far_end = context.Pipe()
        self.process = context.Process(target=_work, args=(far_end, str(folder)), daemon=True)
        # The worker inherits the mask: Ctrl-C is for the parent, which ends its workers.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        far_end.close()
        self.task: Task | None = None

    def start(self, task: Task) -> None:
        self.task = task
        try:
            self.pipe.send_bytes(msgspec.msgpack.encode(task))
        except OSError as error:
            raise self.death() from error

    def death(self) -> RunError:
        """Returns what to say when the process has died."""
        self.process.join(5)
        return RunError(
            f"a worker died (exit code {self.process.exitcode}; -9 usually means that the machine ran out of memory). "
            "Finished shards are kept: run the same command again, with a smaller -j."
        )

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Limits the threads of libraries in processes that are started meanwhile."""
    before = {name: os.environ.get(name) for name in THREAD_LIMITS}
    os.environ.update(dict.fromkeys(THREAD_LIMITS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _run_in_processes(
    first: list[Task], queue: Iterator[Task], workers: list[_Worker], progress: Progress
) -> Iterator[tuple[Task, Marker]]:
    for worker, task in zip(workers, first, strict=False):
        worker.start(task)
    while busy := {worker.pipe: worker for worker in workers if worker.task is not None}:
        for pipe in wait(list(busy)):
            worker = busy[pipe]  # type: ignore[index]
            message = _receive(worker)
            if isinstance(message, int):
                progress(message)
                continue
            done, worker.task = worker.task, None
            assert done is not None
            yield done, message
            if (following := next(queue, None)) is not None:
                worker.start(following)


class _Failure(msgspec.Struct, frozen=True, tag="failure"):
    kind: str
    message: str


class _Done(msgspec.Struct, frozen=True, tag="done"):
    marker: Marker


class _Step(msgspec.Struct, frozen=True, tag="step"):
    bytes: int


_MESSAGE: Any = msgspec.msgpack.Decoder(_Failure | _Done | _Step)


def _receive(worker: _Worker) -> int | Marker:
    """Returns the bytes worked off, or the marker of the finished task."""
    assert worker.task is not None
    try:
        message = _MESSAGE.decode(worker.pipe.recv_bytes())
    except (EOFError, OSError) as error:
        raise worker.death() from error
    match message:
        case _Step():
            return message.bytes
        case _Done():
            return message.marker
        case _:
            kinds = {kind.__name__: kind for kind in _kinds(DataAuditError)}
            if message.kind not in kinds:
                raise RuntimeError(f"{message.kind} in {worker.task.id}: {message.message}")
            raise kinds[message.kind](message.message)


def _kinds(root: type[DataAuditError]) -> Iterator[type[DataAuditError]]:
    yield root
    for kind in root.__subclasses__():
        yield from _kinds(kind)


def _work(pipe: Connection, folder: str) -> None:
    """The worker's main: tasks in, markers out, until the parent goes away."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    answer = msgspec.msgpack.Encoder().encode

    def progress(count: int) -> None:
        pipe.send_bytes(answer(_Step(count)))

    while True:
        try:
            task = msgspec.msgpack.decode(pipe.recv_bytes(), type=Task)
        except EOFError:
            return
        try:
            pipe.send_bytes(answer(_Done(execute(task, Path(folder), progress))))
        except OSError as error:
            place = f"{error.filename}: " if error.filename is not None else ""
            message = f"{place}{error.strerror or error}. Finished shards are kept: run the same command again."
            pipe.send_bytes(answer(_Failure(RunError.__name__, message)))
        except Exception as error:  # the parent tells the user, and ends the run
            pipe.send_bytes(answer(_Failure(type(error).__name__, str(error))))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
