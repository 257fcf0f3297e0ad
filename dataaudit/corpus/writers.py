"""Records in, a file out: what ``read_records`` gives, or a part of it, in the same shape."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from dataaudit.corpus.compressing import compressed_file
from dataaudit.corpus.documents import RawBatch

ROW_GROUP_BYTES = 64 << 20
ROW_GROUP_ROWS = 65_536
Records: TypeAlias = "Sequence[bytes] | pa.RecordBatch"


class RecordWriter:
    """Writes records of one shape into a file, which is made with the first of them.

    A JSON array is written with an element a line; what stood between records in the input is not kept. Parquet is
    compressed with Zstandard, whatever the input was.
    """

    def __init__(self, path: Path, compression: str | None) -> None:
        self.path = path
        self.compression = compression
        self._stack = ExitStack()
        self._writer: _Bytes | _Parquet | _Arrow | None = None

    def write(self, batch: RawBatch) -> None:
        """Writes the records of a batch; those of later batches have the same shape."""
        if not batch.length:
            return
        if self._writer is None:
            self._writer = self._open(batch)
        assert batch.records is not None
        self._writer.write(batch.records)

    @property
    def is_written(self) -> bool:
        """Whether there is a file."""
        return self._writer is not None

    def files(self, name: str) -> dict[Path, str]:
        """Returns the final name of what was written, by its path; nothing where there is no file."""
        return {self.path: name} if self.is_written else {}

    def close(self) -> None:
        """Writes the end of the file."""
        if self._writer is not None:
            self._writer.close()
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _open(self, batch: RawBatch) -> "_Bytes | _Parquet | _Arrow":
        if isinstance(batch.records, pa.RecordBatch):
            if batch.shape == "parquet":
                parquet = pq.ParquetWriter(self.path, batch.records.schema, compression="zstd")
                self._stack.callback(parquet.close)
                return _Parquet(parquet, batch.records.schema)
            file = self._stack.enter_context(pa.OSFile(str(self.path), "wb"))
            new = pa.ipc.new_file if batch.shape == "arrow_file" else pa.ipc.new_stream
            return _Arrow(self._stack.enter_context(new(file, batch.records.schema)))
        sink = self._stack.enter_context(compressed_file(self.path, self.compression))
        match batch.shape:
            case "array":
                return _Bytes(sink, b"[\n", b",\n", b"\n]\n")
            case "text_file":
                return _Bytes(sink, b"", b"", b"")
            case "csv":
                assert batch.header is not None
                return _Bytes(sink, batch.header.data + b"\n", b"\n", b"\n")
            case _:
                return _Bytes(sink, b"", b"\n", b"\n")


class _Bytes:
    def __init__(self, sink: IO[bytes], begin: bytes, between: bytes, end: bytes) -> None:
        self.sink, self.before, self.between, self.end = sink, begin, between, end

    def write(self, records: Records) -> None:
        self.sink.write(self.before)
        self.sink.write(self.between.join(records))
        self.before = self.between

    def close(self) -> None:
        self.sink.write(self.end)


class _Parquet:
    """Collects rows to row groups of a useful size."""

    def __init__(self, writer: pq.ParquetWriter, schema: pa.Schema) -> None:
        self.writer, self.schema = writer, schema
        self.pending: list[pa.RecordBatch] = []
        self.rows = self.bytes = 0

    def write(self, records: Records) -> None:
        assert isinstance(records, pa.RecordBatch)
        self.pending.append(records)
        self.rows += records.num_rows
        self.bytes += records.nbytes
        if self.rows >= ROW_GROUP_ROWS or self.bytes >= ROW_GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self.pending:
            self.writer.write_table(pa.Table.from_batches(self.pending, self.schema), row_group_size=ROW_GROUP_ROWS)
            self.pending, self.rows, self.bytes = [], 0, 0

    def close(self) -> None:
        self._flush()


class _Arrow:
    def __init__(self, writer: Any) -> None:
        self.writer = writer

    def write(self, records: Records) -> None:
        self.writer.write_batch(records)

    def close(self) -> None:
        """The end is written by the stack that opened the writer."""
