"""Columns of token ids, and of labels and attention masks beside them, as the signals take them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from dataaudit.corpus.columns import is_list
from dataaudit.corpus.token_values import whole_numbers, wrong_id
from dataaudit.errors import UsageError
from dataaudit.integrations.columns import Batch, column_of
from dataaudit.signals import Lists

LISTS = pa.large_list(pa.int64())


def token_lists(batch: Batch, name: str, what: str) -> Lists:
    """Returns the token ids of each document; *what* says in an error what the column was wanted for.

    A document whose list is missing, or holds something that is no whole number of 64 bits, is among the missing.

    Raises:
        UsageError: there is no such column, or it holds no lists.
    """

    def checked(values: list[Any]) -> list[int] | None:
        return values if wrong_id(values) is None else None

    return _lists(column_of(batch, name, what), name, checked)


def side_lists(batch: Batch, name: str, what: str) -> Lists:
    """Returns the labels or the mask of each document, as ``token_lists``; floats that are whole count as such."""
    return _lists(column_of(batch, name, what), name, whole_numbers)


def _lists(values: Any, name: str, checked: Callable[[list[Any]], list[int] | None]) -> Lists:
    array = _as_arrow(values)
    if array is not None and pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if array is None or not _is_plain(array):
        rows = _rows(values) if array is None else array.to_pylist()
        array = pa.array([_checked(row, name, checked) for row in rows], LISTS)
    array = array.cast(LISTS)
    missing = array.is_null().to_numpy(zero_copy_only=False)
    filled = array.fill_null([]) if missing.any() else array
    offsets = filled.offsets.to_numpy().astype(np.int64)
    return Lists(filled.values.to_numpy()[offsets[0] : offsets[-1]].copy(), offsets - offsets[0], missing)


def _as_arrow(values: Any) -> pa.Array | None:
    """Returns the column as one Arrow array, or None where its values have no type in common."""
    if isinstance(values, pa.ChunkedArray):
        return values.combine_chunks()
    if isinstance(values, pa.Array):
        return values
    try:
        return pa.array(_rows(values))
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return None


def _rows(values: Any) -> list[Any]:
    """Returns the rows as Python lists, whatever format ``datasets`` gives them in."""
    return [row.tolist() if hasattr(row, "tolist") else row for row in values]


def _is_plain(array: pa.Array) -> bool:
    """Says whether every value of every list is a whole number that 64 bits hold, from the types alone."""
    if not is_list(array.type):
        return bool(pa.types.is_null(array.type))
    if pa.types.is_list_view(array.type) or pa.types.is_large_list_view(array.type):
        return False
    kind = array.type.value_type
    fits = pa.types.is_null(kind) or (pa.types.is_integer(kind) and not pa.types.is_uint64(kind))
    return bool(fits and array.flatten().null_count == 0)


def _checked(row: Any, name: str, checked: Callable[[list[Any]], list[int] | None]) -> list[int] | None:
    if row is None:
        return None
    if not isinstance(row, list):
        raise UsageError(f"the column {name!r} holds {type(row).__name__}, not lists of whole numbers. Name another.")
    return checked(row)
