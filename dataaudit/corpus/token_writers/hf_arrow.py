"""A ``datasets`` folder as ``save_to_disk`` writes it: Arrow IPC streams, state.json and dataset_info.json."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from dataaudit.corpus.token_writers import IdType, Sequences, ShardFacts, TokenFormat

BATCH_ROWS = 1000


class _Shard:
    def __init__(self, main: Path, facts: ShardFacts) -> None:
        values = pa.from_numpy_dtype(np.dtype(facts.dtype))
        self._schema = pa.schema([pa.field("doc_id", pa.int64()), pa.field("input_ids", pa.list_(values))])
        self._writer = pa.ipc.new_stream(str(main), self._schema)

    def write(self, batch: Sequences, /) -> None:
        for first in range(0, len(batch.doc_ids), BATCH_ROWS):
            bounds = batch.offsets[first : first + BATCH_ROWS + 1]
            ids = pa.array(batch.ids[bounds[0] : bounds[-1]], self._schema.field("input_ids").type.value_type)
            lists = pa.ListArray.from_arrays(pa.array(bounds - bounds[0], pa.int32()), ids)
            doc_ids = pa.array(batch.doc_ids[first : first + BATCH_ROWS].astype(np.int64))
            self._writer.write_batch(pa.record_batch([doc_ids, lists], schema=self._schema))

    def close(self) -> None:
        self._writer.close()


def _name(number: int, total: int) -> str:
    return f"data-{number:05d}-of-{total:05d}.arrow"


def _usual(id_space: int) -> IdType:
    """As tokenizers of ``transformers`` give them: int32."""
    return "int32" if id_space <= 1 << 31 else "int64"


def _folder_files(shards: Sequence[str], facts: ShardFacts, digest: str) -> dict[str, bytes]:
    features = {
        "doc_id": {"dtype": "int64", "_type": "Value"},
        "input_ids": {"feature": {"dtype": facts.dtype, "_type": "Value"}, "_type": "Sequence"},
    }
    return {"state.json": state_json(shards, digest), "dataset_info.json": info_json(features)}


def state_json(shards: Sequence[str], digest: str) -> bytes:
    """Returns ``state.json`` of a folder with these data files; *digest* of the content makes its fingerprint."""
    state: dict[str, Any] = {
        "_data_files": [{"filename": name} for name in shards],
        "_fingerprint": digest[:16],
        "_format_columns": None,
        "_format_kwargs": {},
        "_format_type": None,
        "_output_all_columns": False,
        "_split": None,
    }
    return _json(state)


def info_json(features: dict[str, Any]) -> bytes:
    """Returns ``dataset_info.json`` for these features; all versions of ``datasets`` know the name ``Sequence``."""
    return _json({"citation": "", "description": "", "features": features, "homepage": "", "license": ""})


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, indent=2, sort_keys=True).encode()


FORMAT = TokenFormat(
    open=_Shard,
    name=_name,
    dtypes=("uint8", "uint16", "int32", "uint32", "int64"),
    usual=_usual,
    shard_bytes=500_000_000,
    folder_files=_folder_files,
)
