"""CSV and TSV: a header, then a row a document. A cell is a text, whatever it says."""

from collections.abc import Generator, Iterator
from contextlib import closing

import pyarrow as pa

from dataaudit.corpus.batches import BatchBuilder
from dataaudit.corpus.columns import Column
from dataaudit.corpus.csv_rows import Line, Row, csv_rows
from dataaudit.corpus.documents import MAX_RECORD_BYTES, CorpusFile, CsvHeader, Piece, RawBatch, ReadOptions, Tally
from dataaudit.corpus.json_record import FaultyRecordError, Fields, as_number
from dataaudit.corpus.lines import line_blocks, lines_of
from dataaudit.corpus.location import DamageError
from dataaudit.corpus.long_records import LongRecord, raw_batches
from dataaudit.corpus.readers import Span
from dataaudit.corpus.spans import whole, whole_piece
from dataaudit.corpus.stream import open_stream

_DELIMITERS = ",\t;|"


def columns(file: CorpusFile, compression: str | None) -> list[Column]:
    """Returns the cells of the header."""
    tally = Tally()
    with closing(_rows(whole_piece(file, "csv", compression), tally)) as rows:
        header = next(rows, None)
    return [Column(name, "text") for name in _names(header)] if header else []


def cut(file: CorpusFile, _compression: str | None, _options: ReadOptions, _target_bytes: int) -> list[Span]:
    """Returns the file as one part: a line feed may stand inside a cell."""
    return whole(file)


def read(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yields the documents row by row; a row with more or fewer cells than the header becomes a fault."""
    builder = BatchBuilder(piece, options, tally)
    with closing(_rows(piece, tally, options.max_record_bytes)) as rows:
        header = next(rows, None)
        names = _names(header) if header else {}
        width = len(header.cells) if header and isinstance(header.cells, list) else 0
        for row in rows:
            try:
                batch = builder.add(row.line, row.offset, len(row.data), _fields(row, names, width, piece, options))
            except FaultyRecordError as error:
                batch = builder.fault(row.line, row.offset, row.data.rstrip(b"\r\n"), error)
            if batch is not None:
                yield batch
    yield from builder.rest()


def records(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[RawBatch]:
    """Yields the rows as they are written; a quoted cell may hold line feeds."""
    with closing(_rows(piece, tally, options.max_record_bytes)) as rows:
        first = next(rows, None)
        if first is None:
            return
        _names(first)
        assert isinstance(first.cells, list)
        delimiter = _delimiter(piece.file.name, first.data)
        header = CsvHeader(_row_bytes(first), tuple(name.strip() for name in first.cells), delimiter)
        for batch in raw_batches("csv", (row.long or _row_bytes(row) for row in rows), header):
            tally.records += batch.length
            yield batch


def _row_bytes(row: Row) -> bytes:
    return row.data.removesuffix(b"\n")


def _rows(piece: Piece, tally: Tally, longest: int = MAX_RECORD_BYTES) -> Generator[Row, None, None]:
    stream = open_stream(piece, tally)
    blocks = line_blocks(stream, tally, longest)
    lines = _lines(blocks, stream.offset)
    first = next(lines, None)
    if first is None:
        return
    yield from csv_rows(_again(first, lines), _delimiter(piece.file.name, first.data), tally)
    for _ in blocks:
        """The digest covers the rest too."""


def _again(first: Line, lines: Iterator[Line]) -> Iterator[Line]:
    yield first
    yield from lines


def _lines(blocks: Iterator[bytes | LongRecord], offset: int | None) -> Iterator[Line]:
    for number, line in enumerate(lines_of(blocks), 1):
        if isinstance(line, LongRecord):
            yield Line(number, offset, line.head, line)
            size = line.size
        else:
            yield Line(number, offset, line + b"\n", None)
            size = len(line)
        offset = offset + size + 1 if offset is not None else None


def _delimiter(name: str, header: bytes) -> str:
    if ".tsv" in name.lower() or ".tab" in name.lower():
        return "\t"
    return max(_DELIMITERS, key=lambda mark: header.count(mark.encode()))


def _names(header: Row) -> dict[str, int]:
    """Returns where each column stands; of two with the same name the first counts.

    Raises:
        DamageError: the header is no row.
    """
    if not isinstance(header.cells, list):
        raise DamageError(f"the header in line {header.line} cannot be read: {header.cells.reason}")
    names: dict[str, int] = {}
    for at, name in enumerate(header.cells):
        names.setdefault(name.strip(), at)
    return names


def _fields(row: Row, names: dict[str, int], width: int, piece: Piece, options: ReadOptions) -> Fields:
    if not isinstance(row.cells, list):
        raise row.cells
    if len(row.cells) != width:
        raise FaultyRecordError("unreadable", f"the row has {len(row.cells)} cells, the header has {width}")
    at = names.get(piece.content or "")
    if at is None:
        raise FaultyRecordError("without_text", f"there is no column {piece.content!r}")

    def cell(name: str | None) -> str | None:
        at = names.get(name) if name is not None else None
        return (row.cells[at] or None) if at is not None and isinstance(row.cells, list) else None

    numbers = tuple(_number(cell(name)) for name in options.number_columns)
    return Fields(row.cells[at], cell(piece.id_column), cell(piece.source_column), numbers, repaired=False)


def _number(cell: str | None) -> float | None:
    if not cell or "_" in cell:
        return None
    try:
        return as_number(float(cell))
    except ValueError:
        return None
