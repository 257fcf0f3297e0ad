"""MosaicML MDS shards, compressed or not: a table with a row a sample, of texts or token ids.

Source: mosaicml-streaming, base/format/mds.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from dataaudit.corpus.columns import Column, choose
from dataaudit.corpus.documents import CorpusFile, Piece, RawBatch, ReadOptions, Tally
from dataaudit.corpus.location import DamageError
from dataaudit.corpus.readers import Span
from dataaudit.corpus.stream import hash_range
from dataaudit.corpus.tables import Rows, documents
from dataaudit.corpus.token_array import native
from dataaudit.corpus.token_arrays.id_types import guessed
from dataaudit.corpus.token_arrays.mds_columns import BadValueError, MdsColumn, array_of, value_of
from dataaudit.corpus.token_arrays.mds_shard import Shard, columns_of, compression_of, open_shard
from dataaudit.corpus.token_arrays.naming import exists, stamp_of
from dataaudit.corpus.token_arrays.problems import add_problem
from dataaudit.corpus.token_arrays.shard_index import load_index, missing_shards, path_beside
from dataaudit.corpus.token_facts import TokenFacts
from dataaudit.corpus.token_layout import TokenHints, TokenLayout
from dataaudit.corpus.token_readers import Recognised

_UNREADABLE = (".mds.br", ".mds.snappy")
_COMPRESSED = (".mds.zstd", ".mds.zst", ".mds.gz", ".mds.bz2", ".mds.xz")
_STEP_BYTES = 1 << 20
_STEP_SAMPLES = 1 << 13
USUAL_BYTES = "int64"
"""What LLM-Foundry takes ids for that are stored as bytes."""


def recognises(file: CorpusFile, _head: bytes) -> Recognised | None:
    """The name; whether the content fits is seen when it is cut."""
    name = file.name.lower()
    if name.endswith(_UNREADABLE):
        raise DamageError("an MDS shard compressed with Brotli or Snappy; decompress it first")
    return "content" if name.endswith((".mds", *_COMPRESSED)) else None


def columns(file: CorpusFile, _compression: str | None) -> list[Column]:
    """Returns the columns that the header names."""
    return [Column(column.name, column.holds) for column in columns_of(file.path, USUAL_BYTES)]


def cut(file: CorpusFile, compression: str | None, options: ReadOptions, target_bytes: int) -> list[Span]:
    """Returns runs of samples; a compressed shard stays whole."""
    layout = _layout(file, choose(columns(file, compression), options).content, options.tokens or TokenHints())
    if compression_of(file.path) or (file.size or 0) <= target_bytes:
        return [Span(0, None, 0, file.size or 0, layout)]
    spans: list[Span] = []
    with open_shard(file.path, USUAL_BYTES) as shard:
        start = 0
        begin, goal = 0, target_bytes
        for first in range(0, shard.samples, _STEP_SAMPLES):
            ends = shard.offsets(first, min(_STEP_SAMPLES, shard.samples - first))[1:]
            for at in range(len(ends)):
                end = min(int(ends[at]), shard.size)
                if end >= goal and first + at + 1 < shard.samples:
                    spans.append(Span(start, first + at + 1, start, max(0, end - begin), layout))
                    start, begin = first + at + 1, end
                    goal = (end // target_bytes + 1) * target_bytes
        spans.append(Span(start, None, start, max(0, shard.size - begin), layout))
    return spans


def _layout(file: CorpusFile, content: str | None, hints: TokenHints) -> TokenLayout | None:
    """Returns how the ids stand in the column that is read; None where it holds text."""
    column = next((each for each in columns_of(file.path, USUAL_BYTES) if each.name == content), None)
    if column is None or column.holds != "ids":
        return None
    index = path_beside(file.path)
    stamps = (stamp_of(index),) if exists(index) else ()
    dtype, dtype_from = native(column.dtype or "int64").str, "header"
    if column.encoding == "bytes":
        dtype, dtype_from = guessed(hints if hints.dtype else TokenHints(), USUAL_BYTES)
    return TokenLayout(dtype=dtype, dtype_from=dtype_from, delimited_by="sample", side_stamps=stamps)


def read(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yields the documents of the piece's samples."""
    wanted = {piece.content, piece.id_column, piece.source_column, *piece.side_columns, *options.number_columns}
    with open_shard(piece.file.path, _bytes_dtype(piece)) as shard:
        _begin(shard, piece, tally)
        rows = _rows(shard, piece, {name for name in wanted if name is not None}, tally)
        yield from documents(_measured(rows, piece, tally), piece, options, tally)
        _end(shard, piece, tally)


def records(piece: Piece, _options: ReadOptions, tally: Tally) -> Iterator[RawBatch]:
    """Yields the samples with all their columns; those that are no text and no numbers as the bytes they are."""
    with open_shard(piece.file.path, _bytes_dtype(piece)) as shard:
        _begin(shard, piece, tally)
        for rows in _rows(shard, piece, {column.name for column in shard.columns}, tally):
            tally.records += rows.length
            yield RawBatch("arrow_stream", rows.length, rows.batch, rows.reason)
        _end(shard, piece, tally)


