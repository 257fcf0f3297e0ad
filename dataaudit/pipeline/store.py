"""The run folder: where everything lies, and how a task's outputs get there whole or not at all.

A task writes under ``.dataaudit-tmp/``; its outputs are synced to disk and renamed into place; last comes a marker with
the task's key and its outputs' digests. So a killed run leaves either a marked task, which the next run takes over, or
nothing that counts.
"""

import errno
import fcntl
import os
import re
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import xxhash

from dataaudit.errors import RunError

TEMPORARY = ".dataaudit-tmp"
MARK = ".dataaudit"
"""A file that says that the folder was made by dataaudit; nothing is written or removed in a folder without it."""
MARKERS = "tasks"
REPORTS = ("report.json", "report.html", "timings.json")
LOCK = ".lock"
FOLDERS = (
    *("tokens", "signals", "signals_pooled", "signals_duplicates", "signals_drift", "ledger"),
    *("sketches", "drift", "duplicates", "signatures", MARKERS),
)
"""What a run folder holds besides its files; nothing else is ever removed from it."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
NO_RIGHT = (errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)
"""What the system says of a file that cannot be written; all of NO_RIGHT but EROFS also of one that cannot be read."""
_PART = re.compile(r".+-\d{5,}(\.\w+)+")
"""Names that a task gives its parts; a killed one can leave them without a marker."""


class Output(msgspec.Struct, frozen=True):
    """A finished file: its size in bytes and the xxh3-128 digest of its content."""

    bytes: int
    digest: str


class Marker(msgspec.Struct, frozen=True):
    """Says that a task is done.

    Attributes:
        key: digest of everything its outputs depend on.
        outputs: by path relative to the run folder.
        result: the task's small result.
    """

    key: str
    outputs: dict[str, Output]
    result: dict[str, Any]


class RunFolder:
    """A run folder on a local disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def part(self, kind: str, index: int, suffix: str) -> Path:
        """Returns where a shard's part of *kind* lies, such as ``signals/part-00000.parquet``."""
        return self.path / kind / f"part-{index:05d}.{suffix}"

    def sketch(self, name: str, index: int | None = None) -> Path:
        """Returns where a shard's sketch lies, or the merged one without an index."""
        suffix = "" if index is None else f"-{index:05d}"
        return self.path / "sketches" / f"{name}{suffix}.parquet"

    def any_marker(self, task: str) -> Marker | None:
        """Returns the marker that a task left, whatever its key, or None."""
        try:
            return msgspec.json.decode((self.path / MARKERS / f"{task}.json").read_bytes(), type=Marker)
        except (OSError, msgspec.DecodeError):
            return None

    def marker(self, task: str, key: str) -> Marker | None:
        """Returns the marker of a finished task, or None unless it has this key and all its outputs are there."""
        marker = self.any_marker(task)
        if marker is None or marker.key != key:
            return None
        for name, output in marker.outputs.items():
            path = self.path / name
            if not path.is_file() or path.stat().st_size != output.bytes:
                return None
        return marker

    @contextmanager
    def workspace(self) -> Iterator[Path]:
        """Gives an empty temporary folder inside the run folder, gone afterwards."""
        folder = self.path / TEMPORARY / uuid.uuid4().hex
        folder.mkdir(parents=True)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def commit(self, task: str, key: str, outputs: Mapping[Path, Path], result: dict[str, Any]) -> Marker:
        """Moves a task's outputs (temporary path → final path) into place and marks the task as done.

        Raises:
            RunError: the same task with the same key was finished before with other bytes.
        """
        finished = {
            str(final.relative_to(self.path)): Output(temporary.stat().st_size, digest(temporary))
            for temporary, final in outputs.items()
        }
        marker = Marker(key, finished, result)
        before = self.marker(task, key)
        if before is not None and before != marker:
            raise RunError(
                f"{self.path}: task {task} gave other bytes than an earlier attempt with the same input and settings. "
                "Results would depend on chance. Delete the run folder, run again, and report this."
            )
        if before is not None:
            return before
        for temporary, final in outputs.items():
            final.parent.mkdir(exist_ok=True)
            _sync(temporary)
            _place(temporary, final, finished[str(final.relative_to(self.path))])
        for folder in {final.parent for final in outputs.values()}:
            _sync(folder)
        self.write(f"{MARKERS}/{task}.json", msgspec.json.encode(marker, order="deterministic") + b"\n")
        return marker

    def write(self, name: str, content: bytes) -> Path:
        """Writes a small file whole or not at all; leaves it alone when it already has this content."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file() and path.read_bytes() == content:
            return path
        with self.workspace() as folder:
            temporary = folder / path.name
            temporary.write_bytes(content)
            _sync(temporary)
            temporary.replace(path)
        _sync(path.parent)
        return path

    def place(self, temporary: Path, name: str) -> Output:
        """Moves a file of a workspace into place, and leaves alone what already has its content."""
        output = Output(temporary.stat().st_size, digest(temporary))
        _sync(temporary)
        _place(temporary, self.path / name, output)
        _sync(self.path)
        return output

    def sweep(self, done: Iterable[Marker], markers: set[str]) -> None:
        """Removes temporary files and everything in the stage folders that no finished task of the plan wrote.

        *done* are the markers of finished tasks, *markers* the ids of all tasks of the plan.
        """
        self.tidy()
        wanted = {name for marker in done for name in marker.outputs}
        wanted |= {f"{MARKERS}/{task}.json" for task in markers}
        ours = {f"{MARKERS}/{path.name}" for path in (self.path / MARKERS).glob("*.json")}
        ours |= {name for path in ours if (marker := self.any_marker(Path(path).stem)) for name in marker.outputs}
        for kind in FOLDERS:
            for path in (self.path / kind).glob("*"):
                name = str(path.relative_to(self.path))
                if name not in wanted and (name in ours or _PART.fullmatch(path.name)):
                    path.unlink()

    def retract_report(self) -> None:
        """Removes the result of an earlier state of the run, so that nobody takes it for the result of this one."""
        for name in REPORTS:
            (self.path / name).unlink(missing_ok=True)

    def tidy(self) -> None:
        """Removes the temporary folder at the end of a run."""
        shutil.rmtree(self.path / TEMPORARY, ignore_errors=True)


@contextmanager
def open_run(path: Path, *, new: bool) -> Iterator[RunFolder]:
    """Gives the run folder, held by this process alone until the end of the block.

    Raises:
        RunError: it is no run folder, cannot be written, or another process is using it.
    """
    state = path / "plan.json"
    if new:
        if path.exists() and not path.is_dir():
            raise RunError(f"{path} is a file, not a folder. Give another folder to --out.")
        if path.is_dir() and any(path.iterdir()) and not (path / MARK).is_file():
            raise RunError(f"{path} is not empty and not a run folder. Give a new or an empty folder to --out.")
        try:
            path.mkdir(parents=True, exist_ok=True)
            (path / MARK).write_text("A run folder of dataaudit.\n")
            (path / MARKERS).mkdir(exist_ok=True)
        except OSError as error:
            raise RunError(f"{path}: the run folder cannot be made ({error.strerror}).") from error
    elif not state.exists():
        raise RunError(f"{path} is not a finished run: it has no plan.json. Run: dataaudit audit INPUT -o {path}")
    try:
        lock = (path / MARKERS / LOCK).open("w")
    except OSError as error:
        raise RunError(f"{path}: the run folder cannot be written ({error.strerror}).") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RunError(
                f"{path}: another dataaudit process is using this run folder. Wait for it to end."
            ) from error
        except OSError:
            """A file system without locks: whoever shares it sees to it that one process at a time is here."""
        run = RunFolder(path)
        try:
            with writing(path):
                yield run
        finally:
            run.tidy()


def refuse_unplanned(path: Path) -> None:
    """Raises RunError when there is no plan."""
    if not (path / "plan.json").exists():
        raise RunError(f"{path} holds no plan. Run: dataaudit plan INPUT -o {path}")


@contextmanager
def share_run(path: Path) -> Iterator[RunFolder]:
    """Gives a planned run folder, which other processes may work in too, until the end of the block.

    Raises:
        RunError: it holds no plan, cannot be written, or a process that needs it alone is using it.
    """
    refuse_unplanned(path)
    try:
        lock = (path / MARKERS / LOCK).open("a+")
    except OSError as error:
        raise RunError(f"{path}: the run folder cannot be written ({error.strerror}).") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RunError(
                f"{path}: an audit, plan, finish or check is at work in this run folder. Wait for it to end."
            ) from error
        except OSError:
            """A file system without locks: workers do not need them."""
        with writing(path):
            yield RunFolder(path)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turns what the disk refuses while files of *folder* are written into a message for the user.

    Raises:
        RunError: the disk is full or read-only, or a file of the folder cannot be written for another reason.
    """
    try:
        yield
    except OSError as error:
        inside = error.filename is not None and folder in Path(os.fsdecode(error.filename)).parents
        full = error.errno in NO_ROOM
        if error.errno is None or not (full or error.errno == errno.EROFS or (inside and error.errno in NO_RIGHT)):
            raise
        place, mend = (folder, "make room") if full or not inside else (error.filename, "make it writable")
        raise RunError(
            f"{place}: cannot be written ({os.strerror(error.errno)}). What is finished is kept: {mend} and run the "
            "same command again."
        ) from error


def digest(path: Path) -> str:
    """Returns the xxh3-128 digest of a file as hex."""
    state = xxhash.xxh3_128()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            state.update(block)
    return state.hexdigest()


def key_of(value: Any) -> str:
    """Returns a digest of a value made of structs, dicts, lists, texts and numbers."""
    return xxhash.xxh3_128(msgspec.json.encode(value, order="deterministic")).hexdigest()


def pretty_json(value: Any) -> bytes:
    """Returns a value as indented JSON, the same bytes for the same value."""
    return msgspec.json.format(msgspec.json.encode(value, order="deterministic"), indent=1) + b"\n"


def _place(temporary: Path, final: Path, output: Output) -> None:
    """Moves a file into place; the same file of another worker stays, since others may be reading it.

    On a network file system a file that is replaced while another machine reads it breaks that reading.
    """
    try:
        final.hardlink_to(temporary)
    except FileExistsError:
        if final.stat().st_size != output.bytes or digest(final) != output.digest:
            temporary.replace(final)
    except OSError:  # a file system without hard links
        temporary.replace(final)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
