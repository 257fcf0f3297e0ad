"""The normal form that documents are compared in: the same for every width, case and spacing of a text.

In this order: NFKC; case folding; control characters (category Cc) that are no white space go; a run of white space
becomes one space, and white space at the ends goes. As Python with the pinned Unicode version would do it::

    text = unicodedata.normalize("NFKC", text).casefold()
    text = "".join(c for c in text if unicodedata.category(c) != "Cc" or c.isspace())
    text = " ".join(text.split())

A text is cut before every character that neither composes with what stands before it nor is reordered. A piece of one
character, which nearly all are, is one look into a table; only longer pieces are taken apart, ordered and composed.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.decode import Decoded
from dataaudit.kernels.jit import ONE, kernel

Integer = int | np.integer[Any]
Points = NDArray[np.uint32]
Table = tuple[NDArray[Any], NDArray[Any]]

with np.load(Path(__file__).parent / "data" / "normal.npz", allow_pickle=False) as _tables:
    VERSION = str(_tables["version"])
    """The Unicode version of the tables."""
    _FOLD = (_tables["fold_pages"], _tables["fold_cells"])
    _APART = (_tables["apart_pages"], _tables["apart_cells"])
    """Two-stage tables: what to add to a code point to get its replacement, or a sequence's place and length."""
    _ORDER = (_tables["order_pages"], _tables["order_cells"])
    """The canonical combining class."""
    FACTS = (_tables["fact_pages"], _tables["fact_cells"])
    """The bits below, by code point."""
    _SEQUENCES = _tables["sequences"]
    _PAIRS = (_tables["pair_keys"], _tables["pair_values"])

STARTS, CONTROL, SPACE, WORD, MARK, OWN, PLAIN = 1, 2, 4, 8, 16, 32, 64
"""Facts of a code point.

STARTS: nothing that stands before it can change it.
CONTROL, SPACE: category Cc without white space; white space.
WORD: category L or N, or the low line.
MARK: category M.
OWN: a letter, mark or number of a script whose code points are units: Han, Hiragana, Katakana, Hangul, Thai, Lao,
    Khmer, Myanmar.
PLAIN: its folding is itself, and it is neither CONTROL nor SPACE.
"""
_SEQUENCE = 1 << 30
_MOST_FROM_ONE = 32
"""More code points than any one code point becomes (18 in Unicode 15.1)."""
_MOST_FOLDED = 3
"""Most code points that one of NFKC becomes in case folding."""
_ALWAYS_STARTS = 0x300
"""No code point below combines with what stands before it."""
_SHORT_PIECE = 32
BLANK = 32
_L, _V, _T, _S = 0x1100, 0x1161, 0x11A7, 0xAC00
_VT, _TS, _SYLLABLES, _LS, _VS = 588, 28, 11172, 19, 21


class Normal(NamedTuple):
    """Texts in normal form, one document after the other.

    Attributes:
        codepoints: uint32[n], the code points.
        offsets: int64[documents + 1], where each document starts in them.
    """

    codepoints: NDArray[np.uint32]
    offsets: NDArray[np.int64]


def normal(decoded: Decoded) -> Normal:
    """Returns the texts in normal form; 4 bytes of memory a character, and as much again where many grow."""
    return Normal(*_normalise(decoded.codepoints, decoded.offsets, _FOLD, _APART, _ORDER, FACTS, _SEQUENCES, _PAIRS))


@kernel
def look(table: Table, point: Integer) -> Any:
    """Returns what a two-stage table holds for a code point."""
    return table[1][np.int64(table[0][point >> 8]) * 256 + np.int64(point & 255)]


@kernel
def _put(out: Points, size: int, start: int, point: Integer, fact: int) -> int:
    """Writes a folded code point; returns the new size. White space is written once, and never first."""
    if fact & CONTROL:
        return size
    if fact & SPACE:
        if size == start or out[size - 1] == BLANK:
            return size
        point = BLANK
    out[size] = point
    return size + 1


@kernel
def _put_folded(
    out: Points, size: int, start: int, point: Integer, fold: Table, facts: Table, sequences: Points
) -> int:
    """Writes the folding of a code point that NFKC has left as it is, or of one that stands alone."""
    change = look(fold, point)
    if change < _SEQUENCE:
        point += change
        return _put(out, size, start, point, look(facts, point))
    first, length = (change & (_SEQUENCE - 1)) >> 5, change & 31
    for k in range(first, first + length):
        size = _put(out, size, start, np.int64(sequences[k]), look(facts, np.int64(sequences[k])))
    return size


@kernel
def _larger(out: Points, needed: int) -> Points:
    larger = np.empty(2 * needed, np.uint32)
    larger[: len(out)] = out
    return larger


