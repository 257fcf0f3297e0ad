"""Parquet: row groups, read in small steps."""

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dataaudit.corpus.columns import Column, columns_of_schema
from dataaudit.corpus.documents import CorpusFile, Piece, ReadOptions, Tally
from dataaudit.corpus.location import open_for_arrow, why
from dataaudit.corpus.readers import Span
from dataaudit.corpus.stream import hash_range
from dataaudit.corpus.tables import Rows, column_of, documents

_STEP_BYTES = 16 << 20
_STEP_ROWS = 1024
_USUAL_DICTIONARY = 1 << 20
"""Bytes of a dictionary page at which writers stop using one."""


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


def columns(file: CorpusFile, _compression: str | None) -> list[Column]:
    """Returns the columns that the footer names."""
    with _open(file.path) as parquet:
        return columns_of_schema(parquet.schema_arrow)


def cut(file: CorpusFile, _compression: str | None, _options: ReadOptions, target_bytes: int) -> list[Span]:
    """Returns runs of row groups."""
    with _open(file.path) as parquet:
        spans: list[Span] = []
        start = first_row = row = size = 0
        for group in range(parquet.num_row_groups):
            start_byte, stop_byte = _bytes_of(parquet.metadata, group)
            row += parquet.metadata.row_group(group).num_rows
            size += stop_byte - start_byte
            if size >= target_bytes or group == parquet.num_row_groups - 1:
                spans.append(Span(start, group + 1, first_row, size))
                start, first_row, size = group + 1, row, 0
        return spans or [Span(0, 0, 0, 0)]


def _bytes_of(metadata: pq.FileMetaData, group: int) -> tuple[int, int]:
    """Returns where a row group starts and ends in the file."""
    row_group = metadata.row_group(group)
    starts, stops = [], []
    for at in range(row_group.num_columns):
        column = row_group.column(at)
        start = column.data_page_offset
        if column.has_dictionary_page and column.dictionary_page_offset:
            start = min(start, column.dictionary_page_offset)
        starts.append(max(0, start))
        stops.append(starts[-1] + column.total_compressed_size)
    return (min(starts), max(stops)) if starts else (0, 0)


def read(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yields the documents of the piece's row groups; the rows of a damaged one are named and lost."""
    if piece.stop == piece.start:
        tally.digest = hash_range(piece.file.path, 0, 0)
        return
    with _open(piece.file.path) as parquet:
        groups = range(piece.start, piece.stop if piece.stop is not None else parquet.num_row_groups)
        ranges = [_bytes_of(parquet.metadata, group) for group in groups]
        yield from documents(_rows(parquet, piece, options, tally, groups), piece, options, tally)
    start, stop = min(start for start, _ in ranges), max(stop for _, stop in ranges)
    tally.digest = hash_range(piece.file.path, start, stop)


def _rows(parquet: pq.ParquetFile, piece: Piece, options: ReadOptions, tally: Tally, groups: range) -> Iterator[Rows]:
    wanted = {piece.content, piece.id_column, piece.source_column, *options.number_columns}
    names = sorted(name for name in wanted if name is not None)
    first = piece.first_record
    for group in groups:
        total = parquet.metadata.row_group(group).num_rows
        start, stop = _bytes_of(parquet.metadata, group)
        done = 0
        try:
            step = _step(piece.file.path, parquet.metadata, group, names)
            for batch in parquet.iter_batches(step, row_groups=[group], columns=names, use_threads=False):
                yield Rows(first + done, batch.num_rows, batch)
                done += batch.num_rows
        except (OSError, pa.ArrowException) as error:
            reason = f"row group {group} is damaged: {why(error)}"
            tally.damage = tally.damage or f"{reason}; {total - done} of its {total} rows are lost"
            yield Rows(first + done, total - done, None, reason)
        first += total
        tally.bytes_read += stop - start


def _step(path: str, metadata: pq.FileMetaData, group: int, names: list[str]) -> int:
    """Returns how many rows to read at a time so that they hold about 16 MiB.

    A value that stands once in a dictionary, or once in front of others that share its beginning, is written out in
    every row, so a small file can hold very much text: there the largest value counts, not the average.
    """
    row_group = metadata.row_group(group)
    step = _STEP_ROWS
    for column in map(row_group.column, range(row_group.num_columns)):
        if not any(f"{column.path_in_schema}.".startswith(f"{name}.") for name in names):
            continue
        size = column.total_uncompressed_size
        average = size // max(1, row_group.num_rows)
        if column.physical_type != "BYTE_ARRAY":
            bytes_a_row = 8 * column.num_values // max(1, row_group.num_rows)
        elif "DELTA_BYTE_ARRAY" in column.encodings:
            bytes_a_row = size
        elif column.has_dictionary_page and size * _STEP_ROWS > _STEP_BYTES:
            bytes_a_row = max(average, _largest_in_dictionary(path, group, column))
        else:
            bytes_a_row = average
        step = min(step, _STEP_BYTES // max(1, bytes_a_row))
    return max(1, step)


def _largest_in_dictionary(path: str, group: int, column: pq.ColumnChunkMetaData) -> int:
    """Returns the bytes of the largest value in the dictionary of a column."""
    name = column.path_in_schema
    with _open(path, name) as parquet:
        batch = next(parquet.iter_batches(1, row_groups=[group], columns=[name], use_threads=False), None)
    values = column_of(batch, name) if batch is not None else None
    if values is None or not pa.types.is_dictionary(values.type):
        return min(int(column.total_uncompressed_size), _USUAL_DICTIONARY)
    return pc.max(pc.binary_length(values.dictionary)).as_py() or 0
