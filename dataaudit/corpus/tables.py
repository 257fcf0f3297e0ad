"""Arrow record batches of any shape in, batches of documents out."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from dataaudit.corpus.batches import batch_schema
from dataaudit.corpus.columns import holds_of_type, is_list, is_texts
from dataaudit.corpus.documents import IDS_FIELD, SIDE_FIELDS, TEXT_FIELD, Fault, FaultKind, Piece, ReadOptions, Tally
from dataaudit.corpus.json_record import as_name
from dataaudit.corpus.token_values import whole_numbers, wrong_id

_UNKNOWN_LENGTH = 64 << 10
"""Bytes that a value is taken to hold where Arrow cannot tell it cheaply."""


class Rows(NamedTuple):
    """Rows of a table, or a number of rows that cannot be read.

    Attributes:
        first: index of the first row in the file.
        length: number of rows.
        batch: the rows; None when they are lost.
        reason: why they are lost.
    """

    first: int
    length: int
    batch: pa.RecordBatch | None
    reason: str = ""


def documents(rows: Iterable[Rows], piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yields the documents of tables in batches of about ``options.batch_bytes``; other rows become faults."""
    schema = batch_schema(piece, options)
    pending: list[pa.RecordBatch] = []
    size = count = 0
    for part in (part for each in rows for part in _parts(each, piece, options)):
        batch = _convert(part, piece, options, tally, schema)
        full = size + batch.nbytes > options.batch_bytes or count + batch.num_rows > options.batch_rows
        if (count and full) or len(tally.faults) >= options.batch_rows:
            yield _joined(pending, schema)
            pending, size, count = [], 0, 0
        pending.append(batch)
        size += batch.nbytes
        count += batch.num_rows
    if count or tally.faults:
        yield _joined(pending, schema)


def _joined(batches: list[pa.RecordBatch], schema: pa.Schema) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    table = pa.Table.from_batches(batches, schema).combine_chunks()
    return table.to_batches()[0] if len(table) else pa.RecordBatch.from_pylist([], schema)


def _parts(rows: Rows, piece: Piece, options: ReadOptions) -> Iterator[Rows]:
    """Yields runs of rows that fit into a batch when they are decoded: dictionaries and views repeat large values."""
    batch = rows.batch
    if batch is None:
        for start in range(0, rows.length, options.batch_rows):
            yield Rows(rows.first + start, min(options.batch_rows, rows.length - start), None, rows.reason)
        return
    lengths = pa.repeat(pa.scalar(0, pa.int64()), rows.length)
    for name in (piece.content, piece.id_column, piece.source_column):
        column = column_of(batch, name)
        if column is not None:
            lengths = pc.add(lengths, _lengths(column))
    ends = pc.cumulative_sum(lengths).to_pylist()
    start = 0
    while start < rows.length:
        limit = (ends[start - 1] if start else 0) + options.batch_bytes
        stop = min(max(bisect_right(ends, limit), start + 1), start + options.batch_rows, rows.length)
        yield Rows(rows.first + start, stop - start, batch.slice(start, stop - start))
        start = stop


