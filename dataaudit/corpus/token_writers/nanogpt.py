"""nanoGPT: uint16 ids and nothing else; an end-of-text id stands after every document."""

from pathlib import Path

from dataaudit.corpus.token_array import RawIds
from dataaudit.corpus.token_writers import IdType, Sequences, ShardFacts, TokenFormat


class _Shard:
    def __init__(self, main: Path, facts: ShardFacts) -> None:
        self._ids = RawIds(main, facts.dtype)

    def write(self, batch: Sequences, /) -> None:
        self._ids.write(batch.ids)

    def close(self) -> None:
        self._ids.close()


def _name(number: int, total: int) -> str:
    return "train.bin" if total == 1 else f"train-{number:05d}.bin"


def _usual(_id_space: int) -> IdType:
    return "uint16"


FORMAT = TokenFormat(open=_Shard, name=_name, dtypes=("uint16",), usual=_usual, delimited="end")
