"""Bytes in, whole lines out. Only LF and CR LF end a line."""

from collections.abc import Generator

from dataaudit.corpus.documents import Tally
from dataaudit.corpus.stream import Stream


def line_blocks(stream: Stream, tally: Tally) -> Generator[bytes, None, None]:
    """Yields runs of whole lines, without the line feed after the last of each.

    A line longer than a chunk is a block of its own and is copied once. When the stream ends in damage, the last line
    is incomplete and is not given.
    """
    rest: list[bytes] = []
    for chunk in stream.chunks:
        end = chunk.rfind(b"\n")
        if end < 0:
            rest.append(chunk)
            continue
        start = 0
        if rest:
            start = chunk.find(b"\n") + 1
            rest.append(chunk[: start - 1])
            yield _joined(rest)
        if start <= end:
            yield chunk[start:end]
        rest = [chunk[end + 1 :]] if end + 1 < len(chunk) else []
    if rest and tally.damage is None:
        yield _joined(rest)


def _joined(parts: list[bytes]) -> bytes:
    line = b"".join(parts)
    parts.clear()
    return line
