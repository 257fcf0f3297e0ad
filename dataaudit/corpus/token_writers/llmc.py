"""llm.c: a header of 256 int32, then ids; the end-of-text id stands before every document, and files end anywhere.

Version 1 (GPT-2) has uint16 ids, version 7 (Llama 3) uint32. The loader keeps the byte offset of a batch in an int, so
a file stays below 2 GiB.
"""

import struct
from pathlib import Path

from dataaudit.corpus.token_array import RawIds
from dataaudit.corpus.token_writers import IdType, Sequences, ShardFacts, TokenFormat

HEADER_BYTES = 1024
MAGICS = {"uint16": (20240520, 1), "uint32": (20240801, 7)}
"""Magic number and version by the type of the ids."""
MOST_BYTES = (1 << 31) - 4 - HEADER_BYTES


class _Shard:
    def __init__(self, main: Path, facts: ShardFacts) -> None:
        self._head = MAGICS[facts.dtype]
        self._ids = RawIds(main, facts.dtype, HEADER_BYTES)

    def write(self, batch: Sequences, /) -> None:
        self._ids.write(batch.ids)

    def close(self) -> None:
        self._ids.close(struct.pack("<3i", *self._head, self._ids.count))


def _name(number: int, total: int) -> str:
    return "train.bin" if total == 1 else f"train_{number:06d}.bin"


def _usual(id_space: int) -> IdType:
    return "uint16" if id_space <= 1 << 16 else "uint32"


FORMAT = TokenFormat(
    open=_Shard,
    name=_name,
    dtypes=("uint16", "uint32"),
    usual=_usual,
    delimited="start",
    shard_bytes=MOST_BYTES,
    most_bytes=MOST_BYTES,
)
