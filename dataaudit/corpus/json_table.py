"""JSON lines in, a Parquet file out: columns as they are found, whatever each record holds."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from dataaudit.corpus.documents import RawBatch
from dataaudit.corpus.json_record import plain_object

_ROWS, _BYTES = 8192, 16 << 20
_JSON = None
"""Stands for the type of a column that is written as JSON text: its values fit no one type."""
_WRONG = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError)


class JsonTableWriter:
    """Writes JSON objects of one line each as Parquet; used like ``RecordWriter``.

    The lines are put aside until all are known, for only then the type of each column is. A column whose values are
    of several kinds, or of a kind that Parquet does not hold, becomes a column of JSON texts.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._aside = path.with_name(f"{path.name}.lines")
        self._lines = self._aside.open("wb")
        self._types: dict[str, pa.DataType | None] = {}
        self.is_written = False

    def __enter__(self) -> "JsonTableWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self._lines.close()

    def write(self, batch: RawBatch) -> None:
        """Puts the records of a batch aside."""
        if not batch.length:
            return
        assert isinstance(batch.records, list)
        self.is_written = True
        self._lines.write(b"\n".join(batch.records) + b"\n")
        for name, values in _columns([plain_object(line) for line in batch.records], None).items():
            self._types[name] = _joined(self._types.get(name, pa.null()), _type_of(values))

    def files(self, name: str) -> dict[Path, str]:
        """Returns the final name of what was written, by its path; nothing where there is no file."""
        return {self.path: name} if self.is_written else {}

    def close(self) -> None:
        """Writes the table."""
        self._lines.close()
        types = {name: kind if kind is _JSON or _fits(kind) else _JSON for name, kind in self._types.items()}
        while self.is_written and (wrong := self._try(types)) is not None:
            types[wrong] = _JSON
        self._aside.unlink()

    def _try(self, types: dict[str, pa.DataType | None]) -> str | None:
        """Writes the table; returns the name of a column whose values do not fit its type after all."""
        schema = pa.schema([(name, pa.string() if kind is _JSON else kind) for name, kind in types.items()])
        with pq.ParquetWriter(self.path, schema, compression="zstd") as writer:
            for rows in self._batches():
                columns = []
                for name, values in _columns(rows, types).items():
                    cells = [_text(each) for each in values] if types[name] is _JSON else values
                    try:
                        columns.append(pa.array(cells, schema.field(name).type))
                    except _WRONG:
                        return name
                writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
        return None

    def _batches(self) -> Iterator[list[dict[str, Any]]]:
        rows: list[dict[str, Any]] = []
        size = 0
        with self._aside.open("rb") as lines:
            for line in lines:
                if rows and (len(rows) == _ROWS or size + len(line) > _BYTES):
                    yield rows
                    rows, size = [], 0
                rows.append(plain_object(line))
                size += len(line)
        if rows:
            yield rows


def _columns(rows: list[dict[str, Any]], names: dict[str, Any] | None) -> dict[str, list[Any]]:
    found = dict.fromkeys(name for row in rows for name in row) if names is None else names
    return {name: [row.get(name) for row in rows] for name in found}


def _type_of(values: list[Any]) -> pa.DataType | None:
    try:
        return pa.array(values).type
    except _WRONG:
        return _JSON


def _joined(mine: pa.DataType | None, its: pa.DataType | None) -> pa.DataType | None:
    if mine is _JSON or its is _JSON:
        return _JSON
    try:
        both = [pa.schema([("x", kind)]) for kind in (mine, its)]
        return pa.unify_schemas(both, promote_options="permissive").field("x").type
    except _WRONG:
        return _JSON


def _fits(kind: pa.DataType) -> bool:
    """Whether Parquet holds a type: it has no structs without fields."""
    if pa.types.is_struct(kind):
        return kind.num_fields > 0 and all(_fits(field.type) for field in kind)
    return _fits(kind.value_type) if pa.types.is_list(kind) else True


def _text(value: Any) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()
