"""Small valid inputs of every format, ways to damage them, and what must hold of any input whatever."""

import bz2
import gzip
import io
import json
import lzma
import random
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from dataaudit.corpus import FileNote, ReadOptions, Tally, TokenHints, cut_pieces, find_files, read_piece, read_records
from dataaudit.corpus.token_writers import token_formats
from dataaudit.errors import ReadError
from tests.corpus.token_files import write_tokens

Files = dict[str, bytes]
FIXTURES = Path(__file__).parent.parent / "fixtures/tokens"
HINTS = TokenHints(dtype="uint16", eos_id=2, bos_id=1, max_length=8)
_TEXTS = ["é😀\0 " * (n % 5) + f"text {n}\u2028\r\n" * (n % 3) for n in range(24)]
_ROWS = [{"id": f"i{n}", "text": text, "source": "s", "n": n} for n, text in enumerate(_TEXTS)]
_IDS = [[1, *range(5, 5 + n % 9), 2] for n in range(24)]
_ID_ROWS = [{"id": n, "input_ids": ids, "labels": ids, "attention_mask": [1] * len(ids)} for n, ids in enumerate(_IDS)]
_LINES = "".join(json.dumps(each) + "\n" for each in _ROWS).encode()
_CSV = b"id,text,n\n" + b"".join(b'%d,"a\n""b, %d",1\r\n' % (n, n) for n in range(24))
_ODD = (0, 1, 2, 0x7F, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 40, (1 << 63) - 1, (1 << 64) - 1)


class Change(NamedTuple):
    """One damage: what is done (index in ``KINDS``), to which file, where (of 65,536 parts of it), and a number."""

    kind: int
    file: int
    at: int
    value: int


def _written(write: Callable[[io.BytesIO, pa.Table], object], rows: list[dict] = _ROWS) -> bytes:
    file = io.BytesIO()
    write(file, pa.Table.from_pylist(rows))
    return file.getvalue()


