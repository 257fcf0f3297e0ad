"""What the readers of token arrays tell of a file by its name and by what lies beside it."""

import codecs
import os
from pathlib import PurePosixPath

from dataaudit.corpus.location import filesystem, is_local

_CONTROL = bytes(each for each in range(0x20) if each not in b"\t\n\r\f\x1b") + b"\x7f"
"""Bytes that text hardly holds, and that are half of many ids."""


def suffix_of(name: str) -> str:
    """Returns the last suffix of a name in lower case."""
    return PurePosixPath(name).suffix.lower()


def is_text(head: bytes) -> bool:
    """Returns whether the beginning of a file is text rather than ids."""
    if len(head.translate(None, _CONTROL)) < len(head):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return bool(head)


def beside(path: str, old: str, new: str) -> str:
    """Returns the path of a file beside another, with *old* at the end of its name replaced by *new*."""
    return (path[: -len(old)] if old else path) + new


def exists(path: str) -> bool:
    """Returns whether there is a file at a path or an fsspec address."""
    if is_local(path):
        return os.path.isfile(path)  # noqa: PTH113 - a path that cannot be looked at is no file
    system, inner = filesystem(path)
    return bool(system.isfile(inner))


def stamp_of(path: str) -> str:
    """Returns what changes when a file changes: size and time of a local one, size of one at an address.

    Raises:
        OSError: there is none.
    """
    if is_local(path):
        facts = os.stat(path)  # noqa: PTH116 - as above
        return f"{facts.st_size} {facts.st_mtime_ns}"
    system, inner = filesystem(path)
    info = system.info(inner)
    return f"{info.get('size')} {info.get('mtime') or info.get('ETag') or info.get('etag') or ''}"
