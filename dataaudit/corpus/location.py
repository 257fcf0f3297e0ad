"""Opening a path, whether it is local or an fsspec address."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import fsspec
import pyarrow as pa

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(::[A-Za-z][A-Za-z0-9+.-]*)*://")


ARROW_ERRORS = (OSError, pa.ArrowException, UnicodeDecodeError)
"""What Arrow raises for files that are damaged; the last for names of columns."""


class DamageError(Exception):
    """A file or a part of one that cannot be read; the message says what and where."""


def is_local(path: str) -> bool:
    """Returns whether *path* is a path on this machine and no fsspec address."""
    return _ADDRESS.match(path) is None


def filesystem(address: str) -> tuple[Any, str]:
    """Returns the fsspec file system of an address and the path inside it; no pattern is expanded."""
    return cast("tuple[Any, str]", fsspec.core.url_to_fs(address))


def open_binary(path: str) -> BinaryIO:
    """Opens a file for reading bytes.

    Raises:
        OSError: it cannot be opened.
    """
    if is_local(path):
        return Path(path).open("rb")
    system, inner = filesystem(path)
    return cast("BinaryIO", system.open(inner, "rb"))


@contextmanager
def open_for_arrow(path: str, *, mapped: bool = False) -> Iterator[pa.NativeFile]:
    """Opens a file for Arrow's readers and closes it at the end; *mapped* maps a local file into memory.

    Raises:
        OSError: it cannot be opened.
    """
    if is_local(path):
        with pa.memory_map(path) if mapped else pa.OSFile(path) as source:
            yield source
    else:
        with open_binary(path) as file, pa.PythonFile(file, mode="r") as source:
            yield source


def why(error: Exception) -> str:
    """Returns what an error says, in one line and without the path, which stands elsewhere."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__
