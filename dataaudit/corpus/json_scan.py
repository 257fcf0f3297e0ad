"""A JSON array, or JSON objects one after the other, cut into values without holding more than one of them."""

import re
from collections.abc import Generator, Iterator
from typing import NamedTuple

from dataaudit.corpus.documents import Tally
from dataaudit.corpus.location import DamageError

_TEXT = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TO_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|' + _TEXT + rb")*+", re.DOTALL)
_TO_BRACKET_OR_COMMA = re.compile(rb'(?:[^"\[\]{},]++|' + _TEXT + rb")*+", re.DOTALL)
_SPACE = re.compile(rb"\s*")
_PAIRS = {b"}": b"{", b"]": b"["}
_LARGEST = 1 << 32


class Value(NamedTuple):
    """The bytes of a value without the white space around it, and where they start."""

    offset: int
    data: bytes


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
        if len(self.data) > _LARGEST:
            raise DamageError(f"the value at byte {self.offset} does not end within 4 GiB")
        return size > 0


def values(chunks: Iterator[bytes], start: int, tally: Tally) -> Generator[Value, None, None]:
    """Yields the elements of the array, or the values one after the other when the first is no array.

    A value that is wrong inside costs only itself as long as its brackets and quotes are closed. What is wrong with the
    whole is named in the tally: an array that is not closed, bytes after its end.
    """
    window = _Window(chunks, start)
    try:
        while not window.data.strip() and window.grow(len(window.data)):
            """White space may stand in front."""
        begin = len(window.data) - len(window.data.lstrip())
        in_array = window.data[begin : begin + 1] == b"["
        yield from _scan(window, begin + in_array, tally, in_array=in_array)
    except DamageError as error:
        tally.damage = tally.damage or str(error)


def _scan(window: _Window, begin: int, tally: Tally, *, in_array: bool) -> Iterator[Value]:
    """Walks from bracket to bracket, over texts, to the comma behind a value; the value at hand starts at *begin*."""
    not_closed: list[bytes] = []
    at = begin
    while True:
        skipped = (_TO_BRACKET if not_closed else _TO_BRACKET_OR_COMMA).match(window.data, at)
        at = skipped.end() if skipped else at
        mark = window.data[at : at + 1]
        if not mark or mark == b'"':
            more = window.grow(begin)
            at, begin = at - begin, 0
            if more:
                continue
            if window.data.strip():
                yield from _last(window, tally, in_array=in_array, closed=not mark and not not_closed)
            elif in_array:
                _not_closed(window, tally)
            return
        at += 1
        if mark in b"[{":
            not_closed.append(mark)
        elif mark in b"]}":
            if mark == b"]" and in_array and not not_closed:
                yield from _value(window, begin, at - 1)
                _only_space(window, at, tally)
                return
            _close(not_closed, _PAIRS[mark])
        if not not_closed and mark == (b"," if in_array else b"}"):
            yield from _value(window, begin, at - in_array)
            begin = at


def _close(not_closed: list[bytes], bracket: bytes) -> None:
    """Closes a bracket, and those inside that were left open: that value is no JSON and will be named."""
    if bracket in not_closed:
        while not_closed.pop() != bracket:
            continue


def _value(window: _Window, begin: int, stop: int) -> Iterator[Value]:
    begin = _SPACE.match(window.data, begin, stop).end()  # type: ignore[union-attr]
    if begin < stop:
        yield Value(window.offset + begin, window.data[begin:stop].rstrip())


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
            yield from _value(window, 0, len(window.data))
    else:
        tally.damage = tally.damage or f"the JSON value at byte {window.offset} is not closed"


def _not_closed(window: _Window, tally: Tally) -> None:
    end = window.offset + len(window.data)
    tally.damage = tally.damage or f"the JSON array is not closed; the file ends at byte {end}"
