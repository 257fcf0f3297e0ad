"""One reader a format; every module of this package and of ``token_readers`` is one, and its name is the format's."""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple, Protocol, cast

import pyarrow as pa

from dataaudit.corpus import token_readers
from dataaudit.corpus.columns import Column
from dataaudit.corpus.documents import CorpusFile, Piece, RawBatch, ReadOptions, Tally
from dataaudit.corpus.token_layout import TokenLayout
from dataaudit.errors import ReadError, suggestion


class Span(NamedTuple):
    """A part of a file: see ``Piece`` for the units."""

    start: int
    stop: int | None
    first_record: int
    size: int
    layout: TokenLayout | None = None


class Reader(Protocol):
    """What a module of these packages holds. All raise OSError or DamageError for a file that cannot be read."""

    def columns(self, file: CorpusFile, compression: str | None, /) -> list[Column]:
        """Returns the columns of the file, from its head."""
        ...

    def cut(self, file: CorpusFile, compression: str | None, options: ReadOptions, target_bytes: int, /) -> list[Span]:
        """Returns the parts of the file, each of about *target_bytes* where the format can be cut."""
        ...

    def read(self, piece: Piece, options: ReadOptions, tally: Tally, /) -> Iterator[pa.RecordBatch]:
        """Yields the documents of a piece and fills the tally."""
        ...

    def records(self, piece: Piece, options: ReadOptions, tally: Tally, /) -> Iterator[RawBatch]:
        """Yields the records of a piece as they stand in the file, under the row numbers of ``read``."""
        ...


@cache
def reader_names() -> tuple[str, ...]:
    """Returns the names of all formats."""
    return tuple(sorted([*(info.name for info in pkgutil.iter_modules(__path__)), *token_readers.names()]))


def reader_of(name: str) -> Reader:
    """Returns the reader of a format.

    Raises:
        ReadError: there is no such format.
    """
    if name not in reader_names():
        formats = ", ".join(reader_names())
        raise ReadError(f"there is no format {name!r}.{suggestion(name, reader_names())} Formats: {formats}.")
    package = token_readers.__name__ if name in token_readers.names() else __name__
    return cast("Reader", importlib.import_module(f"{package}.{name}"))
