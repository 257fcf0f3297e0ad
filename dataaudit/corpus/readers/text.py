"""Plain text: a document a file, or a line."""

from collections.abc import Iterator

import pyarrow as pa

from dataaudit.corpus.batches import BatchBuilder
from dataaudit.corpus.columns import Column
from dataaudit.corpus.documents import CorpusFile, Piece, RawBatch, ReadOptions, Tally
from dataaudit.corpus.json_record import FaultyRecordError, Fields, require_utf8
from dataaudit.corpus.lines import joined, line_blocks, lines_of
from dataaudit.corpus.long_records import LongRecord, raw_batches
from dataaudit.corpus.readers import Span
from dataaudit.corpus.spans import cut_lines, whole
from dataaudit.corpus.stream import open_stream


def columns(_file: CorpusFile, _compression: str | None) -> list[Column]:
    """Returns nothing: plain text has no columns."""
    return []


def cut(file: CorpusFile, compression: str | None, options: ReadOptions, target_bytes: int) -> list[Span]:
    """Returns parts that end at line feeds, or the file when it is one document."""
    return cut_lines(file, compression, target_bytes) if options.document_per == "line" else whole(file)


def read(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yields the file as one document, or each of its lines that is not blank."""
    builder = BatchBuilder(piece, options, tally)
    no_numbers = (None,) * len(options.number_columns)
    for record, offset, raw in _documents(piece, options, tally):
        if isinstance(raw, LongRecord):
            if (batch := builder.too_long(record, offset, raw)) is not None:
                yield batch
            continue
        data = raw.removesuffix(b"\r") if options.document_per == "line" else raw
        try:
            fields = Fields(require_utf8(data), None, None, no_numbers, repaired=False)
            batch = builder.add(record, offset, len(data), fields)
        except FaultyRecordError as error:
            batch = builder.fault(record, offset, data, error)
        if batch is not None:
            yield batch
    yield from builder.rest()


def records(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[RawBatch]:
    """Yields the bytes of the file, or its lines that are not blank."""
    found = (data for _, _, data in _documents(piece, options, tally))
    for batch in raw_batches("text_lines" if options.document_per == "line" else "text_file", found):
        tally.records += batch.length
        yield batch


def _documents(
    piece: Piece, options: ReadOptions, tally: Tally
) -> Iterator[tuple[int, int | None, bytes | LongRecord]]:
    """Yields record number, offset and bytes."""
    stream = open_stream(piece, tally)
    offset = stream.offset
    if options.document_per == "file":
        data = joined(stream.chunks, options.max_record_bytes)
        if tally.bytes_read and tally.damage is None:
            yield 1, offset, data
        return
    record = piece.first_record - 1
    for line in lines_of(line_blocks(stream, tally, options.max_record_bytes)):
        record += 1
        size = line.size if isinstance(line, LongRecord) else len(line)
        if isinstance(line, LongRecord) or (line and not line.isspace()):
            yield record, offset, line
        offset = offset + size + 1 if offset is not None else None
