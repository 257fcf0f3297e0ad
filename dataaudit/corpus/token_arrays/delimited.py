"""Sequences of a stream of ids without an index: delimited by an id at their end or start, or of one length."""

from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from dataaudit.corpus.documents import CorpusFile, Piece, Tally
from dataaudit.corpus.readers import Span
from dataaudit.corpus.token_array import native
from dataaudit.corpus.token_arrays.measuring import layout_of
from dataaudit.corpus.token_arrays.sequences import Sequences
from dataaudit.corpus.token_arrays.source import BLOCK, TokenSource, open_tokens
from dataaudit.corpus.token_layout import DelimitedBy, TokenHints, TokenLayout

USUAL_LENGTH = 2048
"""Tokens of a sequence where nothing delimits documents and no context length is known."""
_LOOKED_AT = 8 * BLOCK
"""Ids at the beginning of a file that must hold the delimiter once."""
_ROWS = 1 << 16


def delimited(
    source: TokenSource, layout: TokenLayout, hints: TokenHints, *, at_start: bool = False, usual: int | None = None
) -> TokenLayout:
    """Returns the layout with what delimits documents, from what is known of the ids.

    Args:
        source: the open file.
        layout: with the type of the ids and the header; its ``delimited_by`` is replaced.
        hints: which ids begin and end documents.
        at_start: whether the format puts the delimiter, even an end-of-text id, in front of each document.
        usual: the id that the format's own tools put there, taken if it occurs and none other is known.
    """
    wanted: list[tuple[DelimitedBy, int | None]] = [("eos", hints.eos_id), ("bos", hints.bos_id)]
    if at_start:
        wanted = [("bos", hints.bos_id), ("bos", hints.eos_id)]
    for kind, number in wanted:
        if number is not None and _occurs(source, layout.dtype, number):
            return _with(layout, delimited_by=kind, delimiter=number)
    if usual is not None and (hints.bos_id, hints.eos_id) == (None, None) and _occurs(source, layout.dtype, usual):
        return _with(layout, delimited_by="bos" if at_start else "eos", delimiter=usual)
    missing = next((number for _, number in wanted if number is not None), None) if source.tokens else None
    return _with(layout, delimited_by="length", length=hints.max_length or USUAL_LENGTH, missing=missing)


def _with(layout: TokenLayout, **changes: str | int | None) -> TokenLayout:
    return msgspec.structs.replace(layout, **changes)


def _occurs(source: TokenSource, dtype: str, number: int) -> bool:
    if not np.iinfo(native(dtype)).min <= number <= np.iinfo(native(dtype)).max:
        return False
    steps = range(0, min(_LOOKED_AT, source.tokens), BLOCK)
    return any(bool((source.ids(first, BLOCK) == number).any()) for first in steps)


def cut_stream(file: CorpusFile, source: TokenSource, layout: TokenLayout, target_bytes: int) -> list[Span]:
    """Returns parts that end where a document ends, at or after a multiple of *target_bytes*.

    To number the documents of a file that is larger than that, all of it is read once.
    """
    if (file.size or source.size) <= target_bytes:
        return [Span(0, None, 0, source.size, layout)]
    spans: list[Span] = []
    start = first = count = 0
    goal = target_bytes
    for bounds in _bounds(source, layout, 0, source.tokens):
        while len(bounds):
            at = int(np.searchsorted(bounds, -(-goal // source.itemsize)))
            if at == len(bounds) or int(bounds[at]) >= source.tokens:
                count += len(bounds)
                break
            stop, count = int(bounds[at]), count + at + 1
            spans.append(Span(start, stop, first, (stop - start) * source.itemsize, layout))
            start, first = stop, count
            goal = (stop * source.itemsize // target_bytes + 1) * target_bytes
            bounds = bounds[at + 1 :]
    spans.append(Span(start, None, first, source.size - source.byte_of(start) if start else source.size, layout))
    return spans


def _bounds(source: TokenSource, layout: TokenLayout, start: int, stop: int) -> Iterator[NDArray[np.int64]]:
    """Yields the places at which documents end, those after *start*, a block at a time; at *stop* none needs to."""
    if layout.delimited_by == "length":
        assert layout.length is not None
        for first in range(start + layout.length, stop + 1, layout.length * _ROWS):
            last = min(first + layout.length * _ROWS, stop + 1)
            yield np.arange(first, last, layout.length, dtype=np.int64)
        return
    after = layout.delimited_by == "eos"
    for first in range(start, stop, BLOCK):
        ids = source.ids(first, min(BLOCK, stop - first))
        found = np.flatnonzero(ids == layout.delimiter) + (first + after)
        yield found if after or first > start else found[found > start]


def stream_sequences(source: TokenSource, piece: Piece, _tally: Tally) -> Iterator[Sequences]:
    """Yields the sequences of a piece of a stream."""
    stop = source.tokens if piece.stop is None else min(piece.stop, source.tokens)
    start, number = piece.start, piece.first_record
    for ends in _bounds(source, layout_of(piece), piece.start, stop):
        for first in range(0, len(ends), _ROWS):
            some = ends[first : first + _ROWS]
            starts = np.concatenate(([start], some[:-1]))
            yield Sequences(number, source.header + starts * source.itemsize, some - starts)
            number, start = number + len(some), int(some[-1])
    if start < stop:
        yield Sequences(number, np.array([source.byte_of(start)]), np.array([stop - start]))


def cut_delimited(
    file: CorpusFile,
    layout: TokenLayout,
    hints: TokenHints,
    target_bytes: int,
    *,
    at_start: bool = False,
    usual: int | None = None,
) -> list[Span]:
    """Returns the parts of a stream of ids, with what delimits its documents: see ``delimited``."""
    with open_tokens(file.path, layout) as source:
        found = delimited(source, layout, hints, at_start=at_start, usual=usual)
        return cut_stream(file, source, found, target_bytes)
