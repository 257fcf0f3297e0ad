"""Encodes a long document piece by piece, so that memory is bounded by a piece and not by the document.

The libraries need 6 to 150 bytes of memory for a byte of text, so a document of hundreds of megabytes cannot be given
to them whole. A piece is encoded together with the text that follows it. It is cut at a place from which that
following text, encoded alone, gives the same ids: those are left to the next piece. Places at line and word ends are
tried first, then any character; inside a run of one character, places that fit long tokens. Where no place fits, or the
next piece shows that a cut was wrong, the piece grows; past UNCUT_LIMIT the document is given up.
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
"""Bytes that a piece sees past its end, far more than a token is long. Runs are cut at multiples of as many characters,
which the lengths of the runs that vocabularies hold (2, 3, 4, 8, ... 128 characters) divide."""
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
    """A piece that has been encoded.

    Attributes:
        start, size: where it starts, and how many bytes it was meant to have.
        ids: its ids.
        next_start: where the next piece starts.
        head: ids that the next piece must begin with.
        skip: how many of them the next piece leaves out: 1 for tokenizers that put a token before every text.
    """

    start: int
    size: int
    ids: _Ids
    next_start: int
    head: _Ids
    skip: int


def encode_long(engine: Engine, text: memoryview) -> list[_Ids]:
    """Returns the ids of a UTF-8 text of any length, in pieces, without special tokens around them.

    Raises:
        EncodeError: There is no place to cut for UNCUT_LIMIT bytes, or the library gave up on a piece.
    """
    pieces: list[_Piece] = []
    start, size = 0, PIECE
    while start < len(text):
        piece = _next_piece(engine, text, start, size)
        if pieces and not np.array_equal(piece.ids[: len(pieces[-1].head)], pieces[-1].head):
            # the cut looked good from CONTEXT bytes, but text further away matters: take more at once
            again = pieces.pop()
            start, size = again.start, 2 * again.size
            continue
        pieces.append(piece)
        start, size = piece.next_start, PIECE
    skips = [0, *(piece.skip for piece in pieces)]
    return [piece.ids[skip:] for piece, skip in zip(pieces, skips, strict=False)]


def _next_piece(engine: Engine, text: memoryview, start: int, size: int) -> _Piece:
    while start + size + CONTEXT < len(text) and size <= UNCUT_LIMIT:
        piece = _cut(engine, text, start, size)
        if piece:
            return piece
        size *= 2
    if len(text) - start > UNCUT_LIMIT + CONTEXT:
        raise EncodeError(f"there is no place to cut it in the {UNCUT_LIMIT >> 20} MiB from byte {start}")
    ids = _encode(engine, text[start:])
    return _Piece(start, size, ids, len(text), ids[:0], 0)


def _cut(engine: Engine, text: memoryview, start: int, size: int) -> _Piece | None:
    """Returns the piece from *start* of about *size* bytes, or None if it cannot be cut there."""
    about = _character(text, start + size)
    far = _character(text, about + CONTEXT)
    whole = _encode(engine, text[start:far])
    shorter: _Ids | None = None
    for after, is_usual in _places(text, start, about):
        right = _encode(engine, text[after:far])
        head = right[: len(right) // 2]
        skip = next((n for n in (0, 1) if len(head) > n and _ends_with(whole, right[n:])), None)
        if skip is None:
            continue
        ids = whole[: len(whole) + skip - len(right)]
        if not is_usual:
            # a run may be divided from its far end: then one character less there changes the ids here
            shorter = _encode(engine, text[start : _character(text, far - 1)]) if shorter is None else shorter
            if not np.array_equal(shorter[: len(ids)], ids):
                continue
        return _Piece(start, size, ids, after, head, skip)
    return None


def _ends_with(ids: _Ids, end: _Ids) -> bool:
    return np.array_equal(ids[len(ids) - len(end) :], end)


def _places(text: memoryview, start: int, about: int) -> Iterator[tuple[int, bool]]:
    """Yields where the next piece may start, the likely places first, and whether it is a line or word end."""
    floor = max(start + 1, about - _ZONE)
    width = about - _character(text, about - 1)
    if about - _run_start(text, floor, about, width) >= CONTEXT * width:
        run = _run_start(text, start, about, width)
        yield run + (about - run) // (CONTEXT * width) * CONTEXT * width, False
    for pattern in _PLACES:
        found = [match.end(1) for match in pattern.finditer(text, floor, about)]
        yield from ((place, pattern is not _PLACES[-1]) for place in reversed(found[-_TRIES:]))


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
