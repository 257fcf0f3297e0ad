"""A JSON array, or JSON objects one after the other, cut into values without holding more than one of them.

A value of more bytes than may be held, white space behind it included, is walked through all the same, and what was
passed is let go.
"""

import re
from collections.abc import Generator, Iterator
from typing import NamedTuple

from dataaudit.corpus.documents import MAX_RECORD_BYTES, RAW_LIMIT, Tally
from dataaudit.corpus.long_records import LongRecord

_TEXT = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TO_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|' + _TEXT + rb")*+", re.DOTALL)
_TO_BRACKET_OR_COMMA = re.compile(rb'(?:[^"\[\]{},]++|' + _TEXT + rb")*+", re.DOTALL)
_SPACE = re.compile(rb"\s*")
_PAIRS = {b"}": b"{", b"]": b"["}
_IN_TEXT = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)


class Value(NamedTuple):
    """The bytes of a value without the white space around it, and where they start."""

    offset: int
    data: bytes | LongRecord


class _Window:
    """A sliding window over a stream of bytes.

    Attributes:
        data: the bytes at hand.
        offset: where they stand in the stream.
    """

    def __init__(self, chunks: Iterator[bytes], offset: int) -> None:
        self._chunks = chunks
        self.offset = offset
        self.data = b""

    def grow(self, begin: int) -> bool:
        """Drops what stands before *begin* and reads as much again as is left: long values are copied rarely."""
        parts = [self.data[begin:]]
        self.offset += begin
        size, left = 0, len(parts[0])
        while size <= left and (chunk := next(self._chunks, b"")):
            parts.append(chunk)
            size += len(chunk)
        self.data = b"".join(parts)
        return size > 0

    def end_of_text(self, at: int) -> int:
        """Returns the place behind the text that begins at *at*, letting go of what is in it; -1 when it has no end."""
        at += 1
        while True:
            found = _IN_TEXT.match(self.data, at)
            at = found.end() if found else at
            if self.data[at : at + 1] == b'"':
                return at + 1
            if not self.grow(at):
                return -1
            at = 0


class _Skipped(NamedTuple):
    """The beginning of a value that is too long to be held."""

    offset: int
    head: bytes


def values(
    chunks: Iterator[bytes], start: int, tally: Tally, longest: int = MAX_RECORD_BYTES
) -> Generator[Value, None, None]:
    """Yields the elements of the array, or the values one after the other when the first is no array.

    A value that is wrong inside costs only itself as long as its brackets and quotes are closed. What is wrong with the
    whole is named in the tally: an array that is not closed, bytes after its end.
    """
    window = _Window(chunks, start)
    while not window.data.strip() and window.grow(len(window.data)):
        """White space may stand in front."""
    begin = len(window.data) - len(window.data.lstrip())
    in_array = window.data[begin : begin + 1] == b"["
    yield from _scan(window, begin + in_array, tally, longest, in_array=in_array)


def _scan(window: _Window, begin: int, tally: Tally, longest: int, *, in_array: bool) -> Iterator[Value]:
    """Walks from bracket to bracket, over texts, to the comma behind a value; the value at hand starts at *begin*."""
    not_closed: list[bytes] = []
    skipped: _Skipped | None = None
    at = begin
    while True:
        passed = (_TO_BRACKET if not_closed else _TO_BRACKET_OR_COMMA).match(window.data, at)
        at = passed.end() if passed else at
        mark = window.data[at : at + 1]
        if not mark or mark == b'"':
            if skipped is None:
                begin = _SPACE.match(window.data, begin).end()  # type: ignore[union-attr]
            if skipped is None and len(window.data) - begin > longest:
                skipped = _Skipped(window.offset + begin, window.data[begin : begin + RAW_LIMIT])
            if skipped is not None:
                begin = at
                if mark and (at := window.end_of_text(at)) >= 0:
                    begin = at
                    continue
            more = at >= 0 and window.grow(begin)
            at, begin = max(0, at - begin), 0
            if more:
                continue
            if skipped is not None:
                _not_closed(window, tally)
            elif window.data.strip():
                yield from _last(window, tally, in_array=in_array, closed=not mark and not not_closed)
            elif in_array:
                _not_closed(window, tally)
            return
        at += 1
        if mark in b"[{":
            not_closed.append(mark)
        elif mark in b"]}":
            if mark == b"]" and in_array and not not_closed:
                yield from _value(window, begin, at - 1, skipped, longest)
                _only_space(window, at, tally)
                return
            _close(not_closed, _PAIRS[mark])
        if not not_closed and mark == (b"," if in_array else b"}"):
            yield from _value(window, begin, at - in_array, skipped, longest)
            begin, skipped = at, None


def _close(not_closed: list[bytes], bracket: bytes) -> None:
    """Closes a bracket, and those inside that were left open: that value is no JSON and will be named."""
    if bracket in not_closed:
        while not_closed.pop() != bracket:
            continue


def _value(window: _Window, begin: int, stop: int, skipped: _Skipped | None, longest: int) -> Iterator[Value]:
    if skipped is not None:
        yield Value(skipped.offset, LongRecord(skipped.head, window.offset + stop - skipped.offset))
        return
    begin = _SPACE.match(window.data, begin, stop).end()  # type: ignore[union-attr]
    if begin < stop:
        data = window.data[begin:stop].rstrip()
        yield Value(window.offset + begin, data if len(data) <= longest else LongRecord.of(data))


def _only_space(window: _Window, at: int, tally: Tally) -> None:
    end = window.offset + at
    while not window.data[at:].strip():
        if not window.grow(len(window.data)):
            return
        at = 0
    tally.damage = tally.damage or f"bytes follow after the end of the JSON array, at byte {end}"


def _last(window: _Window, tally: Tally, *, in_array: bool, closed: bool) -> Iterator[Value]:
    if in_array:
        _not_closed(window, tally)
        if closed and window.data.rstrip().endswith((b"}", b"]")):
            yield from _value(window, 0, len(window.data), None, len(window.data))
    else:
        tally.damage = tally.damage or f"the JSON value at byte {window.offset} is not closed"


def _not_closed(window: _Window, tally: Tally) -> None:
    end = window.offset + len(window.data)
    tally.damage = tally.damage or f"the JSON array is not closed; the file ends at byte {end}"
