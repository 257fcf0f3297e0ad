"""Documents one by one in, record batches out."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from dataaudit.corpus.documents import (
    DOCUMENT_FIELDS,
    RAW_LIMIT,
    SIDE_FIELDS,
    TEXT_FIELD,
    Fault,
    Piece,
    ReadOptions,
    Tally,
)
from dataaudit.corpus.json_record import FaultyRecordError, Fields
from dataaudit.corpus.long_records import LongRecord
from dataaudit.errors import ReadError


def batch_schema(piece: Piece, options: ReadOptions) -> pa.Schema:
    """Returns the schema of the batches of a piece.

    Raises:
        ReadError: a number column has the name of a column that every batch has.
    """
    ids = pa.field("input_ids", pa.large_list(pa.from_numpy_dtype(ids_dtype(piece))), nullable=False)
    fields = [*DOCUMENT_FIELDS, TEXT_FIELD if piece.kind == "text" else ids]
    fields += [SIDE_FIELDS[name] for name in piece.side_columns]
    names = [field.name for field in fields]
    for name in options.number_columns:
        if name in names:
            raise ReadError(f"the number column {name!r} cannot be read: dataaudit uses this name itself. Rename it.")
        fields.append(pa.field(name, pa.float64()))
    return pa.schema(fields)


def ids_dtype(piece: Piece) -> type[np.uint16] | type[np.uint32] | type[np.int64]:
    """Returns the type that the ids of a piece are given in: int64 unless its file can hold nothing that wide."""
    dtype = np.dtype(piece.layout.dtype) if piece.layout is not None else np.dtype(np.int64)
    if dtype.kind != "u" or dtype.itemsize > 4:
        return np.int64
    return np.uint16 if dtype.itemsize <= 2 else np.uint32


class BatchBuilder:
    """Collects documents and faults, numbers them, and gives batches of about ``options.batch_bytes``.

    Whatever is added may make room by giving a batch, which does not hold what was just added. A batch may be empty: it
    lets the caller take out the faults.
    """

    def __init__(self, piece: Piece, options: ReadOptions, tally: Tally) -> None:
        self._schema = batch_schema(piece, options)
        self._options = options
        self._tally = tally
        self._sides = len(piece.side_columns)
        self._clear()

    def _clear(self) -> None:
        self._bytes = 0
        self._rows: list[int] = []
        self._records: list[int] = []
        self._offsets: list[int | None] = []
        self._fields: list[Fields] = []

    def add(self, record: int, offset: int | None, size: int, fields: Fields) -> pa.RecordBatch | None:
        """Adds a document of about *size* bytes."""
        rows = len(self._rows)
        full = rows and (rows >= self._options.batch_rows or self._bytes + size > self._options.batch_bytes)
        batch = self.take() if full else None
        self._rows.append(self._tally.records)
        self._records.append(record)
        self._offsets.append(offset)
        self._fields.append(fields)
        self._bytes += size
        self._tally.records += 1
        return batch

    def too_long(self, record: int, offset: int | None, found: LongRecord) -> pa.RecordBatch | None:
        """Adds a record that was read past."""
        return self.fault(record, offset, found.head, found.error())

    def fault(self, record: int, offset: int | None, raw: bytes, error: FaultyRecordError) -> pa.RecordBatch | None:
        """Adds a record that gives no document."""
        batch = self.take() if len(self._tally.faults) >= self._options.batch_rows else None
        self._tally.faults.append(
            Fault(error.kind, self._tally.records, record, offset, error.reason, bytes(raw[:RAW_LIMIT]))
        )
        self._tally.records += 1
        return batch

    def take(self) -> pa.RecordBatch:
        """Returns what is there as a batch."""
        fields = self._fields
        columns: list[list[Any]] = [
            self._rows,
            self._records,
            self._offsets,
            [each.id for each in fields],
            [each.source for each in fields],
            [each.repaired for each in fields],
            [each.content for each in fields],
            *([each.side[at] for each in fields] for at in range(self._sides)),
            *([each.numbers[at] for each in fields] for at in range(len(self._options.number_columns))),
        ]
        self._clear()
        arrays = [pa.array(column, field.type) for column, field in zip(columns, self._schema, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def rest(self) -> Iterator[pa.RecordBatch]:
        """Yields the last batch, if there is one."""
        if self._rows or self._tally.faults:
            yield self.take()
