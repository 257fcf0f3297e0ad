"""LitData chunks of a TokensLoader: ``uint32 n | uint32 offsets[n + 1] | items``, and ``index.json`` beside them.

An item is an array of ids, and a record; the loader itself reads over their borders.

Source: litdata, streaming/writer.py, streaming/item_loader.py and constants.py.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.corpus.columns import Column
from dataaudit.corpus.documents import CorpusFile, Piece, RawBatch, ReadOptions, Tally
from dataaudit.corpus.location import DamageError, open_binary
from dataaudit.corpus.readers import Span
from dataaudit.corpus.token_arrays.documents import array_records, read_arrays
from dataaudit.corpus.token_arrays.id_types import little
from dataaudit.corpus.token_arrays.indexed import cut_index
from dataaudit.corpus.token_arrays.measuring import layout_of
from dataaudit.corpus.token_arrays.naming import exists, stamp_of, suffix_of
from dataaudit.corpus.token_arrays.problems import Place, add_problem, add_problems
from dataaudit.corpus.token_arrays.sequences import Sequences
from dataaudit.corpus.token_arrays.shard_index import load_index, missing_shards, path_beside
from dataaudit.corpus.token_arrays.source import TokenSource
from dataaudit.corpus.token_layout import TokenLayout
from dataaudit.corpus.token_readers import Recognised

_TENSORS = {
    11: "uint8", 12: "int8", 13: "int16", 14: "int16", 15: "int32", 16: "int32", 17: "int64", 18: "int64",
    20: "uint16",
}  # fmt: skip
_ARRAYS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_TOKENS_LOADER = "TokensLoader"
_ROWS = 1 << 16


class _Entry(NamedTuple):
    """What ``index.json`` says of a chunk: the type of its ids, and the chunk's own entry."""

    dtype: str
    chunk: dict[str, Any]


def recognises(file: CorpusFile, _head: bytes) -> Recognised | None:
    """A ``.bin`` that the ``index.json`` beside it names as a chunk."""
    if suffix_of(file.name) != ".bin" or not exists(path_beside(file.path)):
        return None
    return "content" if _chunk(file.path, load_index(file.path)) is not None else None


def _chunks(index: dict[str, Any] | None) -> list[dict[str, Any]]:
    listed = index.get("chunks") if index else None
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _chunk(path: str, index: dict[str, Any] | None) -> dict[str, Any] | None:
    own = path.rpartition("/")[2]
    return next((each for each in _chunks(index) if each.get("filename") == own), None)


def _entry(path: str) -> _Entry:
    """Returns what the index says of a chunk.

    Raises:
        DamageError: it does not name it, or its items are no arrays of ids, or compressed or encrypted.
    """
    index = load_index(path)
    chunk = _chunk(path, index)
    config = index.get("config") if index else None
    if chunk is None or not isinstance(config, dict):
        raise DamageError("the index.json beside it, which says how a LitData chunk is read, does not name it")
    for what in ("compression", "encryption"):
        if config.get(what):
            raise DamageError(f"a LitData chunk with {what} ({config[what]!s:.40}); write it without")
    loader = config.get("item_loader") or (_TOKENS_LOADER if type(chunk.get("dim")) is int else "no loader")
    if loader != _TOKENS_LOADER:
        raise DamageError(f"a LitData chunk for {loader!s:.40}; chunks of token ids are written with {_TOKENS_LOADER}")
    return _Entry(_dtype(config.get("data_format")), chunk)


def _dtype(data_format: object) -> str:
    kind = data_format[0] if isinstance(data_format, list) and len(data_format) == 1 else None
    name, _, number = kind.partition(":") if isinstance(kind, str) else ("", "", "")
    at = int(number) if number.isdigit() and len(number) < 4 else -1
    dtype = _TENSORS.get(at) if name == "no_header_tensor" else None
    if name == "no_header_numpy" and 0 <= at < len(_ARRAYS):
        dtype = _ARRAYS[at]
    if dtype is None:
        raise DamageError(f"a LitData chunk whose items are {data_format!s:.80}, not one array of whole numbers each")
    return little(dtype)


def columns(_file: CorpusFile, _compression: str | None) -> list[Column]:
    """Returns nothing: a token array has no columns."""
    return []


