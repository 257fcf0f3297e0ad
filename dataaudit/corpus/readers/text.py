"""Plain text: a document a file, or a line."""

from collections.abc import Iterator

import pyarrow as pa

from dataaudit.corpus.batches import BatchBuilder
from dataaudit.corpus.columns import Column
from dataaudit.corpus.documents import CorpusFile, Piece, ReadOptions, Tally
from dataaudit.corpus.json_record import FaultyRecordError, Fields, require_utf8
from dataaudit.corpus.lines import line_blocks
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
    for record, offset, data in _documents(piece, options, tally):
        try:
            fields = Fields(require_utf8(data), None, None, no_numbers, repaired=False)
            batch = builder.add(record, offset, len(data), fields)
        except FaultyRecordError as error:
            batch = builder.fault(record, offset, data, error)
        if batch is not None:
            yield batch
    yield from builder.rest()


def _documents(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[tuple[int, int | None, bytes]]:
    """Yields record number, offset and bytes."""
    stream = open_stream(piece, tally)
    offset = stream.offset
    if options.document_per == "file":
        data = b"".join(stream.chunks)
        if tally.bytes_read and tally.damage is None:
            yield 1, offset, data
        return
    record = piece.first_record - 1
    for block in line_blocks(stream, tally):
        for line in block.split(b"\n"):
            record += 1
            text = line.removesuffix(b"\r")
            if text and not text.isspace():
                yield record, offset, text
            offset = offset + len(line) + 1 if offset is not None else None