def _arrow(new: Callable, **options: object) -> Callable[[io.BytesIO, pa.Table], object]:
    def write(file: io.BytesIO, table: pa.Table) -> None:
        with new(file, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
            writer.write_table(table, max_chunksize=9)

    return write


def _parquet(**options: object) -> Callable[[io.BytesIO, pa.Table], object]:
    return lambda file, table: pq.write_table(table, file, row_group_size=9, **options)


def _npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _made(name: str, data: Callable[[], bytes]) -> Callable[[], Files]:
    return lambda: {name: data()}


def _texts() -> Iterator[tuple[str, Callable[[], Files]]]:
    packed = {"gz": gzip.compress, "zst": zstandard.compress, "bz2": bz2.compress, "xz": lzma.compress}
    yield "jsonl", _made("a.jsonl", lambda: _LINES)
    yield from ((f"jsonl.{name}", _made(f"a.jsonl.{name}", partial(pack, _LINES))) for name, pack in packed.items())
    yield "jsonl of ids", _made("a.jsonl", lambda: "".join(json.dumps(each) + "\n" for each in _ID_ROWS).encode())
    yield "json array", _made("a.json", lambda: json.dumps(_ROWS).encode())
    yield "json objects", _made("a.json", lambda: "".join(json.dumps(each, indent=1) + "\n" for each in _ROWS).encode())
    yield "csv", _made("a.csv", lambda: _CSV)
    yield "tsv.gz", _made("a.tsv.gz", lambda: gzip.compress(_CSV.replace(b",", b"\t")))
    yield "txt", _made("a.txt", "".join(_TEXTS).encode)
    yield "txt in utf-16", _made("a.txt", lambda: "".join(_TEXTS).encode("utf-16"))


def _tables() -> Iterator[tuple[str, Callable[[], Files]]]:
    for name in ("snappy", "zstd", "gzip", "lz4", "brotli", "none"):
        write = _parquet(compression=name, use_dictionary=name != "zstd")
        yield f"parquet {name}", _made("a.parquet", partial(_written, write))
    yield "parquet of ids", _made("a.parquet", partial(_written, _parquet(), _ID_ROWS))
    for name, new in (("file", pa.ipc.new_file), ("stream", pa.ipc.new_stream)):
        yield f"arrow {name}", _made("a.arrow", partial(_written, _arrow(new)))
        yield f"arrow {name} zstd", _made("a.arrow", partial(_written, _arrow(new, compression="zstd")))
        yield f"arrow {name} of ids", _made("a.arrow", partial(_written, _arrow(new), _ID_ROWS))


def _tokens() -> Iterator[tuple[str, Callable[[], Files]]]:
    yield from ((name, partial(_by_writer, name)) for name in token_formats())
    for path in sorted(each for each in FIXTURES.glob("*/*/") if each.is_dir()):
        yield f"{path.parent.name} {path.name}", partial(_files, path)
    losses = {"data_00000_unshuffled.ds.loss": b"\1" * 40}
    yield "datatrove itself", lambda: _files(FIXTURES / "datatrove") | losses
    yield "npy stream", _made("a.npy", lambda: _npy(np.concatenate(_IDS).astype(np.uint16)))
    yield "npy rows", _made("a.npy", lambda: _npy(np.arange(60, dtype=">i8").reshape(12, 5)))


def _by_writer(name: str) -> Files:
    with TemporaryDirectory() as folder:
        write_tokens(name, Path(folder), _IDS, "int32" if name in ("hf-arrow", "megatron") else "uint16")
        return _files(Path(folder))


def _files(folder: Path) -> Files:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


_SEEDS = {name: make for found in (_texts(), _tables(), _tokens()) for name, make in found}
SEEDS = tuple(_SEEDS)
"""Names of the valid inputs."""


@cache
def seed(name: str) -> Files:
    """Returns a valid input: file names and their bytes."""
    return _SEEDS[name]()


def _flip(data: bytes, at: int, value: int, _other: bytes) -> bytes:
    return data[:at] + bytes([data[at] ^ (1 << value % 8)]) + data[at + 1 :] if at < len(data) else data


def _number(data: bytes, at: int, value: int, _other: bytes) -> bytes:
    size = (1, 2, 4, 8)[value % 4]
    odd = (_ODD[value // 8 % len(_ODD)] & ((1 << 8 * size) - 1)).to_bytes(size, "little" if value & 4 else "big")
    return data[:at] + odd + data[at + size :]


def _cut(data: bytes, at: int, _value: int, _other: bytes) -> bytes:
    return data[:at]


def _lose(data: bytes, at: int, value: int, _other: bytes) -> bytes:
    return data[:at] + data[at + 1 + value % 40 :]


def _repeat(data: bytes, at: int, value: int, _other: bytes) -> bytes:
    part = data[at : at + 1 + value % 200]
    return data[:at] + part * (1 + value % 4) + data[at:]


def _noise(data: bytes, at: int, value: int, _other: bytes) -> bytes:
    return data[:at] + random.Random(value).randbytes(1 + value % 30) + data[at + value % 50 :]


def _splice(data: bytes, at: int, value: int, other: bytes) -> bytes:
    start = value % (len(other) + 1)
    return data[:at] + other[start : start + 1 + value % 300] + data[at:]


def _join(data: bytes, _at: int, value: int, other: bytes) -> bytes:
    return data + other if value % 2 else other + data


KINDS = (_flip, _number, _cut, _lose, _repeat, _noise, _splice, _join)


def damaged(files: Files, changes: list[Change], other: bytes) -> Files:
    """Returns the files with each change done to one of them; *other* is what is spliced in."""
    files = dict(files)
    for change in changes:
        name = sorted(files)[change.file % len(files)]
        data = files[name]
        at = change.at * (len(data) + 1) >> 16
        files[name] = KINDS[change.kind % len(KINDS)](data, at, change.value, other)
    return files


class Counted(NamedTuple):
    """What reading gave: all records, and what was found in each file."""

    records: int
    notes: list[FileNote]


def read_and_account(folder: Path, options: ReadOptions, target_bytes: int) -> Counted:
    """Reads a folder in both ways.

    No error but those of the project may leave the readers; every file is read, damaged or left out; every record is a
    document or a fault once, in both ways of reading; and what was read has a digest, or there is damage.
    """
    found = find_files([str(folder)])
    try:
        plan = cut_pieces(found.files, options, target_bytes, lambda: HINTS)
    except ReadError as error:
        assert "no column with text" in str(error)
        return Counted(0, [])
    records = 0
    noted = [note.file for note in plan.notes] + [file for file, _ in plan.damaged]
    assert sorted(file.name for file in noted) == sorted(file.name for file in found.files)
    for piece in plan.pieces:
        tally, rows = Tally(), list[int]()
        for batch in read_piece(piece, options, tally):
            batch.validate(full=True)
            assert batch.num_rows <= options.batch_rows
            rows += batch.column("row").to_pylist() + [fault.row for fault in tally.faults]
            tally.faults.clear()
        assert sorted(rows) == list(range(tally.records))
        assert tally.digest or tally.damage
        again = Tally()
        lengths = [raw.length for raw in read_records(piece, options, again)]
        assert sum(lengths) == again.records == tally.records
        assert again.digest == tally.digest
        records += tally.records
    return Counted(records, plan.notes)
