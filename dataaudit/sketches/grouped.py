"""A table that grows by adding tables: rows with equal keys become one."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import pyarrow as pa

MOST_PENDING = 64
"""Added tables that are kept before they are grouped; grouping costs more than adding."""


class Column(NamedTuple):
    """A column that is not a key.

    Attributes:
        name: of the column.
        type: of its values.
        how: what becomes of the values of rows with equal keys.
    """

    name: str
    type: pa.DataType
    how: Literal["sum", "min", "max"]


class GroupedTable:
    """Rows by key; adding is commutative and associative.

    Args:
        keys: the key columns.
        columns: the other columns.
    """

    def __init__(self, keys: Sequence[pa.Field], columns: Sequence[Column]) -> None:
        self._keys = [key.name for key in keys]
        self._aggregates = [(column.name, column.how) for column in columns]
        self.schema = pa.schema([*keys, *(pa.field(column.name, column.type) for column in columns)])
        self._parts: list[pa.Table] = []

    def add(self, rows: pa.Table) -> None:
        """Adds rows that have this table's columns.

        Raises:
            ValueError: if a column is missing or its values do not fit.
        """
        missing = [name for name in self.schema.names if name not in rows.column_names]
        if missing:
            raise ValueError(f"the sketch lacks the columns {missing}; it has {rows.column_names}")
        self._parts.append(rows.select(self.schema.names).cast(self.schema))
        if len(self._parts) > MOST_PENDING:
            self.table()

    def table(self) -> pa.Table:
        """Returns the rows, each key once, sorted by the keys, nulls last."""
        if not self._parts:
            return self.schema.empty_table()
        if len(self._parts) > 1 or self._parts[0].num_rows:
            rows = pa.concat_tables(self._parts).group_by(self._keys, use_threads=False).aggregate(self._aggregates)
            names = {f"{name}_{how}": name for name, how in self._aggregates}
            rows = rows.rename_columns([names.get(name, name) for name in rows.column_names])
            rows = rows.select(self.schema.names).cast(self.schema)
            self._parts = [rows.sort_by([(key, "ascending") for key in self._keys]).combine_chunks()]
        return self._parts[0]