def _bytes_dtype(piece: Piece) -> str:
    return USUAL_BYTES if piece.layout is None else native(piece.layout.dtype).name


def _begin(shard: Shard, piece: Piece, tally: Tally) -> None:
    if piece.layout is not None:
        kind = native(piece.layout.dtype)
        tally.token_facts = TokenFacts(
            dtype=kind.name, itemsize=kind.itemsize, dtype_from=piece.layout.dtype_from, delimited_by="sample"
        )
    if piece.first_record == 0:
        _check_index(shard, piece, tally)


def _check_index(shard: Shard, piece: Piece, tally: Tally) -> None:
    index = load_index(piece.file.path)
    listed = index.get("shards") if index else None
    entries = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    tally.damage = missing_shards(piece.file.path, [_names(entry) for entry in entries])
    own = piece.file.path.rpartition("/")[2]
    entry = next((each for each in entries if own in _names(each)), None)
    if entry is None or tally.token_facts is None:
        return
    if entry.get("samples") != shard.declared:
        add_problem(
            tally,
            "sidecar",
            f"index.json says {entry.get('samples')!r} samples; the shard says {shard.declared:,}"[:200],
        )
    raw = entry.get("raw_data")
    size = raw.get("bytes") if isinstance(raw, dict) else None
    if size != shard.size:
        add_problem(tally, "sidecar", f"index.json says {size!r} bytes; the shard has {shard.size:,}"[:200])


def _names(entry: dict[str, Any]) -> tuple[str, ...]:
    """Returns the names of a shard's file in the index: not compressed, and compressed."""
    data = [entry.get(key) for key in ("raw_data", "zip_data")]
    return tuple(str(each.get("basename")) for each in data if isinstance(each, dict))


def _rows(shard: Shard, piece: Piece, names: set[str], tally: Tally) -> Iterator[Rows]:
    stop = shard.samples if piece.stop is None else min(piece.stop, shard.samples)
    wanted = [(at, column) for at, column in enumerate(shard.columns) if column.name in names]
    for first in range(piece.start, stop, _STEP_SAMPLES):
        offsets = shard.offsets(first, min(_STEP_SAMPLES, stop - first))
        start = 0
        while start < len(offsets) - 1:
            end = start + 1
            while end < len(offsets) - 1 and 0 <= offsets[end + 1] - offsets[start] <= _STEP_BYTES:
                end += 1
            yield from _some(shard, first + start, offsets[start : end + 1].tolist(), wanted)
            tally.bytes_read = min(piece.size, tally.bytes_read + max(0, int(offsets[end] - offsets[start])))
            start = end


def _some(shard: Shard, first: int, offsets: list[int], wanted: Sequence[tuple[int, MdsColumn]]) -> Iterator[Rows]:
    """Yields samples as rows of a table; one that cannot be read alone."""
    found: list[list[Any]] = []
    begun = first
    for number, (start, stop) in enumerate(pairwise(offsets), first):
        wrong = shard.why_not(start, stop)
        try:
            if wrong is None:
                values = shard.values(shard.raw(start, stop))
                found.append([value_of(column, values[at]) for at, column in wanted])
        except BadValueError as error:
            wrong = str(error)
        if wrong is not None:
            yield from _table(begun, found, wanted)
            yield Rows(number, 1, None, wrong)
            found, begun = [], number + 1
    yield from _table(begun, found, wanted)


def _table(first: int, found: list[list[Any]], wanted: Sequence[tuple[int, MdsColumn]]) -> Iterator[Rows]:
    if found:
        arrays = {column.name: array_of(column, [each[at] for each in found]) for at, (_, column) in enumerate(wanted)}
        batch = pa.record_batch(arrays) if arrays else pa.record_batch({"": pa.nulls(len(found))})
        yield Rows(first, len(found), batch)


def _measured(rows: Iterator[Rows], piece: Piece, tally: Tally) -> Iterator[Rows]:
    """Counts the ids of rows into the facts of the piece."""
    for each in rows:
        facts = tally.token_facts
        if facts is not None and each.batch is not None and piece.content in each.batch.schema.names:
            lists = each.batch.column(piece.content)
            values = lists.flatten().to_numpy() if isinstance(lists, pa.LargeListArray) else np.zeros(0, np.int64)
            if values.dtype.name == facts.dtype and values.dtype.kind in "iu":
                tally.token_facts = facts.with_tokens(values)
        yield each


def _end(shard: Shard, piece: Piece, tally: Tally) -> None:
    if piece.stop is None and (lost := shard.declared - shard.samples) > 0:
        tally.damage = tally.damage or f"the shard ends inside the places of its samples; {lost:,} are lost"
    start, stop = 0, None
    if piece.start or piece.stop is not None:
        last = shard.samples if piece.stop is None else piece.stop
        start = int(shard.offsets(piece.start, 0)[0]) if piece.start else 0
        stop = int(shard.offsets(last, 0)[0]) if piece.stop is not None else None
    tally.digest = hash_range(piece.file.path, start, stop)
    tally.bytes_read = piece.size
