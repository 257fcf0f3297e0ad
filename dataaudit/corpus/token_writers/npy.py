"""NumPy's own ``.npy``: a header, then ids in a row, or a table with a document a row."""

import io
from pathlib import Path
from typing import Any

import numpy as np

from dataaudit.corpus.token_array import RawIds
from dataaudit.corpus.token_writers import IdType, Sequences, ShardFacts, TokenFormat


class _Shard:
    def __init__(self, main: Path, facts: ShardFacts) -> None:
        self._facts = facts
        # NumPy leaves room for the first number of a shape to grow, so the header's length is known before.
        self._room = len(self._header(0))
        self._ids = RawIds(main, facts.dtype, self._room)

    def write(self, batch: Sequences, /) -> None:
        length = self._facts.row_length
        if length is not None and (np.diff(batch.offsets) != length).any():
            raise ValueError(f"a table with rows of {length} ids holds no documents of another length")
        self._ids.write(batch.ids)

    def close(self) -> None:
        header = self._header(self._ids.count)
        assert len(header) == self._room
        self._ids.close(header)

    def _header(self, count: int) -> bytes:
        length = self._facts.row_length
        shape = (count,) if length is None else (count // length, length)
        head = io.BytesIO()
        descr = np.dtype(self._facts.dtype).newbyteorder("<").str
        numpy_format: Any = np.lib.format
        numpy_format.write_array_header_1_0(head, {"shape": shape, "fortran_order": False, "descr": descr})
        return head.getvalue()


def _name(number: int, total: int) -> str:
    return "tokens.npy" if total == 1 else f"tokens-{number:05d}.npy"


def _usual(id_space: int) -> IdType:
    return "uint16" if id_space <= 1 << 16 else "uint32"


FORMAT = TokenFormat(
    open=_Shard,
    name=_name,
    dtypes=("uint8", "uint16", "int32", "uint32", "int64", "uint64"),
    usual=_usual,
    delimited="end",
)
