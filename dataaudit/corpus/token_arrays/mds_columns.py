"""Columns of MosaicML samples: what an encoding holds, and values out of stored bytes. Pickles are never loaded.

Source: mosaicml-streaming, base/format/mds/encodings.py.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from dataaudit.corpus.columns import IDS_NAMES, TEXT_NAMES, Holds
from dataaudit.corpus.location import DamageError

_SCALARS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64")
_VALUES = {
    8: "uint8", 9: "int8", 16: "uint16", 17: "int16", 18: "float16", 32: "uint32", 33: "int32", 34: "float32",
    64: "uint64", 65: "int64", 66: "float64",
}  # fmt: skip
_SHAPES = ("<u1", "<u2", "<u4", "<u8")


class BadValueError(Exception):
    """A stored value that its encoding does not fit."""


class MdsColumn(NamedTuple):
    """A column of a shard.

    Attributes:
        name: as the shard has it.
        encoding: as the shard has it.
        size: bytes of every value; None where it stands before the sample.
        holds: what it holds, for choosing what to read.
        kind: ``bytes`` as they are, ``ids`` (an array of numbers), ``raw_ids`` (its values alone), or ``number``.
        dtype: of the numbers; None where each array names its own.
    """

    name: str
    encoding: str
    size: int | None
    holds: Holds
    kind: str
    dtype: str | None


def mds_column(name: str, encoding: str, size: int | None, bytes_dtype: str) -> MdsColumn:
    """Returns a column from what the header of a shard says; *bytes_dtype* is that of ids that are stored as bytes.

    Raises:
        DamageError: it is where the text or the ids should be, and is a pickle.
    """
    base, _, rest = encoding.partition(":")
    dtype, _, shape = rest.partition(":")
    if base == "pkl" and name in (*IDS_NAMES, *TEXT_NAMES):
        raise DamageError(f"its column {name!r} is stored as a pickle (pkl), which is never loaded")
    if base == "str":
        return MdsColumn(name, encoding, size, "text", "bytes", None)
    if base == "bytes" and name in IDS_NAMES:
        return MdsColumn(name, encoding, size, "ids", "raw_ids", bytes_dtype)
    if base == "bytes":
        return MdsColumn(name, encoding, size, "text", "bytes", None)
    if base == "ndarray" and "," not in shape and (dtype in _SCALARS or not dtype):
        is_flat = bool(dtype) and bool(shape)
        return MdsColumn(name, encoding, size, "ids", "raw_ids" if is_flat else "ids", dtype or None)
    if base in _SCALARS or base == "int":
        return MdsColumn(name, encoding, size, "number", "number", "int64" if base == "int" else base)
    return MdsColumn(name, encoding, size, "other", "bytes", None)


def value_of(column: MdsColumn, data: bytes) -> "bytes | np.ndarray[Any, Any]":
    """Returns a value from its bytes.

    Raises:
        BadValueError: the encoding does not fit.
    """
    if column.kind == "bytes":
        return data
    if column.kind in ("raw_ids", "number"):
        assert column.dtype is not None
        return _numbers(data, column.dtype, column.name)
    dtype = column.dtype
    if dtype is None:
        dtype = _VALUES.get(data[0]) if data else None
        data = data[1:]
        if dtype is None:
            raise BadValueError(f"column {column.name!r} names an unknown type of numbers")
    if not data or data[0] >> 2 != 1:
        raise BadValueError(
            f"column {column.name!r} holds an array of {data[0] >> 2 if data else 0} dimensions, not of 1"
        )
    shape = np.dtype(_SHAPES[data[0] & 3])
    if len(data) < 1 + shape.itemsize:
        raise BadValueError(f"column {column.name!r} ends inside the length of its array")
    count = int(np.frombuffer(data, shape, 1, 1)[0])
    values = _numbers(data[1 + shape.itemsize :], dtype, column.name)
    if len(values) != count:
        raise BadValueError(f"column {column.name!r} holds {len(values):,} numbers and says {count:,}")
    return values if column.dtype is not None else _as_int64(values, column.name)


def _as_int64(values: "np.ndarray[Any, Any]", name: str) -> "np.ndarray[Any, Any]":
    """Returns whole numbers of any type as the one type that a column of a table has."""
    if values.dtype.kind not in "iu" or (values.dtype == np.uint64 and len(values) and int(values.max()) >= 1 << 63):
        raise BadValueError(f"column {name!r} holds {values.dtype.name} that int64 does not hold")
    return values.astype(np.int64)


def _numbers(data: bytes, dtype: str, name: str) -> "np.ndarray[Any, Any]":
    kind = np.dtype(dtype).newbyteorder("<")
    if len(data) % kind.itemsize:
        raise BadValueError(f"column {name!r} has {len(data):,} bytes, which is no multiple of {kind.itemsize}")
    values: np.ndarray[Any, Any] = np.frombuffer(data, kind)
    return values.astype(kind.newbyteorder("="), copy=False)


def array_of(column: MdsColumn, values: "Sequence[bytes | np.ndarray[Any, Any]]") -> pa.Array:
    """Returns the values of a column as an array: bytes, numbers, or lists of numbers."""
    if column.kind == "bytes":
        return pa.array(list(values), pa.large_binary())
    arrays = [each for each in values if isinstance(each, np.ndarray)]
    joined = np.concatenate(arrays) if arrays else np.zeros(0, np.int64)
    if column.kind == "number":
        return pa.array(joined)
    offsets = np.concatenate(([0], np.cumsum([len(each) for each in arrays], dtype=np.int64)))
    return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(joined))
