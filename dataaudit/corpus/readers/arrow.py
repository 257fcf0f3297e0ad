"""Arrow IPC: files and streams, also those of ``datasets``."""

from collections.abc import Iterator

import pyarrow as pa

from dataaudit.corpus.columns import Column, columns_of_schema
from dataaudit.corpus.documents import CorpusFile, Piece, RawBatch, ReadOptions, Shape, Tally
from dataaudit.corpus.location import ARROW_ERRORS, is_local, open_for_arrow, why
from dataaudit.corpus.readers import Span
from dataaudit.corpus.spans import whole
from dataaudit.corpus.stream import hash_range
from dataaudit.corpus.tables import Rows, check_all_buffers, check_buffers, documents

_MAGIC = b"ARROW1\0\0"


def _is_file(source: pa.NativeFile) -> bool:
    head = source.read(len(_MAGIC))
    source.seek(0)
    return bool(head == _MAGIC)


def columns(file: CorpusFile, _compression: str | None) -> list[Column]:
    """Returns the columns of the schema."""
    with open_for_arrow(file.path, mapped=True) as source:
        reader = pa.ipc.open_file(source) if _is_file(source) else pa.ipc.open_stream(source)
        return columns_of_schema(reader.schema)


def cut(file: CorpusFile, _compression: str | None, _options: ReadOptions, target_bytes: int) -> list[Span]:
    """Returns runs of record batches for a local file; a stream, or a file behind an address, stays whole."""
    with open_for_arrow(file.path, mapped=True) as source:
        if not is_local(file.path) or (file.size or 0) <= target_bytes or not _is_file(source):
            return whole(file, first_record=0)
        bounds = _batch_bounds(source)
        rows = _row_counts(source)
        if len(bounds) != len(rows) + 1:
            return whole(file, first_record=0)
    spans: list[Span] = []
    start = first_row = row = 0
    for at, count in enumerate(rows):
        row += count
        size = bounds[at + 1] - bounds[start]
        if size >= target_bytes or at == len(rows) - 1:
            spans.append(Span(start, at + 1, first_row, size))
            start, first_row = at + 1, row
    return spans or whole(file, first_record=0)


def _batch_bounds(source: pa.NativeFile) -> list[int]:
    """Returns the byte at which the first record batch of a file starts, and the byte at which each ends."""
    source.seek(len(_MAGIC))
    messages = pa.ipc.MessageReader.open_stream(source)
    ends: list[int] = []
    start = source.tell()
    for message in messages:
        if message.type == "record batch":
            ends.append(source.tell())
        elif not ends:
            start = source.tell()
    source.seek(0)
    return [start, *ends]


def _row_counts(source: pa.NativeFile) -> list[int]:
    """Returns the rows of each record batch; only one column is decoded, a narrow one if there is one."""
    schema = pa.ipc.open_file(source).schema
    narrow = next((at for at, each in enumerate(schema) if pa.types.is_primitive(each.type)), 0)
    reader = pa.ipc.open_file(source, options=pa.ipc.IpcReadOptions(included_fields=[narrow]))
    return [reader.get_batch(at).num_rows for at in range(reader.num_record_batches)]


def read(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yields the documents of the piece's record batches, up to the first damage."""
    if piece.stop != piece.start:
        with open_for_arrow(piece.file.path, mapped=True) as source:
            batches = _from_file(source, piece) if _is_file(source) else _from_stream(source)
            yield from documents(_checked(batches, piece, options, tally), piece, options, tally)
    _hash(piece, tally)


def records(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[RawBatch]:
    """Yields the rows with all their columns. Damage in a column that ``read`` does not look at costs rows here."""
    if piece.stop != piece.start:
        with open_for_arrow(piece.file.path, mapped=True) as source:
            shape: Shape = "arrow_file" if _is_file(source) else "arrow_stream"
            batches = _from_file(source, piece) if shape == "arrow_file" else _from_stream(source)
            for rows in _checked(batches, piece, options, tally):
                tally.records += rows.length
                assert rows.batch is not None
                try:
                    check_all_buffers(rows.batch)
                except ARROW_ERRORS as error:
                    reason = f"the rows from {rows.first} on are damaged in a column that was not read: {why(error)}"
                    yield RawBatch(shape, rows.length, None, reason)
                    continue
                yield RawBatch(shape, rows.length, rows.batch)
    _hash(piece, tally)


def _hash(piece: Piece, tally: Tally) -> None:
    start, stop = (0, piece.stop if piece.stop == piece.start else None)
    if piece.stop is not None and piece.stop != piece.start:
        with open_for_arrow(piece.file.path, mapped=True) as source:
            bounds = _batch_bounds(source)
        start, stop = bounds[piece.start], bounds[piece.stop]
    tally.digest = hash_range(piece.file.path, start, stop)
    tally.bytes_read = piece.size


def _from_file(source: pa.NativeFile, piece: Piece) -> Iterator[pa.RecordBatch]:
    reader = pa.ipc.open_file(source)
    stop = reader.num_record_batches if piece.stop is None else piece.stop
    return (reader.get_batch(at) for at in range(piece.start, stop))


def _from_stream(source: pa.NativeFile) -> Iterator[pa.RecordBatch]:
    return iter(pa.ipc.open_stream(source))


def _checked(batches: Iterator[pa.RecordBatch], piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[Rows]:
    """Yields rows whose buffers are sound: Arrow trusts offsets that it finds in a file."""
    first = piece.first_record
    columns = [piece.content, piece.id_column, piece.source_column, *piece.side_columns, *options.number_columns]
    number = piece.start
    try:
        for batch in batches:
            check_buffers(batch, columns)
            yield Rows(first, batch.num_rows, batch)
            first += batch.num_rows
            number += 1
            tally.bytes_read = min(piece.size, tally.bytes_read + batch.nbytes)
    except ARROW_ERRORS as error:
        tally.damage = f"record batch {number} (from row {first}) is damaged or ends early: {why(error)}"
