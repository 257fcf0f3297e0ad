"""A JSON array of objects, or objects that span several lines, one after the other."""

from collections.abc import Iterator
from contextlib import closing
from itertools import chain

import pyarrow as pa

from dataaudit.corpus.batches import BatchBuilder
from dataaudit.corpus.columns import Column
from dataaudit.corpus.documents import CorpusFile, Piece, RawBatch, ReadOptions, Shape, Tally
from dataaudit.corpus.json_head import columns_of_json
from dataaudit.corpus.json_record import FaultyRecordError, RecordDecoder, require_utf8
from dataaudit.corpus.json_scan import values
from dataaudit.corpus.long_records import LongRecord, raw_batches
from dataaudit.corpus.readers import Span
from dataaudit.corpus.spans import whole, whole_piece
from dataaudit.corpus.stream import open_stream


def columns(file: CorpusFile, compression: str | None) -> list[Column]:
    """Returns the fields of the first elements."""
    tally = Tally()
    stream = open_stream(whole_piece(file, "json_array", compression), tally)
    with closing(values(stream.chunks, 0, tally)) as found:
        return columns_of_json(value.data for value in found if isinstance(value.data, bytes))


def cut(file: CorpusFile, _compression: str | None, _options: ReadOptions, _target_bytes: int) -> list[Span]:
    """Returns the file as one part."""
    return whole(file, first_record=0)


def read(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yields the documents element by element."""
    decode = RecordDecoder(piece, options.number_columns).decode
    builder = BatchBuilder(piece, options, tally)
    stream = open_stream(piece, tally)
    found = values(stream.chunks, stream.offset or 0, tally, options.max_record_bytes)
    for record, (offset, data) in enumerate(found, piece.first_record):
        at = offset if stream.offset is not None else None
        if isinstance(data, LongRecord):
            if (batch := builder.too_long(record, at, data)) is not None:
                yield batch
            continue
        try:
            if not data.isascii():
                require_utf8(data)
            batch = builder.add(record, at, len(data), decode(data))
        except FaultyRecordError as error:
            batch = builder.fault(record, at, data, error)
        if batch is not None:
            yield batch
    for _ in stream.chunks:
        """The digest covers the bytes after the end or the damage too."""
    yield from builder.rest()


def records(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[RawBatch]:
    """Yields the elements as they are written; the white space between them is not theirs."""
    stream = open_stream(piece, tally)
    head = b""
    while not head.strip() and (more := next(stream.chunks, b"")):
        head += more
    shape: Shape = "array" if head.lstrip().startswith(b"[") else "objects"
    found = values(chain([head], stream.chunks), stream.offset or 0, tally, options.max_record_bytes)
    for batch in raw_batches(shape, (value.data for value in found)):
        tally.records += batch.length
        yield batch
    for _ in stream.chunks:
        """The digest covers the bytes after the end or the damage too."""
