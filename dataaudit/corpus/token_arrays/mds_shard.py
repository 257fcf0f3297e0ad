"""A shard of MosaicML: its header, where its samples stand, and their bytes.

``uint32 n | uint32 offsets[n + 1] | JSON | samples``; a sample is the sizes of its values that have none of their own
size in the header, then the values. A compressed shard is unpacked to a temporary file, of 4 GiB at most: offsets are
32 bits.
"""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from dataaudit.corpus.compression import decompress, find_compression
from dataaudit.corpus.location import DamageError, open_binary
from dataaudit.corpus.stream import CHUNK
from dataaudit.corpus.token_arrays.mds_columns import BadValueError, MdsColumn, mds_column

_MOST_HEADER = 1 << 20
_MOST_BYTES = 1 << 32
_MOST_COLUMNS = 10_000


def compression_of(path: str) -> str | None:
    """Returns how a shard is compressed, by its first bytes."""
    with open_binary(path) as file:
        return find_compression(file.read(8))


def _chunks(path: str, compression: str | None) -> Iterator[bytes]:
    with open_binary(path) as file:
        stored = iter(lambda: file.read(CHUNK), b"")
        yield from decompress(stored, compression) if compression else stored


class _Forward:
    """Reads from the beginning of a shard, compressed or not, without going back."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._data = chunks, b""

    def take(self, count: int) -> bytes:
        """Returns the next bytes.

        Raises:
            DamageError: there are fewer.
        """
        while len(self._data) < count:
            more = next(self._chunks, b"")
            if not more:
                raise DamageError("not an MDS shard: it ends inside its header")
            self._data += more
        data, self._data = self._data[:count], self._data[count:]
        return data

    def skip(self, count: int) -> None:
        """Lets go of the next bytes."""
        while count > 0:
            step = min(count, CHUNK)
            self.take(step)
            count -= step


def columns_of(path: str, bytes_dtype: str) -> list[MdsColumn]:
    """Returns the columns of a shard, from its head.

    Raises:
        OSError: it cannot be opened.
        DamageError: it is no shard, or ends inside its header.
    """
    compression = compression_of(path)
    head = _Forward(_chunks(path, compression))
    samples = int.from_bytes(head.take(4), "little")
    begin = int.from_bytes(head.take(4), "little")
    head.skip(4 * samples)
    length = begin - 4 - 4 * (samples + 1)
    if not 2 <= length <= _MOST_HEADER:
        raise DamageError("not an MDS shard: its first sample does not begin after its header")
    return _columns(head.take(length), bytes_dtype)


def _columns(header: bytes, bytes_dtype: str) -> list[MdsColumn]:
    try:
        content: Any = json.loads(header)
        names, encodings, sizes = (content[f"column_{what}"] for what in ("names", "encodings", "sizes"))
        triples = list(zip(names, encodings, sizes, strict=True))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamageError("not an MDS shard: its header is not the JSON of one") from error
    sound = all(
        isinstance(name, str) and isinstance(encoding, str) and (size is None or (type(size) is int and size >= 0))
        for name, encoding, size in triples
    )
    if not sound or len(triples) > _MOST_COLUMNS or len({name for name, _, _ in triples}) != len(triples):
        raise DamageError("not an MDS shard: its header names columns that cannot be")
    return [mds_column(name, encoding, size, bytes_dtype) for name, encoding, size in triples]


class Shard:
    """An open shard.

    Attributes:
        declared: samples that it says it has.
        samples: those whose place is there.
        size: bytes of it, unpacked.
        columns: in the order of the values.
    """

    def __init__(self, file: BinaryIO, columns: list[MdsColumn]) -> None:
        self._file = file
        self.columns = columns
        self.size = file.seek(0, 2)
        file.seek(0)
        self.declared = int.from_bytes(file.read(4), "little")
        self.samples = max(0, min(self.declared, self.size // 4 - 2))
        self._reached = 4 + 4 * (self.declared + 1)

    def offsets(self, first: int, count: int) -> NDArray[np.int64]:
        """Returns where *count* samples start, and where the last of them ends."""
        self._file.seek(4 + 4 * first)
        return np.frombuffer(self._file.read(4 * (count + 1)), "<u4").astype(np.int64)

    def raw(self, start: int, stop: int) -> bytes:
        """Returns bytes of the shard."""
        self._file.seek(start)
        return self._file.read(stop - start)

    def why_not(self, start: int, stop: int) -> str | None:
        """Returns why no sample can stand at these bytes, where those before it were asked for in their order."""
        if self._reached <= start <= stop <= self.size:
            self._reached = stop
            return None
        return f"its bytes are to be {start:,} to {stop:,}; it can stand at bytes {self._reached:,} to {self.size:,}"

    def values(self, sample: bytes) -> list[bytes]:
        """Returns the bytes of each value of a sample.

        Raises:
            BadValueError: they do not make up the sample.
        """
        given = sum(column.size is None for column in self.columns)
        if len(sample) < 4 * given:
            raise BadValueError("the sample ends inside the sizes of its values")
        sizes = iter(np.frombuffer(sample, "<u4", given).tolist())
        at = 4 * given
        found: list[bytes] = []
        for column in self.columns:
            size = next(sizes) if column.size is None else column.size
            found.append(sample[at : at + size])
            at += size
        if at != len(sample):
            raise BadValueError(f"the sizes of its values make {at:,} bytes; the sample has {len(sample):,}")
        return found


@contextmanager
def open_shard(path: str, bytes_dtype: str) -> Iterator[Shard]:
    """Opens a shard; a compressed one is unpacked first, as far as it can be.

    Raises:
        OSError: it cannot be opened.
        DamageError: it is no shard, cannot be unpacked, or is larger than shards can be.
    """
    columns = columns_of(path, bytes_dtype)
    compression = compression_of(path)
    if compression is None:
        with open_binary(path) as file:
            yield Shard(file, columns)
        return
    with tempfile.TemporaryFile() as unpacked:
        size = 0
        for data in _chunks(path, compression):
            size += len(data)
            if size > _MOST_BYTES:
                raise DamageError("unpacked, it is larger than 4 GiB, which no MDS shard can be")
            unpacked.write(data)
        yield Shard(cast("BinaryIO", unpacked), columns)
