"""Compressed bytes in, plain bytes out, as far as they can be read."""

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator

import zstandard

from dataaudit.corpus.location import DamageError

_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
}
_SKIPPABLE = range(0x184D2A50, 0x184D2A60)
_FRAME_MAGIC = 0xFD2FB528
_OUTPUT = 1 << 20
"""Most bytes that one step gives: a small file may hold very much."""


def find_compression(head: bytes) -> str | None:
    """Returns "gzip", "zstd", "bz2", "xz" or None by the first bytes."""
    if len(head) >= 4 and int.from_bytes(head[:4], "little") in _SKIPPABLE:
        return "zstd"
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)


def decompress(chunks: Iterator[bytes], compression: str) -> Iterator[bytes]:
    """Yields the plain bytes of all members or frames, at most about 1 MiB at a time.

    Raises:
        DamageError: after everything before the damage was given; it names the byte of the compressed file.
    """
    return _DECODERS[compression](_Input(chunks))


class _Input:
    """Compressed bytes as they come, with the position in the file."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._buffer = b""
        self._at = 0
        self.position = 0

    def some(self) -> bytes:
        """Returns the next bytes, whatever is at hand; empty at the end."""
        if self._at == len(self._buffer):
            self._buffer, self._at = next(self._chunks, b""), 0
        data = self._buffer[self._at :]
        self._at = len(self._buffer)
        self.position += len(data)
        return data

    def give_back(self, data: bytes) -> None:
        """Puts unused bytes back in front."""
        self._buffer, self._at = data + self._buffer[self._at :], 0
        self.position -= len(data)

    def exactly(self, count: int) -> bytes:
        """Returns the next *count* bytes, fewer only at the end."""
        data = self._buffer[self._at : self._at + count]
        self._at += len(data)
        while len(data) < count and (more := next(self._chunks, b"")):
            self._buffer, self._at = more, min(count - len(data), len(more))
            data += more[: self._at]
        self.position += len(data)
        return data


def _gzip(source: _Input) -> Iterator[bytes]:
    first = True
    while data := source.some():
        if not first and not (data := data.lstrip(b"\0")):
            continue  # zero padding after the last member
        if len(data) < 2:
            data += source.some()
        if data[:2] != b"\x1f\x8b":
            raise DamageError(f"bytes that are no gzip data follow at byte {source.position - len(data)}")
        first = False
        yield from _gzip_member(source, data)


def _gzip_member(source: _Input, data: bytes) -> Iterator[bytes]:
    member = zlib.decompressobj(wbits=31)
    while not member.eof:
        if not data and not (data := source.some()):
            raise DamageError(f"the gzip data end early, at byte {source.position}")
        before = member.copy()
        try:
            output = member.decompress(data, _OUTPUT)
        except zlib.error as error:
            yield from _up_to_error(before, data, source.position - len(data), error)
        else:
            data = member.unconsumed_tail
            yield output
            while len(output) == _OUTPUT and not data and not member.eof:
                output = member.decompress(b"", _OUTPUT)
                yield output
    source.give_back(member.unused_data)


def _up_to_error(member: "zlib._Decompress", data: bytes, position: int, error: zlib.error) -> Iterator[bytes]:
    """Feeds byte by byte, so that nothing before the damage is lost; ends in DamageError."""
    for at in range(len(data)):
        rest = data[at : at + 1]
        try:
            while True:
                output = member.decompress(rest, _OUTPUT)
                yield output
                rest = member.unconsumed_tail
                if not rest and len(output) < _OUTPUT:
                    break
        except zlib.error:
            raise DamageError(f"the gzip data are damaged at byte {position + at} ({_short(error)})") from error
    raise DamageError(f"the gzip data are damaged near byte {position} ({_short(error)})") from error


def _short(error: Exception) -> str:
    return str(error).rpartition(": ")[2]


def _zstd(source: _Input) -> Iterator[bytes]:
    while head := source.exactly(4):
        magic = int.from_bytes(head, "little")
        if magic in _SKIPPABLE and len(head) == 4:
            size = int.from_bytes(_zstd_bytes(source, 4), "little")
            while size:
                size -= len(_zstd_bytes(source, min(size, _OUTPUT)))
        elif magic == _FRAME_MAGIC:
            yield from _zstd_frame(source, head)
        else:
            raise DamageError(f"bytes that are no zstd data follow at byte {source.position - len(head)}")


def _zstd_frame(source: _Input, head: bytes) -> Iterator[bytes]:
    """Feeds one block at a time: a step gives at most 128 KiB, and damage costs no block before it."""
    descriptor = _zstd_bytes(source, 1)
    flags = descriptor[0]
    single = flags >> 5 & 1
    content_size = (single, 2, 4, 8)[flags >> 6]
    data = head + descriptor + _zstd_bytes(source, (1 - single) + (0, 1, 2, 4)[flags & 3] + content_size)
    frame = zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()
    last = False
    while not last:
        at = source.position
        block = _zstd_bytes(source, 3)
        word = int.from_bytes(block, "little")
        last = bool(word & 1)
        block += _zstd_bytes(source, 1 if word >> 1 & 3 == 1 else word >> 3)
        if last and flags >> 2 & 1:
            block += _zstd_bytes(source, 4)
        try:
            yield frame.decompress(data + block)
        except zstandard.ZstdError as error:
            raise DamageError(f"the zstd data are damaged in the block at byte {at} ({_short(error)})") from error
        data = b""


def _zstd_bytes(source: _Input, count: int) -> bytes:
    data = source.exactly(count)
    if len(data) < count:
        raise DamageError(f"the zstd data end early, at byte {source.position}")
    return data


def _streams(
    name: str, new: Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor], source: _Input
) -> Iterator[bytes]:
    while data := source.some():
        if not (data := data.lstrip(b"\0")):
            continue  # xz pads with zeros
        stream = new()
        while not stream.eof:
            if stream.needs_input and not data and not (data := source.some()):
                raise DamageError(f"the {name} data end early, at byte {source.position}")
            try:
                output = stream.decompress(data, _OUTPUT >> 4)
            except (OSError, lzma.LZMAError) as error:
                at = source.position
                raise DamageError(f"the {name} data are damaged before byte {at} ({_short(error)})") from error
            data = b""
            yield output
        source.give_back(stream.unused_data)


def _bz2(source: _Input) -> Iterator[bytes]:
    return _streams("bz2", bz2.BZ2Decompressor, source)


def _xz(source: _Input) -> Iterator[bytes]:
    return _streams("xz", lzma.LZMADecompressor, source)


_DECODERS: dict[str, Callable[[_Input], Iterator[bytes]]] = {"gzip": _gzip, "zstd": _zstd, "bz2": _bz2, "xz": _xz}
