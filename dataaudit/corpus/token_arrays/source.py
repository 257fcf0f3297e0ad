"""The ids of a file, read from any place in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from dataaudit.corpus.location import open_binary
from dataaudit.corpus.token_layout import TokenLayout

BLOCK = 1 << 19
"""Ids that are read at a time."""


class TokenSource:
    """An open file of ids.

    Attributes:
        header: bytes before the first id.
        itemsize: bytes an id.
        size: bytes of the file.
        tokens: whole ids behind the header.
        extra_bytes: bytes after the last whole id.
    """

    def __init__(self, file: BinaryIO, dtype: str, header: int = 0) -> None:
        self._file = file
        self._dtype = np.dtype(dtype)
        self.header = header
        self.itemsize = self._dtype.itemsize
        self.size = file.seek(0, 2)
        self.tokens, self.extra_bytes = divmod(max(0, self.size - header), self.itemsize)

    def byte_of(self, position: int) -> int:
        """Returns where the id at a position starts in the file."""
        return self.header + position * self.itemsize

    def raw(self, start: int, count: int) -> bytes:
        """Returns up to *count* bytes from the byte *start* on."""
        self._file.seek(start)
        return self._file.read(count)

    def at_byte(self, start: int, count: int) -> NDArray[Any]:
        """Returns up to *count* ids from the byte *start* on, in the machine's byte order."""
        data = self.raw(start, count * self.itemsize)
        ids = np.frombuffer(data, self._dtype, len(data) // self.itemsize)
        return ids.astype(self._dtype.newbyteorder("="), copy=False)

    def ids(self, position: int, count: int) -> NDArray[Any]:
        """Returns up to *count* ids from a position on."""
        return self.at_byte(self.byte_of(position), count)


@contextmanager
def open_tokens(path: str, layout: TokenLayout) -> Iterator[TokenSource]:
    """Opens a file of ids.

    Raises:
        OSError: it cannot be opened.
    """
    with open_binary(path) as file:
        yield TokenSource(file, layout.dtype, layout.header)
