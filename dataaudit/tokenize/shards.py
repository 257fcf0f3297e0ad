"""Token shards: Arrow IPC streams of document ids and token ids, which map into memory."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.errors import RunError
from dataaudit.tokenize.tokens import IdType


class TokenShardBatch(NamedTuple):
    """A record batch of a token shard; the arrays are views of the file.

    Attributes:
        doc_ids: uint64[n].
        ids: uint16, uint32 or int64, the ids of all documents one after the other.
        offsets: int64[n + 1], where each document starts in *ids*.
    """

    doc_ids: NDArray[np.uint64]
    ids: NDArray[Any]
    offsets: NDArray[np.int64]


class TokenShardWriter:
    """Writes a token shard; use it as a context manager. The bytes depend on the arguments alone.

    ``datasets.Dataset.from_file`` opens the file as columns ``doc_id`` and ``input_ids``.

    Attributes:
        sink: a path or an open binary file; a file that was given open stays open.
        dtype: of the ids: uint16 or uint32 (see ``id_dtype``), int64 for ids from a corpus that may be negative.
        metadata: facts written into the schema, in the order of their keys.
    """

    def __init__(self, sink: Path | IO[bytes], dtype: IdType, metadata: Mapping[str, str]) -> None:
        self._dtype = dtype
        values = pa.field("item", pa.from_numpy_dtype(dtype), nullable=False)
        fields = [
            pa.field("doc_id", pa.uint64(), nullable=False),
            pa.field("input_ids", pa.list_(values), nullable=False),
        ]
        self._schema = pa.schema(fields, metadata=dict(sorted(metadata.items())) or None)
        self._writer = pa.ipc.new_stream(str(sink) if isinstance(sink, Path) else sink, self._schema)

    def write(self, doc_ids: NDArray[np.uint64], ids: NDArray[Any], offsets: NDArray[np.int64]) -> None:
        """Writes one record batch.

        Raises:
            ValueError: *ids* are not of the shard's type (``narrow`` them), the lengths disagree, or the batch has
                2^31 tokens or more.
        """
        if ids.dtype != self._dtype:
            raise ValueError(f"token ids are {ids.dtype}, the shard holds {np.dtype(self._dtype)}; narrow them first")
        if len(offsets) != len(doc_ids) + 1 or offsets[0] != 0 or offsets[-1] != len(ids):
            raise ValueError(f"{len(doc_ids)} documents, offsets {len(offsets)}, ids {len(ids)} do not belong together")
        if len(ids) >= 1 << 31:
            raise ValueError(f"a batch of {len(ids):,} tokens is too large; the limit is {(1 << 31) - 1:,}")
        values = pa.array(ids, self._schema.field("input_ids").type.value_type)
        lists = pa.ListArray.from_arrays(
            pa.array(offsets.astype(np.int32)), values, type=self._schema.field("input_ids").type
        )
        self._writer.write_batch(pa.record_batch([pa.array(doc_ids, pa.uint64()), lists], schema=self._schema))

    def close(self) -> None:
        """Writes the end of the stream; without it the file still opens, with what was written."""
        self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_token_shard(path: str | Path) -> Iterator[TokenShardBatch]:
    """Yields the record batches of a token shard without copying: the file is mapped into memory.

    Raises:
        RunError: The file is missing, damaged or no token shard.
    """
    try:
        with pa.memory_map(str(path)) as source, pa.ipc.open_stream(source) as reader:
            if reader.schema.names != ["doc_id", "input_ids"]:
                raise RunError(f"{path}: no token shard; expected doc_id and input_ids, found {reader.schema.names}.")
            for batch in reader:
                lists = batch.column("input_ids")
                offsets = lists.offsets.to_numpy().astype(np.int64)
                yield TokenShardBatch(batch.column("doc_id").to_numpy(), lists.values.to_numpy(), offsets)
    except (OSError, pa.ArrowInvalid) as error:
        raise RunError(f"{path}: cannot read this token shard: {error}. Run the audit again to rebuild it.") from error


def token_shard_metadata(path: str | Path) -> dict[str, str]:
    """Returns the metadata that the shard was written with.

    Raises:
        RunError: The file is missing or no Arrow stream.
    """
    try:
        with pa.memory_map(str(path)) as source, pa.ipc.open_stream(source) as reader:
            return {key.decode(): value.decode() for key, value in (reader.schema.metadata or {}).items()}
    except (OSError, pa.ArrowInvalid) as error:
        raise RunError(f"{path}: cannot read this token shard: {error}. Run the audit again to rebuild it.") from error
