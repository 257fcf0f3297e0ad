"""OLMo: ids without a header under the name ``.npy``, and a line for every document in ``.csv.gz`` beside it."""

import csv
import gzip
import io
from pathlib import Path

from dataaudit.corpus.token_array import RawIds
from dataaudit.corpus.token_writers import IdType, Origin, Sequences, ShardFacts, TokenFormat


class _Shard:
    def __init__(self, main: Path, facts: ShardFacts) -> None:
        self._ids = RawIds(main, facts.dtype)
        self._packed = main.with_name(_sidecars(main.name)[0]).open("wb")
        # Neither name nor time goes into the head, so that the same rows are the same bytes.
        self._lines = io.TextIOWrapper(
            gzip.GzipFile("", "wb", 6, self._packed, mtime=0), encoding="utf-8", errors="backslashreplace", newline=""
        )
        self._rows = csv.writer(self._lines, lineterminator="\n")

    def write(self, batch: Sequences, /) -> None:
        first = self._ids.count
        self._ids.write(batch.ids)
        bounds = (batch.offsets + first).tolist()
        origins = batch.origins or [Origin(str(doc_id), "", 0) for doc_id in batch.doc_ids.tolist()]
        self._rows.writerows((*span, *each) for *span, each in zip(bounds, bounds[1:], origins, strict=False))

    def close(self) -> None:
        self._ids.close()
        self._lines.close()
        self._packed.close()


def _name(number: int, _total: int) -> str:
    return f"part-{number:05d}.npy"


def _sidecars(main: str) -> tuple[str, ...]:
    return (f"{main.removesuffix('.npy')}.csv.gz",)


def _usual(id_space: int) -> IdType:
    return "uint16" if id_space <= 1 << 16 else "uint32"


FORMAT = TokenFormat(
    open=_Shard,
    name=_name,
    dtypes=("uint8", "uint16", "uint32", "uint64"),
    usual=_usual,
    delimited="end",
    sidecars=_sidecars,
    shard_bytes=1 << 30,
    origins=True,
)
