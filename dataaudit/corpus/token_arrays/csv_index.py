"""Lines ``start,end,id,...`` in gzip that say where documents stand, read as far as they can be."""

import csv
from collections.abc import Iterator
from typing import NamedTuple

from dataaudit.corpus.compression import decompress
from dataaudit.corpus.documents import Tally
from dataaudit.corpus.location import DamageError
from dataaudit.corpus.stream import stored_bytes

_MOST_LINE = 1 << 20
_BLOCK_ROWS = 1 << 14
_LARGEST = (1 << 58) - 1
"""No file holds as many tokens; a larger number is a fault, so that byte offsets stay in 64 bits."""


class CsvRow(NamedTuple):
    """A document: its tokens from *start* up to *end*, its name, and what is wrong with its line."""

    start: int
    end: int
    name: str
    wrong: str = ""


def csv_rows(path: str, first: int = 0, count: int | None = None) -> Iterator[CsvRow]:
    """Yields rows from number *first* on, *count* of them or all.

    Raises:
        OSError: the file cannot be opened.
        DamageError: after the rows before the damage were given.
    """
    end = 0
    for number, cells in enumerate(_cells(path)):
        if count is not None and number >= first + count:
            return
        row = _row(cells, number, end)
        end = row.end
        if number >= first:
            yield row


def _row(cells: list[str], number: int, before: int) -> CsvRow:
    """Returns a row; one that says nothing stands where the one before ends."""
    try:
        start, end = int(cells[0]), int(cells[1])
    except (ValueError, IndexError):
        return CsvRow(before, before, "", f"line {number + 1} of the .csv.gz does not begin with two numbers")
    name = cells[2] if len(cells) > 2 else ""
    if not 0 <= start <= end <= _LARGEST:
        wrong = f"line {number + 1} of the .csv.gz says tokens {cells[0][:24]} to {cells[1][:24]}"
        return CsvRow(before, before, name, wrong)
    return CsvRow(start, end, name)


def _cells(path: str) -> Iterator[list[str]]:
    reader = csv.reader(_lines(path))
    try:
        yield from reader
    except csv.Error as error:
        raise DamageError(f"line {reader.line_num} is no CSV: {error}") from error


def _lines(path: str) -> Iterator[str]:
    tally = Tally()
    pending = b""
    for data in decompress(stored_bytes(path, 0, None, tally), "gzip"):
        *lines, pending = (pending + data).split(b"\n")
        for line in lines:
            yield line.decode("utf-8", "backslashreplace") + "\n"
        if len(pending) > _MOST_LINE:
            raise DamageError(f"a line of the .csv.gz is longer than {_MOST_LINE:,} bytes")
    if tally.damage:
        raise DamageError(tally.damage)
    if pending:
        yield pending.decode("utf-8", "backslashreplace")


def blocks_of(rows: Iterator[CsvRow]) -> Iterator[list[CsvRow]]:
    """Yields rows in blocks; those before a damage are given before it is raised."""
    block: list[CsvRow] = []
    damage: DamageError | None = None
    try:
        for row in rows:
            block.append(row)
            if len(block) == _BLOCK_ROWS:
                yield block
                block = []
    except DamageError as error:
        damage = error
    if block:
        yield block
    if damage is not None:
        raise damage
