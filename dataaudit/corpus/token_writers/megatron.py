"""Megatron-LM: ids in ``.bin``; lengths, byte offsets and documents in ``.idx``. A document is one sequence."""

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dataaudit.corpus.token_array import RawIds
from dataaudit.corpus.token_writers import IdType, Sequences, ShardFacts, TokenFormat
from dataaudit.errors import RunError

MAGIC, VERSION = b"MMIDIDX\x00\x00", 1
CODES = {"uint8": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "uint16": 8}
"""The code of each type of ids in the header."""
_STEP = 1 << 20


class _Shard:
    """Lengths go to a file of their own until the number of documents is known: memory does not grow with it."""

    def __init__(self, main: Path, facts: ShardFacts) -> None:
        self._dtype = facts.dtype
        self._ids = RawIds(main, facts.dtype)
        self._index = main.with_name(_sidecars(main.name)[0])
        self._spool = main.with_name(f"{main.name}.lengths")
        self._lengths = RawIds(self._spool, "int32")

    def write(self, batch: Sequences, /) -> None:
        lengths = np.diff(batch.offsets)
        if len(lengths) and lengths.max() > np.iinfo(np.int32).max:
            doc_id = int(batch.doc_ids[int(lengths.argmax())])
            raise RunError(
                f"document {doc_id} has {int(lengths.max()):,} tokens; Megatron's index holds lengths up to "
                f"{np.iinfo(np.int32).max:,}. Split the document, or take it out with a rule on token_count."
            )
        self._ids.write(batch.ids)
        self._lengths.write(lengths.astype("<i4"))

    def close(self) -> None:
        self._ids.close()
        self._lengths.close()
        count, itemsize = self._lengths.count, np.dtype(self._dtype).itemsize
        with self._index.open("wb") as index:
            index.write(MAGIC + struct.pack("<QBQQ", VERSION, CODES[self._dtype], count, count + 1))
            for lengths in self._blocks():
                index.write(lengths.tobytes())
            start = 0
            for lengths in self._blocks():
                ends = start + np.cumsum(lengths, dtype="<i8") * itemsize
                index.write(np.concatenate(([start], ends[:-1])).astype("<i8").tobytes())
                start = int(ends[-1])
            for first in range(0, count + 1, _STEP):
                index.write(np.arange(first, min(first + _STEP, count + 1), dtype="<i8").tobytes())
        self._spool.unlink()

    def _blocks(self) -> Iterator[NDArray[np.int32]]:
        with self._spool.open("rb") as spool:
            while block := spool.read(4 * _STEP):
                yield np.frombuffer(block, "<i4")


def _name(number: int, total: int) -> str:
    return "tokens_document.bin" if total == 1 else f"tokens-{number:05d}_document.bin"


def _sidecars(main: str) -> tuple[str, ...]:
    return (f"{main.removesuffix('.bin')}.idx",)


def _usual(id_space: int) -> IdType:
    """As Megatron's ``optimal_dtype``: uint16 below 65,500 ids, though more would fit."""
    return "uint16" if id_space < 65_500 else "int32"


FORMAT = TokenFormat(
    open=_Shard, name=_name, dtypes=("uint8", "uint16", "int32", "int64"), usual=_usual, sidecars=_sidecars
)
