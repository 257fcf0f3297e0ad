"""Bytes in, whole lines out. Only LF and CR LF end a line."""

from collections.abc import Generator, Iterator

from dataaudit.corpus.documents import MAX_RECORD_BYTES, RAW_LIMIT, Tally
from dataaudit.corpus.long_records import LongRecord
from dataaudit.corpus.stream import Stream


def line_blocks(
    stream: Stream, tally: Tally, longest: int = MAX_RECORD_BYTES
) -> Generator[bytes | LongRecord, None, None]:
    """Yields runs of whole lines, without the line feed after the last of each.

    A line longer than a chunk is a block of its own and is copied once. One of more than *longest* bytes is read past.
    When the stream ends in damage, the last line is incomplete and is not given.
    """
    line = _Line(longest)
    for chunk in stream.chunks:
        end = chunk.rfind(b"\n")
        if end < 0:
            line.add(chunk)
            continue
        start = 0
        if line.size:
            start = chunk.find(b"\n") + 1
            line.add(chunk[: start - 1])
            yield line.take()
        if start <= end:
            yield from _checked(chunk[start:end], longest)
        line.add(chunk[end + 1 :])
    if line.size and tally.damage is None:
        yield line.take()


def lines_of(blocks: Iterator[bytes | LongRecord]) -> Iterator[bytes | LongRecord]:
    """Yields the lines of blocks one by one."""
    for block in blocks:
        if isinstance(block, LongRecord):
            yield block
        else:
            yield from block.split(b"\n")


def joined(chunks: Iterator[bytes], longest: int = MAX_RECORD_BYTES) -> bytes | LongRecord:
    """Returns all bytes as one record."""
    line = _Line(longest)
    for chunk in chunks:
        line.add(chunk)
    return line.take()


class _Line:
    """A line that comes in parts, of which no more is kept than may be."""

    def __init__(self, longest: int) -> None:
        self.longest = longest
        self.size = 0
        self._parts: list[bytes] = []

    def add(self, part: bytes) -> None:
        if not part:
            return
        self.size += len(part)
        self._parts.append(part)
        if self.size > self.longest:
            self._parts = [b"".join(each[:RAW_LIMIT] for each in self._parts)[:RAW_LIMIT]]

    def take(self) -> bytes | LongRecord:
        data, size = b"".join(self._parts), self.size
        self._parts, self.size = [], 0
        return LongRecord(data[:RAW_LIMIT], size) if size > self.longest else data


def _checked(block: bytes, longest: int) -> Iterator[bytes | LongRecord]:
    """Yields a block, line by line if one of them may be too long."""
    if len(block) <= longest:
        yield block
        return
    for line in block.split(b"\n"):
        yield LongRecord.of(line) if len(line) > longest else line
