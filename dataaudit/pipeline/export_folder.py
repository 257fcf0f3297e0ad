"""The folder of an export: all of it is there or nothing that counts.

Files are written under ``.dataaudit-tmp/``, synced, and renamed; ``export.json`` comes last. The names that are renamed
are written down before, so that a killed export leaves nothing that the next one does not know.
"""

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from dataaudit.errors import RunError
from dataaudit.export_result import ExportResult, FileFacts
from dataaudit.pipeline.store import TEMPORARY, RunFolder, digest, pretty_json

RESULT_NAME = "export.json"
MARK = ".dataaudit-export"
"""Says that the folder is an export, and names the files that are put there."""


def finished(out: Path) -> ExportResult | None:
    """Returns the result of an export whose files are all there, or None."""
    try:
        result = msgspec.json.decode((out / RESULT_NAME).read_bytes(), type=ExportResult)
    except (OSError, msgspec.DecodeError):
        return None
    for name, facts in result.files.items():
        path = out / name
        if not path.is_file() or path.stat().st_size != facts.bytes:
            return None
    return result


@contextmanager
def open_export(out: Path) -> Iterator[RunFolder]:
    """Gives the folder, held by this process alone until the end of the block.

    Raises:
        RunError: it is not empty and no export's, cannot be written, or another process is using it.
    """
    if out.exists() and not out.is_dir():
        raise RunError(f"{out} is a file, not a folder. Give another folder to --out.")
    if out.is_dir() and any(out.iterdir()) and not (out / MARK).is_file():
        raise RunError(f"{out} is not empty and not an export. Give --out a new or an empty folder.")
    try:
        out.mkdir(parents=True, exist_ok=True)
        lock = (out / MARK).open("a")
    except OSError as error:
        raise RunError(f"{out}: cannot be written ({error.strerror}).") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise RunError(f"{out}: another dataaudit process is writing there. Wait for it to end.") from error
        folder = RunFolder(out)
        try:
            yield folder
        finally:
            folder.tidy()


@contextmanager
def writing_export(out: Path) -> Iterator[None]:
    """Turns what the disk refuses into a message for the user.

    Raises:
        RunError: the disk is full, or cannot be written for another reason.
    """
    try:
        yield
    except OSError as error:
        raise RunError(
            f"{out}: cannot be written: {error.strerror or error}. Nothing of the export counts: make room and run the "
            "same command again."
        ) from error


def put(folder: RunFolder, files: Mapping[str, Path], result: ExportResult) -> None:
    """Moves files (temporary path by name) into place and writes the result; removes those of an earlier export."""
    out = folder.path
    for path in files.values():
        _sync(path)
    before = _names(out)
    (out / RESULT_NAME).unlink(missing_ok=True)
    _note(out, sorted({*before, *files}))
    for name in before:
        if name not in files:
            (out / name).unlink(missing_ok=True)
    for name, path in files.items():
        path.replace(out / name)
    _note(out, sorted(files))
    folder.write(RESULT_NAME, pretty_json(result))


def facts_of(path: Path) -> FileFacts:
    """Returns the size and the digest of a file."""
    return FileFacts(path.stat().st_size, digest(path))


def _names(out: Path) -> list[str]:
    """Returns the files that an export has put into its folder, or has begun to; nothing outside of it."""
    try:
        names = msgspec.json.decode((out / MARK).read_bytes(), type=list[str])
    except (OSError, msgspec.DecodeError):
        return []
    return [name for name in names if name == Path(name).name and name not in ("", ".", "..", TEMPORARY)]


def _note(out: Path, names: list[str]) -> None:
    """Writes the names into the mark, which is also the lock, so it stays the same file."""
    with (out / MARK).open("r+b") as mark:
        mark.write(msgspec.json.encode(names))
        mark.truncate()
        mark.flush()
        os.fsync(mark.fileno())


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
