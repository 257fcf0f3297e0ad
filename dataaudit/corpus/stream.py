"""The bytes of a piece: hashed and counted as stored, then decompressed, then UTF-8."""

import codecs
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import pyarrow as pa
import xxhash

from dataaudit.corpus.compression import decompress
from dataaudit.corpus.documents import Piece, Tally
from dataaudit.corpus.location import DamageError, open_binary, why

CHUNK = 1 << 20
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class Stream:
    """What a text format reads.

    Attributes:
        chunks: plain UTF-8 bytes without a byte-order mark; they end early when the tally names a damage.
        offset: where the first of them stands in the decompressed file; None when the file was UTF-16, whose bytes
            are others.
    """

    chunks: Iterator[bytes]
    offset: int | None


class Head(NamedTuple):
    """The beginning of a file.

    Attributes:
        data: plain UTF-8 bytes without a byte-order mark.
        whole: whether this is all there is.
        encoding: "utf-8", or "utf-16" when the file begins with its byte-order mark.
    """

    data: bytes
    whole: bool
    encoding: str


def stored_bytes(path: str, start: int, stop: int | None, tally: Tally) -> Generator[bytes, None, None]:
    """Yields the bytes of a file from *start* to *stop*, counts them, and sets the digest at their end."""
    digest = xxhash.xxh3_128()
    position = start
    with open_binary(path) as file:
        file.seek(start)
        while stop is None or position < stop:
            try:
                data = file.read(CHUNK if stop is None else min(CHUNK, stop - position))
            except OSError as error:
                tally.damage = f"the file cannot be read at byte {position}: {why(error)}"
                break
            if not data:
                break
            digest.update(data)
            tally.bytes_read += len(data)
            position += len(data)
            yield data
    if stop is not None and position < stop and tally.damage is None:
        tally.damage = f"the file ends at byte {position}; it was longer when the run was planned"
    tally.digest = digest.hexdigest()


def hash_range(path: str, start: int, stop: int | None) -> str:
    """Returns the digest of a part of a file."""
    tally = Tally()
    for _ in stored_bytes(path, start, stop, tally):
        """The bytes are only hashed."""
    return tally.digest or ""


def open_stream(piece: Piece, tally: Tally) -> Stream:
    """Opens a piece of a text format; what cannot be decompressed ends up in ``tally.damage``.

    Raises:
        OSError: the file cannot be opened.
    """
    stored = stored_bytes(piece.file.path, piece.start, piece.stop, tally)
    chunks = _decompressed(stored, piece.compression, tally) if piece.compression else stored
    first = b""
    while len(first) < 3 and (more := next(chunks, b"")):
        first += more
    if piece.start == 0 and first.startswith(codecs.BOM_UTF8):
        return Stream(chain([first[3:]], chunks), 3)
    if piece.start == 0 and first.startswith(_UTF16):
        return Stream(_from_utf16(chain([first], chunks), tally), None)
    return Stream(chain([first], chunks), piece.start)


def _decompressed(stored: Iterator[bytes], compression: str, tally: Tally) -> Iterator[bytes]:
    try:
        yield from (data for data in decompress(stored, compression) if data)
    except DamageError as error:
        tally.damage = tally.damage or str(error)
    for _ in stored:
        """The digest covers the bytes after the damage too."""


def _from_utf16(chunks: Iterator[bytes], tally: Tally) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-16")("strict")
    try:
        for data in chunks:
            if text := decoder.decode(data):
                yield text.encode()
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        tally.damage = tally.damage or f"the file begins as UTF-16, but is not: {error.reason}"
        for _ in chunks:
            """The digest covers the rest too."""


def is_utf16(head: bytes) -> bool:
    """Returns whether a file begins with the byte-order mark of UTF-16."""
    return head.startswith(_UTF16)


def is_utf8(data: bytes) -> bool:
    """Returns whether bytes are valid UTF-8; several times faster than decoding them."""
    offsets = pa.py_buffer(b"\0" * 8 + len(data).to_bytes(8, "little"))
    try:
        pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, pa.py_buffer(data)]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def head_of(first: bytes, compression: str | None) -> Head:
    """Returns the first stored bytes of a file decompressed and as UTF-8, as far as they can be read.

    Raises:
        DamageError: all of the file is there, and nothing of it can be decompressed.
    """
    data, whole = first, len(first) < CHUNK
    if compression:
        parts: list[bytes] = []
        size = 0
        try:
            for part in decompress(iter([first]), compression):
                parts.append(part)
                size += len(part)
                if size >= CHUNK:
                    whole = False
                    break
        except DamageError:
            if whole and not size:
                raise
        data = b"".join(parts)
    if is_utf16(data):
        return Head(codecs.getincrementaldecoder("utf-16")("replace").decode(data).encode(), whole, "utf-16")
    return Head(data.removeprefix(codecs.BOM_UTF8), whole, "utf-8")