def _lengths(column: pa.Array) -> pa.Int64Array:
    """Returns about how many bytes each value holds when it is decoded."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        lengths = _lengths(column.dictionary).take(column.indices)
    elif is_texts(kind) and kind not in (pa.string_view(), pa.binary_view()):
        lengths = pc.binary_length(column)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        lengths = pc.multiply(pc.list_value_length(column), 8)
    else:
        size = 8 if pa.types.is_primitive(kind) or pa.types.is_null(kind) else _UNKNOWN_LENGTH
        return pa.repeat(pa.scalar(size, pa.int64()), len(column))
    return pc.fill_null(lengths.cast(pa.int64()), 0)


def column_of(batch: pa.RecordBatch, name: str | None) -> pa.Array | None:
    """Returns a column by its name as it is written, else by its dotted path; None when there is none."""
    if name is None:
        return None
    if whole := batch.schema.get_all_field_indices(name):
        return _plain(batch.column(whole[0]))
    first, *others = name.split(".")
    found = batch.schema.get_all_field_indices(first)
    column = _plain(batch.column(found[0])) if found else None
    for part in others:
        if column is None or not pa.types.is_struct(column.type) or column.type.get_field_index(part) < 0:
            return None
        column = _plain(pc.struct_field(column, part))
    return column


def _plain(column: pa.Array) -> pa.Array:
    return column.storage if isinstance(column, pa.ExtensionArray) else column


def check_buffers(batch: pa.RecordBatch, names: Iterable[str | None]) -> None:
    """Makes sure that no offset or index leads out of a buffer. Whether texts are UTF-8 is looked at row by row later.

    Raises:
        ArrowInvalid: one does.
    """
    batch.validate()
    for name in names:
        column = column_of(batch, name)
        if column is not None:
            _check(column)


def check_all_buffers(batch: pa.RecordBatch) -> None:
    """Makes sure, for every column, that no offset or index leads out of a buffer.

    Raises:
        ArrowInvalid: one does.
    """
    batch.validate()
    for column in batch.columns:
        _check(_plain(column))


def _check(column: pa.Array) -> None:
    if pa.types.is_dictionary(column.type):
        _check(column.dictionary)
        ends = pc.min_max(column.indices).as_py()
        if ends["max"] is not None and not 0 <= ends["min"] <= ends["max"] < len(column.dictionary):
            raise pa.ArrowInvalid("an index leads out of the dictionary")
    elif pa.types.is_struct(column.type):
        for at in range(column.type.num_fields):
            _check(_plain(column.field(at)))
    elif pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column.cast(pa.large_binary()).validate(full=True)
    else:
        column.validate(full=True)


def _convert(rows: Rows, piece: Piece, options: ReadOptions, tally: Tally, schema: pa.Schema) -> pa.RecordBatch:
    faults: dict[int, tuple[FaultKind, str]] = {}
    if rows.batch is None:
        content = pa.nulls(rows.length, schema.field(6).type)
        faults = dict.fromkeys(range(rows.length), ("unreadable", rows.reason))
    else:
        content = _content(rows.batch, piece, faults)
    for at, (kind, reason) in sorted(faults.items()):
        tally.faults.append(Fault(kind, tally.records + at, rows.first + at, None, reason, b""))
    columns = [
        pa.array(range(tally.records, tally.records + rows.length)),
        pa.array(range(rows.first, rows.first + rows.length)),
        pa.nulls(rows.length, pa.int64()),
        _names(rows.batch, piece.id_column, rows.length),
        _names(rows.batch, piece.source_column, rows.length),
        pa.repeat(False, rows.length),
        content,
        *(_side(rows.batch, name, rows.length) for name in piece.side_columns),
        *(_floats(rows.batch, name, rows.length) for name in options.number_columns),
    ]
    tally.records += rows.length
    if faults:
        keep = pa.array([at not in faults for at in range(rows.length)])
        columns = [column.filter(keep) for column in columns]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _content(batch: pa.RecordBatch, piece: Piece, faults: dict[int, tuple[FaultKind, str]]) -> pa.Array:
    """Returns the content with null for each row that becomes a fault."""
    column = column_of(batch, piece.content)
    wanted = TEXT_FIELD.type if piece.kind == "text" else IDS_FIELD.type
    if column is None:
        return _none(batch.num_rows, wanted, f"there is no column {piece.content!r}", faults)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    fits = is_texts(column.type) if piece.kind == "text" else holds_of_type(column.type) == "ids"
    if not fits and not pa.types.is_null(column.type):
        expected = "text" if piece.kind == "text" else "lists of whole numbers"
        reason = f"column {piece.content!r} holds {column.type}, not {expected}"
        return _none(batch.num_rows, wanted, reason, faults)
    content = _texts(column, faults) if piece.kind == "text" else _ids(column, faults)
    for at in pc.indices_nonzero(content.is_null()).to_pylist():
        faults.setdefault(at, ("without_text", f"column {piece.content!r} holds null"))
    return content


def _none(count: int, kind: pa.DataType, reason: str, faults: dict[int, tuple[FaultKind, str]]) -> pa.Array:
    faults.update(dict.fromkeys(range(count), ("without_text", reason)))
    return pa.nulls(count, kind)


def _texts(column: pa.Array, faults: dict[int, tuple[FaultKind, str]]) -> pa.Array:
    """Returns large strings that are valid UTF-8: Arrow itself does not look."""
    data = column.cast(pa.large_binary())
    try:
        return data.cast(pa.large_string())
    except pa.ArrowInvalid:
        texts: list[str | None] = []
        for at, value in enumerate(data):
            raw = value.as_py()
            try:
                texts.append(None if raw is None else raw.decode())
            except UnicodeDecodeError as error:
                texts.append(None)
                faults[at] = ("unreadable", f"not valid UTF-8: byte 0x{raw[error.start]:02x} at byte {error.start + 1}")
        return pa.array(texts, pa.large_string())


def _ids(column: pa.Array, faults: dict[int, tuple[FaultKind, str]]) -> pa.Array:
    """Returns lists of int64; a list with a null, a float or a number over 64 bits gives no document."""
    is_whole = pa.types.is_integer(column.type.value_type) if is_list(column.type) else True
    views = pa.types.is_list_view(column.type) or pa.types.is_large_list_view(column.type)
    if is_list(column.type) and is_whole and not views and column.flatten().null_count == 0:
        try:
            return column.cast(pa.large_list(pa.int64()))
        except pa.ArrowInvalid:
            """A number is too large: look at each list."""
    lists: list[list[int] | None] = []
    for at, value in enumerate(column.to_pylist()):
        wrong = None if value is None else wrong_id(value)
        lists.append(value if wrong is None else None)
        if wrong is not None:
            faults[at] = ("without_text", wrong)
    return pa.array(lists, pa.large_list(pa.int64()))


def _side(batch: pa.RecordBatch | None, name: str, count: int) -> pa.Array:
    """Returns the lists beside the token ids as int64, null where a row has no list of whole numbers."""
    wanted = SIDE_FIELDS[name].type
    column = column_of(batch, name) if batch is not None else None
    if column is None or not is_list(column.type):
        return pa.nulls(count, wanted)
    views = pa.types.is_list_view(column.type) or pa.types.is_large_list_view(column.type)
    if not views and column.flatten().null_count == 0:
        try:
            return column.cast(wanted)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            """Some number is none that an int64 holds: look at each list."""
    return pa.array([None if value is None else whole_numbers(value) for value in column.to_pylist()], wanted)


def _names(batch: pa.RecordBatch | None, name: str | None, count: int) -> pa.Array:
    """Returns ids or sources as text."""
    column = column_of(batch, name) if batch is not None else None
    if column is None:
        return pa.nulls(count, pa.large_string())
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_integer(column.type) or pa.types.is_null(column.type):
        return column.cast(pa.large_string())
    if is_texts(column.type):
        data = column.cast(pa.large_binary())
        try:
            return data.cast(pa.large_string())
        except pa.ArrowInvalid:
            texts = [None if raw is None else raw.decode("utf-8", "backslashreplace") for raw in data.to_pylist()]
            return pa.array(texts, pa.large_string())
    return pa.array([_name(value) for value in column.to_pylist()], pa.large_string())


def _name(value: Any) -> str | None:
    return as_name(value) if value is None or isinstance(value, bool | int | float | list | dict) else str(value)


def _floats(batch: pa.RecordBatch | None, name: str, count: int) -> pa.Array:
    """Returns finite numbers, null where there is none."""
    column = column_of(batch, name) if batch is not None else None
    if column is None or holds_of_type(column.type) != "number":
        return pa.nulls(count, pa.float64())
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    values = column.cast(pa.float64(), safe=False)
    return pc.if_else(pc.is_finite(values), values, pa.scalar(None, pa.float64()))
