"""What the footer of a Parquet file says about its row groups.

Arrow's own objects for this end the process when the footer is damaged (a C++ exception that nobody catches), so the
few fields that are needed are read here. The footer is a struct in Thrift's compact protocol; the field numbers are
those of ``parquet.thrift`` in apache/parquet-format.
"""

from typing import Any, NamedTuple

import pyarrow as pa

from dataaudit.corpus.location import DamageError

_TAIL = 8
_MOST_ROWS = 1 << 48
_BYTE_ARRAY = 6
_DELTA_BYTE_ARRAY = 7
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS = (4, 5, 6)


class ColumnChunk(NamedTuple):
    """A column of a row group.

    Attributes:
        path: dotted name of the leaf.
        is_bytes: whether its values are byte strings.
        shares_prefixes: whether values are stored as what differs from the one before.
        values: number of values, those of all lists together.
        uncompressed, start, stop: bytes when decompressed, and where it stands in the file.
        dictionary: whether it has a dictionary.
    """

    path: str
    is_bytes: bool
    shares_prefixes: bool
    values: int
    uncompressed: int
    start: int
    stop: int
    dictionary: bool


class RowGroup(NamedTuple):
    """A row group: its rows, its columns, and where it starts and stops in the file."""

    rows: int
    columns: list[ColumnChunk]
    start: int
    stop: int


def row_groups(source: pa.NativeFile) -> list[RowGroup]:
    """Returns the row groups in the order of the file.

    Raises:
        DamageError: the footer is damaged.
    """
    size = source.size()
    source.seek(max(0, size - _TAIL))
    length = int.from_bytes(source.read(_TAIL)[:4], "little")
    if length > size - _TAIL:
        raise DamageError("damaged or incomplete: the footer of the Parquet file is longer than the file")
    source.seek(size - _TAIL - length)
    try:
        return [_row_group(each, size) for each in _Compact(source.read(length)).struct()[4]]
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise DamageError("damaged or incomplete: the footer of the Parquet file cannot be read") from error


def _row_group(fields: dict[int, Any], size: int) -> RowGroup:
    columns = [_column(each[3]) for each in fields[1]]
    start = min((each.start for each in columns), default=0)
    stop = max((each.stop for each in columns), default=0)
    if stop > size or not 0 <= fields[3] < _MOST_ROWS:
        raise ValueError("the row group cannot be as large as that")
    return RowGroup(fields[3], columns, start, stop)


def _column(fields: dict[int, Any]) -> ColumnChunk:
    dictionary = fields.get(11) or 0
    start = min(fields[9], dictionary) if dictionary > 0 else fields[9]
    if min(start, fields[5], fields[6], fields[7]) < 0:
        raise ValueError("a size is negative")
    return ColumnChunk(
        path=b".".join(fields[3]).decode(),
        is_bytes=fields[1] == _BYTE_ARRAY,
        shares_prefixes=_DELTA_BYTE_ARRAY in fields[2],
        values=fields[5],
        uncompressed=fields[6],
        start=start,
        stop=start + fields[7],
        dictionary=dictionary > 0,
    )


class _Compact:
    """Reads Thrift's compact protocol into dicts by field number, lists, numbers and bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def struct(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        field = 0
        while head := self._byte():
            field = field + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            fields[field] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind)
        return fields

    def _value(self, kind: int) -> Any:
        if kind in _INTEGERS:
            return self._integer()
        if kind == _BINARY:
            return self._bytes(self._varint())
        if kind == _STRUCT:
            return self.struct()
        if kind in (_LIST, _SET):
            head = self._byte()
            size = head >> 4 if head >> 4 != 15 else self._varint()
            return [self._value(head & 15) for _ in range(size)]
        if kind == _MAP:
            size = self._varint()
            kinds = self._byte() if size else 0
            return [(self._value(kinds >> 4), self._value(kinds & 15)) for _ in range(size)]
        if kind in (_TRUE, _FALSE, _BYTE):
            return self._byte()
        if kind == _DOUBLE:
            return self._bytes(8)
        raise ValueError(f"type {kind} is unknown")

    def _byte(self) -> int:
        value = self._data[self._at]
        self._at += 1
        return value

    def _bytes(self, count: int) -> bytes:
        value = self._data[self._at : self._at + count]
        if len(value) < count:
            raise IndexError
        self._at += count
        return value

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("a number is too long")

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
