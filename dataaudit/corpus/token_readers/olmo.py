"""OLMo and dolma: ids without a header under the name ``.npy``, and a line for every document in ``.csv.gz``.

A line is ``start,end,id,src,loc``, in tokens. Without it, an end-of-text id stands after every document.

Source: OLMo-core, data/utils.py and numpy_dataset.py; dolma, tokenizer/memmap_writer.py.
"""

from collections.abc import Iterator

import msgspec
import numpy as np
import pyarrow as pa

from dataaudit.corpus.columns import Column
from dataaudit.corpus.documents import CorpusFile, Piece, RawBatch, ReadOptions, Tally
from dataaudit.corpus.location import DamageError
from dataaudit.corpus.readers import Span
from dataaudit.corpus.token_arrays.csv_index import CsvRow, blocks_of, csv_rows
from dataaudit.corpus.token_arrays.delimited import cut_delimited, stream_sequences
from dataaudit.corpus.token_arrays.documents import array_records, read_arrays
from dataaudit.corpus.token_arrays.id_types import IdType, guessed
from dataaudit.corpus.token_arrays.indexed import cut_index
from dataaudit.corpus.token_arrays.measuring import layout_of
from dataaudit.corpus.token_arrays.naming import beside, exists, stamp_of, suffix_of
from dataaudit.corpus.token_arrays.problems import Place, add_problem, add_problems
from dataaudit.corpus.token_arrays.sequences import Sequences
from dataaudit.corpus.token_arrays.source import TokenSource
from dataaudit.corpus.token_layout import TokenHints, TokenLayout
from dataaudit.corpus.token_readers import Recognised

_NUMPY = b"\x93NUMPY"
_SIZES = (2, 4, 1, 8)
"""Bytes of an id, the most usual first."""


def recognises(file: CorpusFile, head: bytes) -> Recognised | None:
    """A name with ``.npy`` and no header of NumPy; the lines beside it say the rest."""
    if suffix_of(file.name) != ".npy" or head.startswith(_NUMPY):
        return None
    return "content" if exists(_lines_of(file.path)) else "name"


def _lines_of(path: str) -> str:
    return beside(path, path[-4:], ".csv.gz")


def columns(_file: CorpusFile, _compression: str | None) -> list[Column]:
    """Returns nothing: a token array has no columns."""
    return []


def cut(file: CorpusFile, _compression: str | None, options: ReadOptions, target_bytes: int) -> list[Span]:
    """Returns runs of documents by the lines beside it; without them, parts that end where documents end."""
    hints = options.tokens or TokenHints()
    layout = TokenLayout(dtype="<u2", dtype_from="default", delimited_by="index", declared_by="csv.gz")
    lines = _lines_of(file.path)
    if not exists(lines):
        kind = guessed(hints)
        layout = msgspec.structs.replace(layout, dtype=kind.dtype, dtype_from=kind.dtype_from, declared_by=None)
        return cut_delimited(file, layout, hints, target_bytes)
    ends = list(_ends(lines))
    last = max((int(block.max()) for block in ends), default=0)
    kind = _dtype(file, last, hints)
    layout = msgspec.structs.replace(
        layout, dtype=kind.dtype, dtype_from=kind.dtype_from, side_stamps=(stamp_of(lines),)
    )
    return cut_index(file, layout, target_bytes, ends)


def _ends(path: str) -> "Iterator[np.ndarray[tuple[int], np.dtype[np.int64]]]":
    try:
        for block in blocks_of(csv_rows(path)):
            yield np.array([row.end for row in block], np.int64)
    except DamageError:
        """The rows before the damage count; reading the last piece names it."""


def _dtype(file: CorpusFile, tokens: int, hints: TokenHints) -> IdType:
    """Returns the type of the ids: the one that makes as many as the lines say, else what is guessed."""
    if tokens and file.size is not None:
        for size in _SIZES:
            if tokens * size == file.size:
                return IdType(f"<u{size}" if size > 1 else "|u1", "sidecar")
    return guessed(hints)


def read(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yields the documents."""
    return read_arrays(piece, options, tally, _sequences)


def records(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[RawBatch]:
    """Yields the documents as rows of a table."""
    return array_records(piece, options, tally, _sequences)


def _sequences(source: TokenSource, piece: Piece, tally: Tally) -> Iterator[Sequences]:
    count = layout_of(piece).sequences
    if count is None:
        yield from stream_sequences(source, piece, tally)
        return
    first, before = piece.first_record, piece.start
    rows = csv_rows(_lines_of(piece.file.path), first, None if piece.stop is None else count)
    try:
        for block in blocks_of(rows):
            yield _block(first, before, block, source, tally)
            first += len(block)
            before = block[-1].end
    except DamageError as error:
        tally.damage = f"the .csv.gz is damaged after line {first}: {error}"
    if piece.stop is None and before != source.tokens:
        add_problem(
            tally, "last", f"the last document ends at token {before:,}; the file has {source.tokens:,}", before
        )


def _block(first: int, before: int, rows: list[CsvRow], source: TokenSource, tally: Tally) -> Sequences:
    starts = np.array([row.start for row in rows], np.int64)
    ends = np.array([row.end for row in rows], np.int64)
    wrong = {at: row.wrong for at, row in enumerate(rows) if row.wrong}
    previous = np.concatenate(([before], ends[:-1]))
    moved = np.flatnonzero(starts != previous)
    empty = [at for at in np.flatnonzero(ends == starts).tolist() if at not in wrong]

    def moves(at: int) -> Place:
        message = f"it starts at token {int(starts[at]):,}; the one before ends at {int(previous[at]):,}"
        return Place(first + at, int(previous[at]), message)

    add_problems(tally, "sidecar", list(wrong), lambda at: Place(first + at, None, wrong[at]))
    add_problems(tally, "pointer", [at for at in moved.tolist() if at not in wrong], moves)
    add_problems(tally, "empty", empty, lambda at: Place(first + at, int(starts[at]), "it has no tokens"))
    return Sequences(first, starts * source.itemsize, ends - starts, [row.name for row in rows], wrong)
