"""Batches of ``datasets`` as Arrow columns, and columns as the batches that ``datasets`` takes back."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dataaudit.errors import UsageError, suggestion

Batch: TypeAlias = Any
"""What ``datasets`` hands to a function: a mapping of columns, or a table when the format is "arrow"."""


class TypedColumn(list[Any]):
    """A list that remembers its Arrow type.

    ``datasets`` takes the type of a column from its first batch. Without this, a first batch without reasons would make
    them a list of nulls, and the first document with a reason would be an error.
    """

    def __init__(self, values: pa.Array) -> None:
        super().__init__(values.to_pylist())
        self.arrow = values

    def __arrow_array__(self, type: pa.DataType | None = None) -> pa.Array:  # noqa: A002 - pyarrow's name
        """Returns the column as Arrow; pyarrow asks for it."""
        return self.arrow if type is None else self.arrow.cast(type)


def names_of(batch: Batch) -> list[str]:
    """Returns the names of a batch's columns."""
    return list(batch.column_names) if isinstance(batch, pa.Table) else list(batch.keys())


def column_of(batch: Batch, name: str, what: str) -> Any:
    """Returns a column as the batch holds it; *what* says in the error what it was wanted for.

    A dotted name is a field of a nested column, unless the batch has a column of just that name.

    Raises:
        UsageError: the batch has no such column.
    """
    names = names_of(batch)
    first, *fields = [name] if name in names else name.split(".")
    if first not in names:
        near = suggestion(name, names)
        raise UsageError(f"the dataset has no column {name!r} for {what}.{near} Its columns: {', '.join(names)}.")
    found = batch.column(first) if isinstance(batch, pa.Table) else batch[first]
    for field in fields:
        found = _field(found, field, name, what)
    return found


def _field(values: Any, field: str, name: str, what: str) -> Any:
    """Returns a field of nested values, null where the value around it is."""
    if not isinstance(values, pa.Array | pa.ChunkedArray):
        if not all(row is None or (isinstance(row, Mapping) and field in row) for row in values):
            raise UsageError(
                f"the dataset has no column {name!r} for {what}: {field!r} is no field of what is above it."
            )
        return [None if row is None else row[field] for row in values]
    if not pa.types.is_struct(values.type) or values.type.get_field_index(field) < 0:
        raise UsageError(f"the dataset has no column {name!r} for {what}: {field!r} is no field of {values.type}.")
    return pc.struct_field(values, field)


def texts_of(batch: Batch, name: str) -> tuple[pa.LargeStringArray, NDArray[np.bool_]]:
    """Returns the texts, with an empty one where there is none, and which documents have none.

    Raises:
        UsageError: there is no such column, or it does not hold text.
    """
    values = column_of(batch, name, "the text; name it with Filter.load(..., text_column=NAME)")
    array = _combined(values) if isinstance(values, pa.Array | pa.ChunkedArray) else _texts(values, name)
    if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type) or pa.types.is_null(array.type)):
        raise UsageError(f"the column {name!r} holds {array.type}, not text. Name another with text_column=NAME.")
    array = array.cast(pa.large_string())
    return array.fill_null(""), array.is_null().to_numpy(zero_copy_only=False)


def _combined(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def _texts(values: Sequence[Any], name: str) -> pa.Array:
    """Returns Python texts as Arrow; a lone surrogate, which is no text, becomes U+FFFD as in an audit."""
    texts = list(values)
    for row, text in enumerate(texts):
        if text is not None and not isinstance(text, str):
            kind = type(text).__name__
            raise UsageError(f"the column {name!r} holds {kind} (row {row} of a batch), not text.")
    try:
        return pa.array(texts, pa.large_string())
    except UnicodeEncodeError:
        repaired = [None if text is None else text.encode("utf-16", "surrogatepass") for text in texts]
        return pa.array([None if data is None else data.decode("utf-16", "replace") for data in repaired])


def numbers_of(batch: Batch, name: str) -> pa.Array:
    """Returns a column of numbers as float64.

    Raises:
        UsageError: there is no such column, or it does not hold numbers.
    """
    values = column_of(batch, name, "a rule on a number column")
    try:
        array = _combined(values) if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values)
        return array.cast(pa.float64(), safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise UsageError(f"the column {name!r} does not hold numbers ({error}), which a rule needs.") from error


def put_columns(batch: Batch, columns: Mapping[str, pa.Array]) -> dict[str, TypedColumn] | pa.Table:
    """Returns what ``datasets.map`` adds to a batch; a table comes back with all its columns.

    Raises:
        UsageError: a column of that name is there, with other values.
    """
    present = names_of(batch)
    for name, values in columns.items():
        if name in present and not name.startswith("dataaudit_") and not _same(batch, name, values):
            raise UsageError(
                f"the dataset has a column {name!r} of its own, which the signal of that name would replace. "
                f"Rename it first: ds.rename_column({name!r}, ...)."
            )
    if not isinstance(batch, pa.Table):
        return {name: TypedColumn(values) for name, values in columns.items()}
    for name, values in columns.items():
        field = pa.field(name, values.type)
        at = batch.schema.get_field_index(name)
        batch = batch.append_column(field, values) if at < 0 else batch.set_column(at, field, values)
    return batch


def take_rows(batch: Batch, rows: NDArray[np.intp]) -> dict[str, list[Any]] | pa.Table:
    """Returns some rows of a batch.

    A batch of ``datasets`` in Python format gives its table, so that columns keep their types when no row is left.
    """
    table = batch if isinstance(batch, pa.Table) else getattr(batch, "pa_table", None)
    if table is not None:
        return table.take(pa.array(rows))
    return {name: [batch[name][row] for row in rows.tolist()] for name in names_of(batch)}


def _same(batch: Batch, name: str, values: pa.Array) -> bool:
    there = column_of(batch, name, "comparing")
    found = there.to_pylist() if isinstance(there, pa.Array | pa.ChunkedArray) else list(there)
    same: bool = found == values.to_pylist()
    return same
