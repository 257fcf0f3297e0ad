"""Megatron-LM: ids in ``.bin``; lengths and byte offsets of sequences, and documents, in ``.idx`` beside it.

A record is a sequence, which is what GPT datasets draw from. It is read where the index points to, as a trainer does.

Source: Megatron-LM, megatron/core/datasets/indexed_dataset.py.
"""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.corpus.columns import Column
from dataaudit.corpus.documents import CorpusFile, Piece, RawBatch, ReadOptions, Tally
from dataaudit.corpus.location import DamageError, open_binary
from dataaudit.corpus.readers import Span
from dataaudit.corpus.token_arrays.documents import array_records, read_arrays
from dataaudit.corpus.token_arrays.indexed import cut_index
from dataaudit.corpus.token_arrays.measuring import layout_of
from dataaudit.corpus.token_arrays.naming import beside, exists, stamp_of, suffix_of
from dataaudit.corpus.token_arrays.problems import Place, add_problem, add_problems
from dataaudit.corpus.token_arrays.sequences import Sequences
from dataaudit.corpus.token_arrays.source import TokenSource
from dataaudit.corpus.token_layout import TokenLayout
from dataaudit.corpus.token_readers import Recognised
from dataaudit.corpus.token_writers.megatron import MAGIC, VERSION

_HEADER_BYTES = 34
_CODES = {1: "<u1", 2: "<i1", 3: "<i2", 4: "<i4", 5: "<i8", 8: "<u2"}
_STEMS = ("_document", "_sentence")
"""How names end that Megatron's own tool gives."""
_FLOATS = {6: "float64", 7: "float32"}
_ROWS = 1 << 16


def recognises(file: CorpusFile, head: bytes) -> Recognised | None:
    """A ``.bin`` with an index beside it."""
    if head.startswith(MAGIC):
        ids = beside(file.path, PurePath(file.path).suffix, ".bin")
        there = "give that one" if exists(ids) else "which is missing"
        raise DamageError(f"this is the index of the Megatron-LM corpus {PurePath(ids).name}, {there}")
    if suffix_of(file.name) != ".bin":
        return None
    if exists(_index_of(file.path)):
        return "content"
    return "name" if PurePath(file.name).stem.endswith(_STEMS) else None


def _index_of(path: str) -> str:
    return beside(path, path[-4:], ".idx")


class _Index:
    """An open ``.idx``.

    Attributes:
        dtype: of the ids.
        declared: sequences that the header names.
        sequences: those whose length is there.
        documents: entries of the document index that the header names.
        size, expected_size: bytes of the file, and those that the header implies.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        header = file.read(_HEADER_BYTES)
        if len(header) < _HEADER_BYTES or not header.startswith(MAGIC):
            raise DamageError("the .idx beside it is no Megatron-LM index, or ends inside its header")
        version, code, self.declared, self.documents = struct.unpack("<QBQQ", header[len(MAGIC) :])
        if version != VERSION:
            raise DamageError(f"the .idx beside it has version {version}; only version {VERSION} is known")
        if code not in _CODES:
            what = f"ids stored as {_FLOATS[code]}" if code in _FLOATS else f"the unknown type code {code}"
            raise DamageError(f"the .idx beside it names {what}; whole numbers were expected")
        self.dtype = _CODES[code]
        self.size = file.seek(0, 2)
        self.expected_size = _HEADER_BYTES + 12 * self.declared + 8 * self.documents
        self.sequences = min(self.declared, (self.size - _HEADER_BYTES) // 4)

    def lengths(self, first: int, count: int) -> NDArray[np.int64]:
        """Returns the lengths of sequences as the index has them."""
        return self._read(_HEADER_BYTES + 4 * first, min(count, self.sequences - first), "<i4")

    def pointers(self, first: int, count: int) -> NDArray[np.int64]:
        """Returns byte offsets of sequences; fewer where the index ends."""
        return self._read(_HEADER_BYTES + 4 * self.declared + 8 * first, count, "<i8")

    def document_indices(self, first: int, count: int) -> NDArray[np.int64]:
        """Returns entries of the document index; fewer where the index ends."""
        return self._read(_HEADER_BYTES + 12 * self.declared + 8 * first, count, "<i8")

    def _read(self, start: int, count: int, dtype: str) -> NDArray[np.int64]:
        itemsize = np.dtype(dtype).itemsize
        count = max(0, min(count, (self.size - start) // itemsize))
        if not count:
            return np.zeros(0, np.int64)
        self._file.seek(start)
        return np.frombuffer(self._file.read(count * itemsize), dtype).astype(np.int64)


@contextmanager
def _open_index(path: str) -> Iterator[_Index]:
    with open_binary(_index_of(path)) as file:
        yield _Index(file)


def columns(_file: CorpusFile, _compression: str | None) -> list[Column]:
    """Returns nothing: a token array has no columns."""
    return []


def cut(file: CorpusFile, _compression: str | None, _options: ReadOptions, target_bytes: int) -> list[Span]:
    """Returns runs of sequences, by the lengths that the index gives."""
    if not exists(_index_of(file.path)):
        raise DamageError(
            "there is no .idx beside it, which says where its sequences end; --input-format nanogpt reads its ids as a "
            "stream"
        )
    with _open_index(file.path) as index:
        layout = TokenLayout(
            dtype=index.dtype,
            dtype_from="header",
            delimited_by="index",
            declared_by="index",
            side_stamps=(stamp_of(_index_of(file.path)),),
        )
        return cut_index(file, layout, target_bytes, _ends(index))


def _ends(index: _Index) -> Iterator[NDArray[np.int64]]:
    end = 0
    for first in range(0, index.sequences, _ROWS):
        ends = end + np.cumsum(np.maximum(index.lengths(first, _ROWS), 0))
        end = int(ends[-1])
        yield ends


def read(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yields the sequences."""
    return read_arrays(piece, options, tally, _sequences)


