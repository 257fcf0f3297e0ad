"""datatrove: ids in ``.ds``, ends of documents in ``.ds.index``, size of an id in ``.ds.metadata``, ``.ds.loss``.

Where ``.ds.loss`` says that an id gives no loss, its label is -100.

Source: datatrove, pipeline/tokens/tokenizer.py and utils/dataset.py.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.corpus.columns import Column
from dataaudit.corpus.documents import CorpusFile, Piece, RawBatch, ReadOptions, Tally
from dataaudit.corpus.location import DamageError, open_binary
from dataaudit.corpus.readers import Span
from dataaudit.corpus.token_arrays.delimited import cut_delimited, stream_sequences
from dataaudit.corpus.token_arrays.documents import array_records, read_arrays
from dataaudit.corpus.token_arrays.id_types import IdType, guessed
from dataaudit.corpus.token_arrays.indexed import cut_index
from dataaudit.corpus.token_arrays.losses import labels_of
from dataaudit.corpus.token_arrays.measuring import layout_of
from dataaudit.corpus.token_arrays.naming import exists, stamp_of, suffix_of
from dataaudit.corpus.token_arrays.problems import Place, add_problem, add_problems
from dataaudit.corpus.token_arrays.sequences import Sequences
from dataaudit.corpus.token_arrays.source import TokenSource
from dataaudit.corpus.token_layout import TokenHints, TokenLayout
from dataaudit.corpus.token_readers import Recognised

_SIDECARS = (".index", ".metadata", ".loss")
_ENTRY = 8
_ROWS = 1 << 16
_MOST_METADATA = 1 << 16
_LARGEST = (1 << 58) - 1
"""No file is as large; entries of a damaged index are cut to it, so that byte offsets stay in 64 bits."""


def recognises(file: CorpusFile, _head: bytes) -> Recognised | None:
    """The name; the files beside it say the rest."""
    sidecar = next((ending for ending in _SIDECARS if file.name.endswith(f".ds{ending}")), None)
    if sidecar is not None:
        ids = file.path.removesuffix(sidecar)
        there = "give that one" if exists(ids) else "which is missing"
        raise DamageError(f"this belongs to the datatrove file {PurePath(ids).name}, {there}")
    return "content" if suffix_of(file.name) == ".ds" else None


def columns(_file: CorpusFile, _compression: str | None) -> list[Column]:
    """Returns nothing: a token array has no columns."""
    return []


class _Metadata(msgspec.Struct, frozen=True):
    """What ``.ds.metadata`` says; None where it does not."""

    token_size: int | None
    tokens: int | None
    tokenizer: str | None


def _metadata(path: str) -> _Metadata | None:
    if not exists(f"{path}.metadata"):
        return None
    with open_binary(f"{path}.metadata") as file:
        first, second, *_ = [*file.read(_MOST_METADATA).split(b"\n"), b"", b""]
    name, _, size = first.rpartition(b"|")
    return _Metadata(_number(size.strip()), _number(second.strip()), name.decode("utf-8", "replace")[:256] or None)


def _number(text: bytes) -> int | None:
    return int(text) if text.isdigit() and len(text) < 19 else None


class _Index:
    """An open ``.ds.index``: *size* bytes, *sequences* entries."""

    def __init__(self, path: str) -> None:
        self._file = open_binary(f"{path}.index")
        self.size = self._file.seek(0, 2)
        self.sequences = self.size // _ENTRY

    def ends(self, first: int, count: int) -> NDArray[np.int64]:
        """Returns the ids before which some documents end."""
        self._file.seek(first * _ENTRY)
        entries = np.frombuffer(self._file.read(max(0, min(count, self.sequences - first)) * _ENTRY), "<u8")
        capped: NDArray[np.uint64] = np.minimum(entries, np.uint64(_LARGEST))
        return capped.astype(np.int64)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


@contextmanager
def _open_index(path: str) -> Iterator[_Index]:
    index = _Index(path)
    try:
        yield index
    finally:
        index.close()


def cut(file: CorpusFile, _compression: str | None, options: ReadOptions, target_bytes: int) -> list[Span]:
    """Returns runs of documents by the index; without one, parts that end where documents end."""
    hints = options.tokens or TokenHints()
    beside = [f"{file.path}{ending}" for ending in _SIDECARS]
    metadata = _metadata(file.path)
    layout = TokenLayout(
        dtype="<u2",
        dtype_from="default",
        delimited_by="index",
        declared_by="index",
        side_stamps=tuple(stamp_of(path) if exists(path) else "" for path in beside),
        sides=("labels",) if exists(beside[2]) else (),
        tokenizer=metadata.tokenizer if metadata else None,
    )
    if not exists(beside[0]):
        kind = _dtype(file, metadata, None, hints)
        declared = metadata.tokens if metadata else None
        layout = msgspec.structs.replace(
            layout, dtype=kind.dtype, dtype_from=kind.dtype_from, declared=declared, declared_by="metadata"
        )
        return cut_delimited(file, layout, hints, target_bytes)
    with _open_index(file.path) as index:
        last = index.ends(index.sequences - 1, 1) if index.sequences else np.zeros(1, np.int64)
        kind = _dtype(file, metadata, int(last[0]), hints)
        layout = msgspec.structs.replace(layout, dtype=kind.dtype, dtype_from=kind.dtype_from)
        blocks = (index.ends(first, _ROWS) for first in range(0, index.sequences, _ROWS))
        return cut_index(file, layout, target_bytes, blocks)


def _dtype(file: CorpusFile, metadata: _Metadata | None, tokens: int | None, hints: TokenHints) -> IdType:
    """Returns the type of the ids: the one that makes as many as the index says, else what the metadata say."""
    if tokens and file.size is not None:
        for size in (2, 4):
            if tokens * size == file.size:
                return IdType(f"<u{size}", "sidecar")
    if metadata and metadata.token_size in (2, 4):
        return IdType(f"<u{metadata.token_size}", "sidecar")
    return guessed(hints)


def read(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yields the documents."""
    with labels_of(piece, f"{piece.file.path}.loss") as labels:
        yield from read_arrays(piece, options, tally, _sequences, labels)