@kernel
def _normalise(
    codepoints: Points,
    offsets: NDArray[np.int64],
    fold: Table,
    apart: Table,
    order: Table,
    facts: Table,
    sequences: Points,
    pairs: Table,
) -> tuple[Points, NDArray[np.int64]]:
    ascii_fold = _ascii_fold(fold, facts)
    total = len(codepoints)
    out = np.empty(total + 2 * _MOST_FROM_ONE, np.uint32)
    starts, size = np.zeros(len(offsets), np.int64), 0
    for document in range(len(offsets) - 1):
        i, end, start = offsets[document], offsets[document + 1], size
        while i < end:
            last = out[size - 1] if size > start else np.uint32(BLANK)
            i, size = _put_ascii(codepoints, i, end, ascii_fold, out, size, last)
            first = i
            i += 1
            while i < end and codepoints[i] >= _ALWAYS_STARTS and not look(facts, np.int64(codepoints[i])) & STARTS:
                i += 1
            if i == first + 1 and look(facts, np.int64(codepoints[first])) & PLAIN:
                out[size] = codepoints[first]
                size += 1
                continue
            if i == first + 1:
                if size + total - i + 2 * _MOST_FROM_ONE > len(out):
                    out = _larger(out, size + total - i + 2 * _MOST_FROM_ONE)
                size = _put_folded(out, size, start, np.int64(codepoints[first]), fold, facts, sequences)
                continue
            piece = _composed(codepoints[first:i], apart, order, sequences, pairs)
            needed = size + total - i + len(piece) * _MOST_FOLDED + 2 * _MOST_FROM_ONE
            if needed > len(out):
                out = _larger(out, needed)
            for point in piece:
                size = _put_folded(out, size, start, point, fold, facts, sequences)
        if size > start and out[size - 1] == BLANK:
            size -= 1
        starts[document + 1] = size
    return out[:size], starts


@kernel
def _put_ascii(
    codepoints: Points, first: Integer, end: Integer, ascii_fold: Points, out: Points, size: Integer, last: Integer
) -> tuple[int, int]:
    """Writes ASCII up to where something else may follow; returns the place reached and the new size."""
    at, stop, to = np.uint64(first), np.uint64(end - 1), np.uint64(size)
    while at < stop and codepoints[at] < 128 and codepoints[at + ONE] < _ALWAYS_STARTS:
        plain = ascii_fold[codepoints[at]]
        out[to] = plain
        to += np.uint64((plain > BLANK) | ((plain == BLANK) & (last != BLANK)))
        last = plain if plain else last
        at += ONE
    return int(np.int64(at)), int(np.int64(to))


@kernel
def _ascii_fold(fold: Table, facts: Table) -> Points:
    """Returns the folding of the first 128 code points: 0 for those that go, BLANK for white space."""
    found = np.zeros(128, np.uint32)
    for point in range(128):
        fact = look(facts, point)
        if fact & SPACE:
            found[point] = BLANK
        elif not fact & CONTROL:
            found[point] = point + look(fold, point)
    return found


@kernel
def _composed(piece: Points, apart: Table, order: Table, sequences: Points, pairs: Table) -> NDArray[np.int64]:
    """Returns NFKC of one piece."""
    points = _taken_apart(piece, apart, sequences)
    orders = np.empty(len(points), np.int64)
    for k in range(len(points)):
        orders[k] = look(order, points[k])
    _reorder(points, orders)
    size, starter, last = 0, -1, -1
    for k in range(len(points)):
        point, rank = points[k], orders[k]
        if starter >= 0 and (last < rank or last < 0):
            whole = _pair(points[starter], point, pairs)
            if whole >= 0:
                points[starter] = whole
                continue
        if rank == 0:
            starter, last = size, -1
        else:
            last = rank
        points[size] = point
        size += 1
    return points[:size]


@kernel
def _taken_apart(piece: Points, apart: Table, sequences: Points) -> NDArray[np.int64]:
    """Returns the full compatibility decomposition of the code points, not yet in order."""
    most = 0
    for k in range(len(piece)):
        change = look(apart, np.int64(piece[k]))
        most += 3 if change < _SEQUENCE else change & 31
    points, size = np.empty(most, np.int64), 0
    for k in range(len(piece)):
        point = np.int64(piece[k])
        syllable = point - _S
        if 0 <= syllable < _SYLLABLES:
            points[size] = _L + syllable // _VT
            points[size + 1] = _V + syllable % _VT // _TS
            size += 2
            if syllable % _TS:
                points[size] = _T + syllable % _TS
                size += 1
            continue
        change = look(apart, point)
        if change < _SEQUENCE:
            points[size] = point + change
            size += 1
            continue
        first, length = (change & (_SEQUENCE - 1)) >> 5, change & 31
        for at in range(first, first + length):
            points[size] = np.int64(sequences[at])
            size += 1
    return points[:size]


@kernel
def _reorder(points: NDArray[np.int64], orders: NDArray[np.int64]) -> None:
    """Puts each run of combining characters in canonical order, in time n log n however long it is."""
    k = 0
    while k < len(points):
        if orders[k] == 0:
            k += 1
            continue
        first = k
        while k < len(points) and orders[k] != 0:
            k += 1
        if k - first > _SHORT_PIECE:
            places = np.argsort(orders[first:k], kind="mergesort")
            points[first:k] = points[first:k][places]
            orders[first:k] = orders[first:k][places]
            continue
        for j in range(first + 1, k):
            point, rank, at = points[j], orders[j], j
            while at > first and orders[at - 1] > rank:
                points[at], orders[at] = points[at - 1], orders[at - 1]
                at -= 1
            points[at], orders[at] = point, rank


@kernel
def _pair(first: Integer, second: Integer, pairs: Table) -> Integer:
    """Returns what two code points compose to, or -1."""
    if _L <= first < _L + _LS and _V <= second < _V + _VS:
        return _S + (first - _L) * _VT + (second - _V) * _TS
    if 0 <= first - _S < _SYLLABLES and (first - _S) % _TS == 0 and _T < second < _T + _TS:
        return first + second - _T
    keys, values = pairs
    key = np.uint64(first) << np.uint64(21) | np.uint64(second)
    at = np.searchsorted(keys, key)
    if at < len(keys) and keys[at] == key:
        return np.int64(values[at])
    return np.int64(-1)
