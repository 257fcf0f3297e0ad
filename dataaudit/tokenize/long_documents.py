"""Encodes a long document piece by piece, so that memory is bounded by a piece and not by the document.

The libraries need 6 to 150 bytes of memory for a byte of text, so a document of hundreds of megabytes cannot be given
to them whole. A piece is encoded together with the text that follows it. It is cut at a place from which that
following text, encoded alone, gives the same ids: those are left to the next piece. Places at line and word ends are
tried first, then any character; inside a run of one character, places that fit long tokens. Without such a place the
piece grows; past UNCUT_LIMIT the document is given up.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.tokenize.engines import EncodeError, Engine

PIECE = 1 << 20
"""Bytes of a piece."""
UNCUT_LIMIT = 16 << 20
"""Bytes without a place to cut that are still encoded; about 2 GB of memory in the slower engine."""
CONTEXT = 12288
"""Bytes that a piece sees past its end, far more than a token is long. It is also a multiple of the runs that
vocabularies hold (2, 4, ... 128 times a character of 1 to 4 bytes)."""
_ZONE = 1 << 16
_TRIES = 8

_Ids = NDArray[np.uint32]
_PLACES = (
    re.compile(rb"\n()(?=[^\s])"),  # after a line end
    re.compile(rb"(?<=[^\s])()(?=\n)"),  # before one
    re.compile(rb"(?<=[^\s])()(?= [^\s])"),  # before a space, which becomes part of the next word
    re.compile(rb"(?<=[^\s])( )(?=[^\s])"),  # at a space, for tokenizers that put one before every text
    re.compile(rb"()(?=[\x00-\x7f\xc2-\xf4])"),  # before any character
)


class _Piece(NamedTuple):
    """The ids of a piece, where the next one starts, and the id that the next one begins with and must leave out."""

    ids: _Ids
    next_start: int
    lead: int | None


def encode_long(engine: Engine, text: memoryview) -> list[_Ids]:
    """Returns the ids of a UTF-8 text of any length, in pieces, without special tokens around them.

    Raises:
        EncodeError: There is no place to cut for UNCUT_LIMIT bytes, or the library gave up on a piece.
    """
    pieces: list[_Ids] = []
    start = 0
    lead: int | None = None
    while start < len(text):
        piece = _next_piece(engine, text, start)
        ids = piece.ids
        if lead is not None:
            if len(ids) == 0 or ids[0] != lead:
                raise EncodeError(f"the ids near byte {start} depend on text far from it")
            ids = ids[1:]
        pieces.append(ids)
        start, lead = piece.next_start, piece.lead
    return pieces


def _next_piece(engine: Engine, text: memoryview, start: int) -> _Piece:
    size = PIECE
    while start + size + CONTEXT < len(text):
        piece = _cut(engine, text, start, _character(text, start + size))
        if piece:
            return piece
        size *= 2
        if size > UNCUT_LIMIT:
            raise EncodeError(f"there is no place to cut it in the {UNCUT_LIMIT >> 20} MiB from byte {start}")
    return _Piece(_encode(engine, text[start:]), len(text), None)


def _cut(engine: Engine, text: memoryview, start: int, about: int) -> _Piece | None:
    """Returns the piece from *start* to a place a little before *about*, or None if there is no good place."""
    far = _character(text, about + CONTEXT)
    whole = _encode(engine, text[start:far])
    for after in _places(text, start, about):
        right = _encode(engine, text[after:far])
        if len(right) > 1 and np.array_equal(whole[-len(right) :], right):
            return _Piece(whole[: -len(right)], after, None)
        if len(right) > 2 and np.array_equal(whole[1 - len(right) :], right[1:]):
            return _Piece(whole[: 1 - len(right)], after, int(right[0]))
    return None


def _places(text: memoryview, start: int, about: int) -> Iterator[int]:
    """Yields where the next piece may start, the likely places first."""
    floor = max(start + 1, about - _ZONE)
    width = about - _character(text, about - 1)
    if about - _run_start(text, floor, about, width) >= CONTEXT:
        run = _run_start(text, start, about, width)
        yield run + (about - run) // CONTEXT * CONTEXT
    for pattern in _PLACES:
        found = [match.end(1) for match in pattern.finditer(text, floor, about)]
        yield from reversed(found[-_TRIES:])


def _run_start(text: memoryview, floor: int, about: int, width: int) -> int:
    """Returns where the run of the character of *width* bytes that ends at *about* begins, not before *floor*."""
    count = (about - floor) // width
    characters = np.frombuffer(text, np.uint8, count * width, about - count * width).reshape(count, width)
    other = np.flatnonzero((characters != characters[-1]).any(axis=1))
    return about - (count - 1 - int(other[-1]) if len(other) else count) * width


def _character(text: memoryview, at: int) -> int:
    """Returns the start of the character that holds the byte *at*, or the end of the text."""
    at = min(at, len(text))
    while 0 < at < len(text) and text[at] & 0xC0 == 0x80:
        at -= 1
    return at


def _encode(engine: Engine, text: memoryview) -> _Ids:
    return engine.encode([str(text, "utf-8")], add_special_tokens=False).ids
