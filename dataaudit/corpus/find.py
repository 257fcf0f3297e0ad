"""INPUT arguments in, the files of the corpus out."""

import errno
import glob
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from dataaudit.corpus.addresses import find_at_address
from dataaudit.corpus.documents import CorpusFile
from dataaudit.corpus.leave_out import main_of, reason_to_leave, saved_dataset_files
from dataaudit.corpus.location import is_local
from dataaudit.corpus.naming import Candidate, name_files
from dataaudit.errors import ReadError, suggestion


@dataclass(frozen=True, slots=True)
class Found:
    """The files of the corpus.

    Attributes:
        files: sorted by the bytes of their names.
        skipped: path and reason of what was left out: hidden files, notes and checksums, loops of links.
    """

    files: list[CorpusFile] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)


def find_files(inputs: Sequence[str]) -> Found:
    """Finds the files behind paths, folders, patterns, fsspec addresses and ``hub:NAME[:CONFIG[:SPLIT]]``.

    A path that exists is taken as it is; only when it does not, it is tried as a pattern. Folders are searched with all
    their subfolders. A file that is reached twice is taken once. Files that cannot be opened are found here and named
    as damaged when they are looked into.

    Raises:
        ReadError: an input does not exist, or a pattern matches nothing.
    """
    search = _Search()
    found = [candidate for each in inputs for candidate in _find(each, search)]
    return Found(name_files(_once(found, search.skipped)), search.skipped)


@dataclass(frozen=True, slots=True)
class _Search:
    """What was left out so far, and the folders searched so far by device and inode: links may lead back to them."""

    skipped: list[tuple[str, str]] = field(default_factory=list)
    folders: set[tuple[int, int]] = field(default_factory=set)


def _once(found: list[Candidate], skipped: list[tuple[str, str]]) -> Iterator[Candidate]:
    seen: dict[str, str] = {}
    for each in found:
        real = os.path.realpath(each.path) if is_local(each.path) else each.path
        if real in seen:
            if each.path != seen[real]:
                skipped.append((each.path, f"the same file as {seen[real]}"))
            continue
        seen[real] = each.path
        yield each


def _find(given: str, search: _Search) -> Iterable[Candidate]:
    if os.path.lexists(given):
        return _find_local(Path(given), _folder_of(given), search)
    if given.startswith("hub:"):
        from dataaudit.corpus.readers.hub import find_splits  # datasets is slow to import

        return find_splits(given)
    if not is_local(given):
        return find_at_address(given, search.skipped)
    matches = glob.glob(given, recursive=True) if glob.has_magic(given) else []  # noqa: PTH207 - absolute or not
    if not matches:
        raise ReadError(_missing(given))
    base = _fixed_part(given)
    return [each for match in sorted(matches, key=os.fsencode) for each in _find_below(Path(match), base, search)]


def _missing(given: str) -> str:
    if not given:
        raise ReadError("an input is an empty text; give a file, a folder, a pattern or an address.")
    if glob.has_magic(given):
        return f"{given}: there is no such file, and as a pattern it matches none."
    parent = Path(given).parent
    names = [each.name for each in parent.iterdir()] if parent.is_dir() and os.access(parent, os.R_OK) else []
    return f"{given}: there is no such file or folder.{suggestion(Path(given).name, names)}"


def _fixed_part(pattern: str) -> str:
    """Returns the folder in front of the first part of a pattern that holds a wildcard."""
    fixed: list[str] = []
    for part in PurePath(pattern).parts[:-1]:
        if glob.has_magic(part):
            break
        fixed.append(part)
    return str(Path(*fixed)) if fixed else "."


def _folder_of(given: str) -> str:
    return given if _is_folder(Path(given)) else str(Path(given).parent)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _find_local(path: Path, base: str, search: _Search) -> Iterator[Candidate]:
    """Yields the file, or all files of the folder, named relative to *base*."""
    if _is_folder(path):
        yield from _walk(path, base, search)
        return
    try:
        status = path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            search.skipped.append((str(path), "a loop of links"))
        else:
            yield _candidate(path, base, None, "")
        return
    if main := main_of(path):
        search.skipped.append((str(path), f"belongs to {main}"))
    elif stat.S_ISREG(status.st_mode):
        yield _candidate(path, base, status.st_size, str(status.st_mtime_ns))
    else:
        search.skipped.append((str(path), "neither a file nor a folder"))


def _find_below(path: Path, base: str, search: _Search) -> Iterator[Candidate]:
    """Like ``_find_local``, for what was not named by the user itself: what is no data is left out."""
    reason = reason_to_leave(path.name, is_folder=_is_folder(path))
    if reason and main_of(path) is None:
        search.skipped.append((str(path), reason))
    else:
        yield from _find_local(path, base, search)


def _walk(folder: Path, base: str, search: _Search) -> Iterator[Candidate]:
    try:
        at = folder.stat()
        names = sorted(os.listdir(folder), key=os.fsencode)  # noqa: PTH208 - names, not paths
    except OSError:
        yield _candidate(folder, base, None, "")
        return
    if (at.st_dev, at.st_ino) in search.folders:
        search.skipped.append((str(folder), "a folder that was searched before: a link, or inputs that overlap"))
        return
    search.folders.add((at.st_dev, at.st_ino))
    listed = saved_dataset_files(folder) if "state.json" in names else None
    for name in names:
        if listed is not None and name.endswith(".arrow") and name not in listed:
            search.skipped.append((str(folder / name), "not part of the saved dataset: state.json does not name it"))
        else:
            yield from _find_below(folder / name, base, search)


def _candidate(path: Path, base: str, size: int | None, stamp: str) -> Candidate:
    whole = os.path.abspath(path)  # noqa: PTH100 - links stay as they are
    looks_like_address = str(path).startswith("hub:") or not is_local(str(path))
    relative = os.path.relpath(path, base)
    return Candidate(
        whole if looks_like_address else str(path), PurePath(relative).parts, PurePath(whole).parts, size, stamp
    )
