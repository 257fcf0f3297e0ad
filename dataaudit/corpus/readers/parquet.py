"""Parquet: row groups, read in small steps."""

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dataaudit.corpus.columns import Column, columns_of_schema
from dataaudit.corpus.documents import CorpusFile, Piece, RawBatch, ReadOptions, Tally
from dataaudit.corpus.location import ARROW_ERRORS, open_for_arrow, why
from dataaudit.corpus.parquet_footer import ColumnChunk, RowGroup, row_groups
from dataaudit.corpus.readers import Span
from dataaudit.corpus.stream import hash_range
from dataaudit.corpus.tables import Rows, column_of, documents

_STEP_BYTES = 16 << 20
_STEP_ROWS = 1024
_USUAL_DICTIONARY = 1 << 20
"""Bytes of a dictionary page at which writers stop using one."""

_MOST_LOST = 1_000_000
"""Lost rows of a row group that are named one by one: the footer of a damaged file may claim any number."""


@contextmanager
def _open(path: str, dictionary: str | None = None) -> Iterator[pq.ParquetFile]:
    with open_for_arrow(path) as source:
        yield pq.ParquetFile(
            source,
            read_dictionary=[dictionary] if dictionary else None,
            pre_buffer=False,
            buffer_size=1 << 20,
            page_checksum_verification=True,
        )


def _row_groups(path: str) -> list[RowGroup]:
    with open_for_arrow(path) as source:
        return row_groups(source)


def columns(file: CorpusFile, _compression: str | None) -> list[Column]:
    """Returns the columns that the footer names."""
    with _open(file.path) as parquet:
        return columns_of_schema(parquet.schema_arrow)


def cut(file: CorpusFile, _compression: str | None, _options: ReadOptions, target_bytes: int) -> list[Span]:
    """Returns runs of row groups."""
    groups = _row_groups(file.path)
    spans: list[Span] = []
    start = first_row = row = size = 0
    for at, group in enumerate(groups):
        row += group.rows
        size += group.stop - group.start
        if size >= target_bytes or at == len(groups) - 1:
            spans.append(Span(start, at + 1, first_row, size))
            start, first_row, size = at + 1, row, 0
    return spans or [Span(0, 0, 0, 0)]


def read(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yields the documents of the piece's row groups; the rows of a damaged one are named and lost."""
    groups = _row_groups(piece.file.path)[piece.start : piece.stop] if piece.stop != piece.start else []
    wanted = {piece.content, piece.id_column, piece.source_column, *piece.side_columns, *options.number_columns}
    names = sorted(name for name in wanted if name is not None)
    yield from documents(_rows(groups, piece, names, tally), piece, options, tally)
    _hash(groups, piece, tally)


def records(piece: Piece, _options: ReadOptions, tally: Tally) -> Iterator[RawBatch]:
    """Yields the rows with all their columns. Damage in a column that ``read`` does not read costs rows here."""
    groups = _row_groups(piece.file.path)[piece.start : piece.stop] if piece.stop != piece.start else []
    for rows in _rows(groups, piece, None, tally):
        tally.records += rows.length
        yield RawBatch("parquet", rows.length, rows.batch, rows.reason)
    _hash(groups, piece, tally)


def _hash(groups: list[RowGroup], piece: Piece, tally: Tally) -> None:
    start = min((group.start for group in groups), default=0)
    tally.digest = hash_range(piece.file.path, start, max((group.stop for group in groups), default=0))


def _rows(groups: list[RowGroup], piece: Piece, names: list[str] | None, tally: Tally) -> Iterator[Rows]:
    """Yields the rows of row groups, with the columns of these names or with all."""
    if not groups:
        return
    first = piece.first_record
    with _open(piece.file.path) as parquet:
        for at, group in enumerate(groups, piece.start):
            done = 0
            try:
                step = _step(piece.file.path, group, at, names)
                for batch in parquet.iter_batches(step, row_groups=[at], columns=names, use_threads=False):
                    yield Rows(first + done, batch.num_rows, batch)
                    done += batch.num_rows
            except ARROW_ERRORS as error:
                reason = f"row group {at} is damaged: {why(error)}"
                tally.damage = tally.damage or f"{reason}; {group.rows - done} of its {group.rows} rows are lost"
                yield Rows(first + done, min(group.rows - done, _MOST_LOST), None, reason)
            first += group.rows
            tally.bytes_read += group.stop - group.start


def _step(path: str, group: RowGroup, number: int, names: list[str] | None) -> int:
    """Returns how many rows to read at a time so that they hold about 16 MiB.

    A value that stands once in a dictionary, or once in front of others that share its beginning, is written out in
    every row, so a small file can hold very much text: there the largest value counts, not the average.
    """
    step = _STEP_ROWS
    for column in group.columns:
        if names is not None and not any(f"{column.path}.".startswith(f"{name}.") for name in names):
            continue
        bytes_a_row = column.uncompressed // max(1, group.rows)
        if not column.is_bytes:
            bytes_a_row = 8 * column.values // max(1, group.rows)
        elif column.shares_prefixes:
            bytes_a_row = column.uncompressed
        elif column.dictionary and column.uncompressed * _STEP_ROWS > _STEP_BYTES:
            bytes_a_row = max(bytes_a_row, _largest_in_dictionary(path, number, column))
        step = min(step, _STEP_BYTES // max(1, bytes_a_row))
    return max(1, step)


def _largest_in_dictionary(path: str, number: int, column: ColumnChunk) -> int:
    """Returns the bytes of the largest value in the dictionary of a column."""
    with _open(path, column.path) as parquet:
        batch = next(parquet.iter_batches(1, row_groups=[number], columns=[column.path], use_threads=False), None)
    values = column_of(batch, column.path) if batch is not None else None
    if values is None or not pa.types.is_dictionary(values.type):
        return min(column.uncompressed, _USUAL_DICTIONARY)
    return pc.max(pc.binary_length(values.dictionary)).as_py() or 0
