"""Sequences that are rows of a table of ids."""

from collections.abc import Iterator

import msgspec
import numpy as np

from dataaudit.corpus.documents import CorpusFile, Piece, Tally
from dataaudit.corpus.readers import Span
from dataaudit.corpus.token_arrays.measuring import layout_of
from dataaudit.corpus.token_arrays.sequences import Sequences
from dataaudit.corpus.token_arrays.source import TokenSource, open_tokens
from dataaudit.corpus.token_layout import TokenLayout

_ROWS = 1 << 16


def cut_rows(file: CorpusFile, layout: TokenLayout, rows: int, target_bytes: int) -> list[Span]:
    """Returns runs of rows of about *target_bytes*; rows that the file does not even begin are in none."""
    with open_tokens(file.path, layout) as source:
        row_bytes = max(1, (layout.length or 0) * source.itemsize)
        rows = min(rows, -(-max(0, source.size - layout.header) // row_bytes)) if layout.length else 0
        step = max(1, target_bytes // row_bytes)
        spans: list[Span] = []
        for first in range(0, max(1, rows), step):
            count = min(step, rows - first)
            is_last = first + count >= rows
            start, stop = first * (layout.length or 0), (first + count) * (layout.length or 0)
            part = msgspec.structs.replace(layout, sequences=count)
            spans.append(Span(start, None if is_last else stop, first, count * row_bytes, part))
    return spans


def row_sequences(source: TokenSource, piece: Piece, tally: Tally) -> Iterator[Sequences]:
    """Yields the rows of a piece."""
    layout = layout_of(piece)
    count, length = layout.sequences or 0, layout.length or 0
    for first in range(piece.first_record, piece.first_record + count, _ROWS):
        numbers = np.arange(first, min(first + _ROWS, piece.first_record + count), dtype=np.int64)
        starts = source.header + numbers * length * source.itemsize
        yield Sequences(first, starts, np.full(len(numbers), length, np.int64))
    rows = (layout.declared or 0) // length if length else 0
    if piece.stop is None and (lost := rows - piece.first_record - count) > 0:
        tally.damage = f"the file ends at byte {source.size}; {lost:,} of its {rows:,} rows are lost"
