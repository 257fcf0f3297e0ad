"""JSON lines: an object a line."""

from collections.abc import Iterator
from contextlib import closing

import pyarrow as pa

from dataaudit.corpus.batches import BatchBuilder
from dataaudit.corpus.columns import Column
from dataaudit.corpus.documents import CorpusFile, Piece, RawBatch, ReadOptions, Tally
from dataaudit.corpus.json_head import columns_of_json
from dataaudit.corpus.json_record import FaultyRecordError, RecordDecoder, require_utf8
from dataaudit.corpus.lines import line_blocks, lines_of
from dataaudit.corpus.long_records import LongRecord, raw_batches
from dataaudit.corpus.readers import Span
from dataaudit.corpus.spans import cut_lines, whole_piece
from dataaudit.corpus.stream import is_utf8, open_stream


def columns(file: CorpusFile, compression: str | None) -> list[Column]:
    """Returns the fields of the first records."""
    tally = Tally()
    stream = open_stream(whole_piece(file, "jsonl", compression), tally)
    with closing(line_blocks(stream, tally)) as blocks:
        return columns_of_json(line for line in lines_of(blocks) if isinstance(line, bytes) and line.strip())


def cut(file: CorpusFile, compression: str | None, _options: ReadOptions, target_bytes: int) -> list[Span]:
    """Returns parts that end at line feeds."""
    return cut_lines(file, compression, target_bytes)


def read(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yields the documents of a piece; a line that gives none becomes a fault, and the next line is read."""
    decode = RecordDecoder(piece, options.number_columns).decode
    builder = BatchBuilder(piece, options, tally)
    stream = open_stream(piece, tally)
    offset, step = (stream.offset, 1) if stream.offset is not None else (0, 0)
    record = piece.first_record - 1
    for block in line_blocks(stream, tally, options.max_record_bytes):
        if isinstance(block, LongRecord):
            record += 1
            if (batch := builder.too_long(record, offset if step else None, block)) is not None:
                yield batch
            offset += block.size + 1
            continue
        valid = is_utf8(block)
        for line in block.split(b"\n"):
            record += 1
            if line and not line.isspace():
                at = offset if step else None
                try:
                    if not valid:
                        require_utf8(line)
                    batch = builder.add(record, at, len(line), decode(line))
                except FaultyRecordError as error:
                    batch = builder.fault(record, at, line.removesuffix(b"\r"), error)
                if batch is not None:
                    yield batch
            offset += len(line) + 1
    yield from builder.rest()


def records(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[RawBatch]:
    """Yields the lines that are not blank; a carriage return at the end of one is part of it."""
    for block in line_blocks(open_stream(piece, tally), tally, options.max_record_bytes):
        if isinstance(block, LongRecord):
            tally.records += 1
            yield from raw_batches("lines", [block])
            continue
        lines = [line for line in block.split(b"\n") if line and not line.isspace()]
        tally.records += len(lines)
        yield RawBatch("lines", len(lines), lines)
