"""Lines in, rows of cells out, each with its place; one bad row costs only itself."""

import csv
import sys
from collections.abc import Iterator
from typing import NamedTuple

from dataaudit.corpus.documents import Tally
from dataaudit.corpus.json_record import FaultyRecordError, require_utf8
from dataaudit.corpus.location import DamageError
from dataaudit.corpus.long_records import LongRecord

_LARGEST_ROW = 256 << 20
"""Bytes after which a quoted cell that is not closed is given up; the rows it swallowed are read again."""
_MOST_UNCLOSED = 100
"""Rows with an unclosed quote after which the file is given up: each is searched to the end of the file."""


class Line(NamedTuple):
    """A line with its line feed, its number from 1 and its offset; of one that is too long, *data* is the beginning."""

    number: int
    offset: int | None
    data: bytes
    long: LongRecord | None


class Row(NamedTuple):
    """A row: its first line, its bytes, and its cells or why there are none; *long* when it is too long."""

    line: int
    offset: int | None
    data: bytes
    cells: list[str] | FaultyRecordError
    long: LongRecord | None = None


class _Unclosed(Exception):  # noqa: N818 - a signal, not an error
    """The lines end, or go on for too long, inside a quoted cell."""


class _Lines:
    """Hands lines to the csv module and keeps those of the row at hand; rows that were swallowed can be put back."""

    def __init__(self, lines: Iterator[Line]) -> None:
        self._lines = lines
        self._back: list[Line] = []
        self.row: list[Line] = []
        self._size = 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._back.pop() if self._back else next(self._lines, None)
        if self.row and (line is None or line.long or self._size > _LARGEST_ROW):
            if line is not None:
                self._back.append(line)
            raise _Unclosed
        if line is None:
            raise StopIteration
        self.row.append(line)
        self._size += len(line.data)
        return line.data.decode("utf-8", "surrogateescape")

    def take_long(self) -> Line | None:
        """Returns the next line if it is too long to be a row or a part of one."""
        line = self._back.pop() if self._back else next(self._lines, None)
        if line is not None and line.long is None:
            self._back.append(line)
            return None
        return line

    def start_row(self) -> None:
        self.row, self._size = [], 0

    def put_back_all_but_first(self) -> None:
        self._back += reversed(self.row[1:])
        del self.row[1:]


def csv_rows(lines: Iterator[Line], delimiter: str, tally: Tally) -> Iterator[Row]:
    """Yields the rows that are not blank. Lines that end in the tally's damage leave no half row.

    Raises:
        DamageError: too many rows have a quote that is not closed.
    """
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    source = _Lines(lines)
    reader = csv.reader(source, delimiter=delimiter)
    unclosed = 0
    while True:
        source.start_row()
        if (line := source.take_long()) is not None and line.long is not None:
            yield Row(line.number, line.offset, line.data, line.long.error(), line.long)
            continue
        cells: list[str] | FaultyRecordError
        try:
            cells = next(reader)
        except StopIteration:
            return
        except _Unclosed:
            if tally.damage:
                return  # the last record of a file that was cut
            unclosed += 1
            if unclosed > _MOST_UNCLOSED:
                first = source.row[0].number
                raise DamageError(f"not readable as CSV from line {first}: too many quotes are not closed") from None
            source.put_back_all_but_first()
            reader = csv.reader(source, delimiter=delimiter)
            cells = FaultyRecordError("unreadable", "a quoted cell is not closed")
        except csv.Error as error:
            reader = csv.reader(source, delimiter=delimiter)
            cells = FaultyRecordError("unreadable", f"not readable as CSV: {error}")
        if cells != []:
            data = b"".join(line.data for line in source.row)
            begin = source.row[0]
            yield Row(begin.number, begin.offset, data, _utf8(data, cells))


def _utf8(data: bytes, cells: list[str] | FaultyRecordError) -> list[str] | FaultyRecordError:
    """Returns the cells, or why the row is no text: until here its bytes were only carried along."""
    if not data.isascii():
        try:
            require_utf8(data)
        except FaultyRecordError as error:
            return error
    return cells