def cut(file: CorpusFile, _compression: str | None, _options: ReadOptions, target_bytes: int) -> list[Span]:
    """Returns runs of items."""
    entry = _entry(file.path)
    declared = entry.chunk.get("dim")
    with open_binary(file.path) as data:
        chunk = _Chunk(TokenSource(data, "u1"))
        layout = TokenLayout(
            dtype=entry.dtype,
            dtype_from="sidecar",
            delimited_by="sample",
            header=chunk.begin,
            declared=declared if type(declared) is int else None,
            declared_by="index.json",
            side_stamps=(stamp_of(path_beside(file.path)),),
        )
        return cut_index(file, layout, target_bytes, chunk.ends(np.dtype(entry.dtype).itemsize))


class _Chunk:
    """The places of the items of a chunk.

    Attributes:
        declared: items that it says it has.
        items: those whose place is there.
        begin: the byte at which the first item starts.
    """

    def __init__(self, source: TokenSource) -> None:
        self._source = source
        self.declared = int.from_bytes(source.raw(0, 4), "little")
        self.items = max(0, min(self.declared, source.size // 4 - 2))
        self.begin = 4 * (self.declared + 2)
        if source.size < 8:
            raise DamageError(f"not a LitData chunk: it ends at byte {source.size}")

    def offsets(self, first: int, count: int) -> NDArray[np.int64]:
        """Returns where *count* items start, and where the last of them ends."""
        return np.frombuffer(self._source.raw(4 + 4 * first, 4 * (count + 1)), "<u4").astype(np.int64)

    def ends(self, itemsize: int) -> Iterator[NDArray[np.int64]]:
        """Yields, for each item, the id before which it ends."""
        for first in range(0, self.items, _ROWS):
            offsets = self.offsets(first, min(_ROWS, self.items - first))
            yield np.maximum(offsets[1:] - self.begin, 0) // itemsize


def read(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yields the items."""
    return read_arrays(piece, options, tally, _sequences)


def records(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[RawBatch]:
    """Yields the items as rows of a table."""
    return array_records(piece, options, tally, _sequences)


def _sequences(source: TokenSource, piece: Piece, tally: Tally) -> Iterator[Sequences]:
    chunk = _Chunk(source)
    if piece.first_record == 0:
        _check(chunk, source, piece, tally)
    stop = piece.first_record + (layout_of(piece).sequences or 0)
    for first in range(piece.first_record, stop, _ROWS):
        offsets = chunk.offsets(first, min(_ROWS, stop - first))
        yield _block(first, offsets, source, tally)
    if piece.stop is None and (lost := chunk.declared - chunk.items) > 0:
        tally.damage = tally.damage or f"the chunk ends inside the places of its items; {lost:,} are lost"


def _block(first: int, offsets: NDArray[np.int64], source: TokenSource, tally: Tally) -> Sequences:
    sizes = np.diff(offsets)
    lengths, aside = np.divmod(np.maximum(sizes, 0), source.itemsize)
    bad = np.flatnonzero((sizes < 0) | (aside > 0))

    def why(at: int) -> str:
        return f"the chunk gives it bytes {int(offsets[at]):,} to {int(offsets[at + 1]):,}, which hold no ids"

    add_problems(tally, "order", bad, lambda at: Place(first + at, None, why(at)))
    add_problems(tally, "empty", np.flatnonzero(sizes == 0), lambda at: Place(first + at, None, "it has no tokens"))
    return Sequences(first, offsets[:-1], lengths, None, {int(at): why(int(at)) for at in bad})


def _check(chunk: _Chunk, source: TokenSource, piece: Piece, tally: Tally) -> None:
    index = load_index(piece.file.path)
    names: list[tuple[str, ...]] = [(str(each.get("filename")),) for each in _chunks(index)]
    tally.damage = missing_shards(piece.file.path, names)
    entry = _chunk(piece.file.path, index) or {}
    for key, what, found in (("chunk_size", "items", chunk.declared), ("chunk_bytes", "bytes", source.size)):
        if entry.get(key) != found:
            add_problem(tally, "sidecar", f"index.json says {entry.get(key)!s:.40} {what}; the chunk has {found:,}")