def records(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[RawBatch]:
    """Yields the sequences as rows of a table."""
    return array_records(piece, options, tally, _sequences)


def _sequences(source: TokenSource, piece: Piece, tally: Tally) -> Iterator[Sequences]:
    count = layout_of(piece).sequences or 0
    position = piece.start
    with _open_index(piece.file.path) as index:
        if piece.first_record == 0:
            _check_sizes(index, tally)
            _check_documents(index, tally)
        for first in range(piece.first_record, piece.first_record + count, _ROWS):
            lengths = index.lengths(first, min(_ROWS, piece.first_record + count - first))
            found = _block(index, first, position, lengths, source.itemsize, tally)
            yield found
            position += int(found.lengths.sum())
        if piece.stop is None and index.sequences < index.declared:
            lost = index.declared - index.sequences
            tally.damage = f"the .idx ends at byte {index.size}; {lost:,} of its {index.declared:,} sequences are lost"


def _block(
    index: _Index, first: int, position: int, lengths: NDArray[np.int64], itemsize: int, tally: Tally
) -> Sequences:
    """Returns some sequences; *position* is the id at which the first of them should start."""
    sound = np.maximum(lengths, 0)
    places = position + np.cumsum(sound) - sound
    starts = places * itemsize
    pointers = index.pointers(first, len(lengths))
    negative, empty = np.flatnonzero(lengths < 0), np.flatnonzero(lengths == 0)
    moved = np.flatnonzero(pointers != starts[: len(pointers)])

    def place(at: int, message: str) -> Place:
        return Place(first + at, int(places[at]), message)

    add_problems(tally, "length", negative, lambda at: place(at, f"its length is {lengths[at]:,}"))
    add_problems(tally, "empty", empty, lambda at: place(at, "it has no tokens"))
    add_problems(
        tally,
        "pointer",
        moved,
        lambda at: place(at, f"its pointer is byte {pointers[at]:,}; by the lengths it starts at byte {starts[at]:,}"),
    )
    wrong = {int(at): f"its length in the .idx is {int(lengths[at]):,}" for at in negative}
    starts[: len(pointers)] = pointers
    return Sequences(first, starts, sound, None, wrong)


def _check_sizes(index: _Index, tally: Tally) -> None:
    expected = index.expected_size
    if index.size not in (expected, expected + index.declared):  # the latter with a mode for each sequence
        message = (
            f"the .idx has {index.size:,} bytes; {index.declared:,} sequences and {index.documents:,} entries of "
            f"documents make {expected:,}"
        )
        add_problem(tally, "sidecar", message)


def _check_documents(index: _Index, tally: Tally) -> None:
    last = None
    for first in range(0, index.documents, _ROWS):
        entries = index.document_indices(first, _ROWS)
        if not len(entries):
            break
        if last is None and entries[0] != 0:
            add_problem(tally, "first", f"the first entry of the document index is {int(entries[0]):,}, not 0")
        chained = entries if last is None else np.concatenate(([last], entries))
        steps = np.diff(chained)
        _add_steps(tally, chained, steps)
        last = int(entries[-1])
    if last is not None and last != index.declared:
        add_problem(
            tally, "last", f"the last entry of the document index is {last:,}; there are {index.declared:,} sequences"
        )


def _add_steps(tally: Tally, entries: NDArray[np.int64], steps: NDArray[np.int64]) -> None:
    back, same = np.flatnonzero(steps < 0), np.flatnonzero(steps == 0)
    add_problems(
        tally,
        "order",
        back,
        lambda at: Place(
            None, None, f"the document index goes back from {int(entries[at]):,} to {int(entries[at + 1]):,}"
        ),
    )
    add_problems(
        tally, "hollow", same, lambda at: Place(int(entries[at]), None, "a document of the index holds no sequence")
    )
