"""Short names of files that are unique in the run, and the source of each."""

import os
import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from dataaudit.corpus.documents import CorpusFile


class Candidate(NamedTuple):
    """A file that was found.

    Attributes:
        path: what to open.
        relative: the parts of its path below the INPUT.
        full: the parts of its whole path.
        size, stamp: as in ``CorpusFile``.
        source: its source when the parts do not tell it.
    """

    path: str
    relative: tuple[str, ...]
    full: tuple[str, ...]
    size: int | None
    stamp: str
    source: str | None = None


def name_files(found: Iterable[Candidate]) -> list[CorpusFile]:
    """Returns the files sorted by name; where names are equal, more of the path stands in front until they differ."""
    candidates = list(found)
    depths = [len(each.relative) for each in candidates]
    while True:
        names = [_name(each, depth) for each, depth in zip(candidates, depths, strict=True)]
        counts = Counter(names)
        longer = [
            counts[name] > 1 and depth < len(each.full)
            for each, name, depth in zip(candidates, names, depths, strict=True)
        ]
        if not any(longer):
            break
        depths = [depth + more for depth, more in zip(depths, longer, strict=True)]
    files = [
        CorpusFile(_printable(each.path), name, _source(each), each.size, each.stamp)
        for each, name in zip(candidates, names, strict=True)
    ]
    return sorted(files, key=lambda file: file.name.encode())


def _name(candidate: Candidate, depth: int) -> str:
    parts = candidate.relative if depth <= len(candidate.relative) else candidate.full[-depth:]
    return _printable("/".join(parts))


def _source(candidate: Candidate) -> str:
    if candidate.source is not None:
        return candidate.source
    first = candidate.relative[0]
    if len(candidate.relative) > 1:
        return _printable(first)
    return _printable(first[:1] + first[1:].partition(".")[0])


def _printable(name: str) -> str:
    """Returns the name with bytes that are no UTF-8 written out: such a file is named, but cannot be opened."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def is_not_utf8(path: str) -> bool:
    """Returns whether *path* is the printed form of a path that is no UTF-8, and there is something at that path."""
    raw = re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes([int(found[1], 16)]), path.encode())
    return raw != path.encode() and os.path.lexists(raw)
