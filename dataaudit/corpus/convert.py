"""Records of any shape in, JSON lines out, and fields put in beside those of a record."""

import base64
import csv
import io
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dataaudit.corpus.columns import is_list, is_texts
from dataaudit.corpus.documents import CsvHeader, Piece, Places, RawBatch
from dataaudit.corpus.json_record import FaultyRecordError, Fields, RecordDecoder
from dataaudit.corpus.tables import column_of

_JSON = ("lines", "array", "objects")
_ENCODER = msgspec.json.Encoder()


def select(batch: RawBatch, rows: Any) -> RawBatch:
    """Returns the records at these places (an int array or a list) of a batch that is not lost."""
    places = [int(row) for row in rows]
    if isinstance(batch.records, pa.RecordBatch):
        whole = len(places) == batch.length
        records = batch.records if whole else batch.records.take(pa.array(places, pa.int64()))
    else:
        assert batch.records is not None
        records = [batch.records[row] for row in places]
    found = batch.places and Places(*(each[places] for each in batch.places))
    return batch._replace(length=len(places), records=records, places=found)


def sizes(batch: RawBatch, content: str | None) -> list[int]:
    """Returns the bytes of each record as it stands in the file; in tables those of its text or token ids."""
    if not isinstance(batch.records, pa.RecordBatch):
        return [len(record) for record in batch.records or ()]
    column = column_of(batch.records, content)
    if column is None:
        return [0] * batch.length
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if is_texts(column.type):
        lengths = pc.binary_length(column.cast(pa.large_binary()))
    elif is_list(column.type):
        lengths = pc.multiply(pc.list_value_length(column).cast(pa.int64()), _id_bytes(column.type))
    else:
        return [0] * batch.length
    counts: list[int] = pc.fill_null(lengths, 0).to_pylist()
    return counts


def _id_bytes(kind: pa.DataType) -> int:
    """Returns the bytes of a value of a list; 8 where their size is not fixed."""
    try:
        return max(1, int(kind.value_type.bit_width) // 8)
    except ValueError:
        return 8


def lengths(batch: RawBatch, content: str | None) -> NDArray[np.int64] | None:
    """Returns the token ids of each row of a table, 0 for a null; None when the records are no rows of ids."""
    column = column_of(batch.records, content) if isinstance(batch.records, pa.RecordBatch) else None
    if column is None or not is_list(column.type):
        return None
    counts: NDArray[np.int64] = pc.fill_null(pc.list_value_length(column).cast(pa.int64()), 0).to_numpy(False)
    return counts


def as_lines(batch: RawBatch) -> RawBatch:
    """Returns the records as JSON objects of one line each; JSON stays as it is written but for its line feeds."""
    if batch.shape in _JSON:
        assert batch.records is not None
        lines = [record.strip().replace(b"\r", b" ").replace(b"\n", b" ") for record in batch.records]
    else:
        lines = [_ENCODER.encode(record) for record in objects(batch)]
    return RawBatch("lines", batch.length, lines)


def objects(batch: RawBatch) -> list[dict[str, Any]]:
    """Returns the records of a batch of CSV, plain text or a table as dicts of what JSON can hold."""
    assert batch.records is not None
    if isinstance(batch.records, pa.RecordBatch):
        return [_plain(row) for row in batch.records.to_pylist()]
    if batch.shape == "csv":
        assert batch.header is not None
        return [_row(record, batch.header) for record in batch.records]
    return [
        {"text": _text(record.removesuffix(b"\r") if batch.shape == "text_lines" else record)}
        for record in batch.records
    ]


def texts(batch: RawBatch, piece: Piece) -> list[str | None]:
    """Returns the text of each record, as ``read_piece`` gives it; None where a record has none."""
    if piece.kind == "ids":
        return [None] * batch.length
    if isinstance(batch.records, pa.RecordBatch):
        column = column_of(batch.records, piece.content)
        if column is None or not is_texts(column.type):
            return [None] * batch.length
        return [value if value is None else _text(value) for value in column.cast(pa.large_binary()).to_pylist()]
    assert batch.records is not None
    if batch.shape in _JSON:
        decode = RecordDecoder(piece, ()).decode
        return [_content(decode, record) for record in batch.records]
    return [record.get(piece.content or "text") for record in objects(batch)]


def _content(decode: Callable[[bytes], Fields], record: bytes) -> str | None:
    try:
        content = decode(record).content
    except FaultyRecordError:
        return None
    return content if isinstance(content, str) else None


def put_in(batch: RawBatch, fields: Sequence[dict[str, Any]], columns: dict[str, pa.Array]) -> RawBatch:
    """Returns records with more fields: *fields* a record where they are bytes, *columns* in a table.

    What is there stays as it is written. CSV and plain text become JSON lines. A column that a table has already is
    replaced; in JSON the later of two equal names counts.
    """
    if isinstance(batch.records, pa.RecordBatch):
        table = batch.records
        for name, column in columns.items():
            at = table.schema.get_field_index(name)
            field = pa.field(name, column.type)
            table = table.append_column(field, column) if at < 0 else table.set_column(at, field, column)
        return batch._replace(records=table)
    if batch.shape in _JSON:
        assert batch.records is not None
        pairs = zip(batch.records, fields, strict=True)
        return batch._replace(records=[_spliced(record, more) for record, more in pairs])
    pairs = zip(objects(batch), fields, strict=True)
    return RawBatch("lines", batch.length, [_ENCODER.encode({**record, **more}) for record, more in pairs])


def _spliced(record: bytes, more: dict[str, Any]) -> bytes:
    """Puts fields in before the closing brace of an object; the end of the line stays what it was."""
    body = record.rstrip()
    end = record[len(body) :]
    inner = body[:-1].rstrip()
    comma = b"" if inner.endswith(b"{") else b", "
    return b"".join((inner, comma, _ENCODER.encode(more)[1:], end))


def _row(record: bytes, header: CsvHeader) -> dict[str, Any]:
    cells = next(csv.reader(io.StringIO(_text(record), newline=""), delimiter=header.delimiter), [])
    row: dict[str, Any] = {}
    for name, cell in zip(header.names, cells, strict=False):
        unique, number = name, 2
        while unique in row:
            unique, number = f"{name}_{number}", number + 1
        row[unique] = cell
    return row


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _plain(value: Any) -> Any:
    """Returns a value with bytes as text, or as base64 where they are none."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return base64.b64encode(value).decode()
    return value
