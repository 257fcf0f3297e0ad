"""datatrove: ids in ``.ds``, ends of documents in tokens in ``.ds.index``, tokenizer and size in ``.ds.metadata``."""

from pathlib import Path
from typing import BinaryIO

import numpy as np

from dataaudit.corpus.token_array import RawIds
from dataaudit.corpus.token_writers import IdType, Sequences, ShardFacts, TokenFormat

LOSSES = ".loss"
"""What a file has behind the name of the ids that says, with a byte for each id, whether it gives a loss."""
_PREFIXES = ("", "k", "M", "G", "T", "P")


class _Shard:
    def __init__(self, main: Path, facts: ShardFacts) -> None:
        index, self._metadata = (main.with_name(name) for name in _sidecars(main.name))
        self._facts = facts
        self._ids = RawIds(main, facts.dtype)
        self._index: BinaryIO = index.open("wb")
        self._losses = RawIds(main.with_name(main.name + LOSSES), "uint8") if facts.losses else None

    def write(self, batch: Sequences, /) -> None:
        ends = batch.offsets[1:] + self._ids.count
        self._ids.write(batch.ids)
        self._index.write(ends.astype("<u8").tobytes())
        if self._losses is not None and batch.losses is not None:
            self._losses.write(batch.losses.astype(np.uint8))

    def close(self) -> None:
        self._ids.close()
        self._index.close()
        if self._losses is not None:
            self._losses.close()
        name = (self._facts.tokenizer or "Unknown Tokenizer").replace("|", " ").replace("\n", " ")
        size = np.dtype(self._facts.dtype).itemsize
        lines = (f"{name}|{size}", str(self._ids.count), _humanised(self._ids.count))
        self._metadata.write_text("\n".join(lines), encoding="utf-8")


def _humanised(count: int) -> str:
    """Returns a count with three digits and a prefix, such as ``1.23 MT``."""
    power, value = 0, float(count)
    while float(f"{value:.3g}") >= 1000:
        power, value = power + 1, value / 1000
    digits = max(0, 3 - len(f"{float(f'{value:.3g}'):.0f}"))
    return f"{value:.{digits}f} {_PREFIXES[power]}T"


def _name(number: int, _total: int) -> str:
    return f"{number:05d}_unshuffled.ds"


def _sidecars(main: str) -> tuple[str, ...]:
    return f"{main}.index", f"{main}.metadata"


def _usual(id_space: int) -> IdType:
    return "uint16" if id_space <= 1 << 16 else "uint32"


FORMAT = TokenFormat(
    open=_Shard, name=_name, dtypes=("uint16", "uint32"), usual=_usual, sidecars=_sidecars, losses=LOSSES
)