def records(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[RawBatch]:
    """Yields the documents as rows of a table."""
    with labels_of(piece, f"{piece.file.path}.loss") as labels:
        yield from array_records(piece, options, tally, _sequences, labels)


def _sequences(source: TokenSource, piece: Piece, tally: Tally) -> Iterator[Sequences]:
    is_first = piece.start == 0 and piece.first_record == 0
    if is_first:
        _check_metadata(source, piece, tally)
    if layout_of(piece).sequences is None:
        if is_first:
            add_problem(tally, "sidecar", "there is no .ds.index beside it, which says where documents end")
        yield from stream_sequences(source, piece, tally)
        return
    with _open_index(piece.file.path) as index:
        if is_first:
            _check_index(index, source, tally)
        yield from _indexed(index, source, piece, tally)


def _indexed(index: _Index, source: TokenSource, piece: Piece, tally: Tally) -> Iterator[Sequences]:
    first, left = piece.first_record, layout_of(piece).sequences or 0
    before = int(index.ends(first - 1, 1)[0]) if first else 0
    while left > 0:
        ends = index.ends(first, min(_ROWS, left))
        if not len(ends):
            break
        starts = np.concatenate(([before], ends[:-1]))
        yield _block(first, starts, ends, source, tally)
        first, left, before = first + len(ends), left - len(ends), int(ends[-1])


def _block(
    first: int, starts: NDArray[np.int64], ends: NDArray[np.int64], source: TokenSource, tally: Tally
) -> Sequences:
    lengths = ends - starts
    back, empty = np.flatnonzero(lengths < 0), np.flatnonzero(lengths == 0)

    def goes_back(at: int) -> str:
        return f"the index goes back from {int(starts[at]):,} to {int(ends[at]):,}"

    add_problems(tally, "order", back, lambda at: Place(first + at, int(starts[at]), goes_back(at)))
    add_problems(tally, "empty", empty, lambda at: Place(first + at, int(starts[at]), "it has no tokens"))
    wrong = {int(at): goes_back(int(at)) for at in back}
    return Sequences(first, starts * source.itemsize, np.maximum(lengths, 0), None, wrong)


def _check_index(index: _Index, source: TokenSource, tally: Tally) -> None:
    if index.size % _ENTRY:
        add_problem(tally, "sidecar", f"the .ds.index has {index.size:,} bytes, which is no multiple of {_ENTRY}")
    last = int(index.ends(index.sequences - 1, 1)[0]) if index.sequences else 0
    if last != source.tokens:
        add_problem(tally, "last", f"the last document ends at token {last:,}; the file has {source.tokens:,}", last)


def _check_metadata(source: TokenSource, piece: Piece, tally: Tally) -> None:
    metadata = _metadata(piece.file.path)
    if metadata is not None:
        if metadata.token_size != source.itemsize:
            add_problem(
                tally,
                "sidecar",
                f"the .ds.metadata say {metadata.token_size} bytes an id; they are read as {source.itemsize}",
            )
        if metadata.tokens is not None and metadata.tokens != source.tokens:
            add_problem(
                tally, "sidecar", f"the .ds.metadata say {metadata.tokens:,} tokens; the file has {source.tokens:,}"
            )
    if piece.side_columns:
        with open_binary(f"{piece.file.path}.loss") as losses:
            size = losses.seek(0, 2)
        if size != source.tokens:
            add_problem(
                tally, "sidecar", f"the .ds.loss has {size:,} bytes, one for a token; there are {source.tokens:,}"
            )
