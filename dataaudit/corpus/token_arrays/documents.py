"""Sequences in, batches of documents and the facts of the file out."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.corpus.batches import batch_schema
from dataaudit.corpus.documents import RAW_LIMIT, Fault, FaultKind, Piece, Places, RawBatch, ReadOptions, Tally
from dataaudit.corpus.token_arrays.measuring import Measuring, layout_of
from dataaudit.corpus.token_arrays.sequences import Part, Sequences, parts
from dataaudit.corpus.token_arrays.source import TokenSource, open_tokens
from dataaudit.corpus.token_values import WRONG_ID

_INT64_BYTES = 8
_MOST_READ = 4
"""How many times the ids of a file are read at most."""
_LARGEST = (1 << 63) - 1
Blocks = Callable[[TokenSource, Piece, Tally], Iterator[Sequences]]
"""Gives the sequences of a piece, and puts the problems of the index into the facts of the tally."""
Sides = Callable[[Part, NDArray[Any]], list[pa.Array]]
"""Gives the lists beside the ids of the sequences that can be read."""


def read_arrays(
    piece: Piece, options: ReadOptions, tally: Tally, blocks: Blocks, sides: Sides | None = None
) -> Iterator[pa.RecordBatch]:
    """Yields the documents of a piece and fills the tally; as ``Reader.read``."""
    schema = batch_schema(piece, options)
    for read in _read(piece, options, tally, blocks):
        for at, (kind, reason) in sorted(read.faults.items()):
            tally.faults.append(_fault(kind, reason, tally.records + at, read, at))
        columns = _columns(read, tally.records, schema)
        beside = sides(read.part, read.ids) if sides else []
        columns += beside + [pa.nulls(len(read.part.records), pa.float64())] * len(options.number_columns)
        tally.records += len(read.part.records)
        if read.faults:
            keep = pa.array([at not in read.faults for at in range(len(read.part.records))])
            columns = [column.filter(keep) for column in columns]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def array_records(
    piece: Piece, options: ReadOptions, tally: Tally, blocks: Blocks, sides: Sides | None = None
) -> Iterator[RawBatch]:
    """Yields the sequences as rows of a table; as ``Reader.records``."""
    for read in _read(piece, options, tally, blocks):
        count = len(read.part.records)
        lists = pa.LargeListArray.from_arrays(_offsets(read.part), pa.array(read.ids))
        columns: dict[str, pa.Array] = {"input_ids": lists}
        columns |= dict(zip(piece.side_columns, sides(read.part, read.ids) if sides else [], strict=True))
        if read.part.names is not None:
            columns["id"] = pa.array(read.part.names, pa.large_string())
        tally.records += count
        layout = layout_of(piece)
        positions = (read.part.starts - layout.header) // np.dtype(layout.dtype).itemsize
        places = Places(read.part.records, positions)
        yield RawBatch("arrow_stream", count, pa.record_batch(columns), places=places)


class _Read(NamedTuple):
    """Sequences with their ids; *faults* says, by place, which of them give no document."""

    part: Part
    ids: NDArray[Any]
    faults: dict[int, tuple[FaultKind, str]]
    raw: Callable[[int], bytes]


def _read(piece: Piece, options: ReadOptions, tally: Tally, blocks: Blocks) -> Iterator[_Read]:
    with open_tokens(piece.file.path, layout_of(piece)) as source:
        measuring = Measuring(source, piece, tally)
        most = max(1, options.batch_bytes // _INT64_BYTES)
        held = _held_by(source, blocks(source, piece, tally))
        for part in parts(held, source.itemsize, most, options.batch_rows):
            for array in (part.starts, part.lengths):
                measuring.digest.update(array.data)
            ids = _ids(source, part, measuring)
            faults: dict[int, tuple[FaultKind, str]] = {at: ("unreadable", why) for at, why in part.wrong.items()}
            faults |= _too_large(part, ids)

            def raw(at: int, starts: NDArray[np.int64] = part.starts) -> bytes:
                return source.raw(int(starts[at]), RAW_LIMIT) if 0 <= starts[at] < source.size else b""

            yield _Read(part, ids, faults, raw)
        measuring.finish()


def _held_by(source: TokenSource, blocks: Iterator[Sequences]) -> Iterator[Sequences]:
    """Yields sequences without those that the file does not hold; far more ids than it has are not read.

    Sequences that overlap are read as they stand, but a small index could name the whole file a million times.
    """
    left = _MOST_READ * source.tokens + _INT64_BYTES
    for block in blocks:
        found = _held(block, source)
        totals = np.cumsum(found.lengths)
        over = np.flatnonzero((totals > left) & (found.lengths > 0))
        if len(over):
            wrong = dict.fromkeys(over.tolist(), "sequences before it overlap, and make many times the ids of the file")
            found.lengths[over] = 0
            found = found._replace(wrong=(found.wrong or {}) | wrong)
        left -= int(found.lengths.sum())
        yield found


def _held(block: Sequences, source: TokenSource) -> Sequences:
    """Returns sequences of which those that the file does not hold are wrong, and those that are wrong have no ids."""
    # Not by where they end: a pointer near the largest int64 would make that a small number.
    room = np.where(block.starts <= source.size, source.size - block.starts, 0) // source.itemsize
    outside = np.flatnonzero(((block.starts < source.header) | (block.lengths > room)) & (block.lengths > 0))
    wrong = {int(at): _why_outside(block, int(at), source) for at in outside} | (block.wrong or {})
    lengths = block.lengths.copy()
    lengths[list(wrong)] = 0
    return block._replace(lengths=lengths, wrong=wrong)


def _why_outside(block: Sequences, at: int, source: TokenSource) -> str:
    start, length = int(block.starts[at]), int(block.lengths[at])
    return (
        f"its {length:,} tokens are to stand at bytes {start:,} to {start + length * source.itemsize:,}, but the ids "
        f"of the file stand at bytes {source.header:,} to {source.size:,}"
    )


def _ids(source: TokenSource, part: Part, measuring: Measuring) -> NDArray[Any]:
    """Returns the ids of sequences one after the other, and measures them."""
    ends = part.starts + part.lengths * source.itemsize
    held = np.flatnonzero(part.lengths)
    breaks = np.flatnonzero(part.starts[held][1:] != ends[held][:-1]) + 1
    found: list[NDArray[Any]] = []
    for run in np.split(held, breaks) if len(held) else []:
        start, count = int(part.starts[run[0]]), int(part.lengths[run].sum())
        ids = source.at_byte(start, count)
        place, aside = divmod(start - source.header, source.itemsize)
        if aside == 0:
            measuring.ids(place, ids)
        found.append(ids)
    return found[0] if len(found) == 1 else np.concatenate([*found, source.ids(0, 0)])


def _too_large(part: Part, ids: NDArray[Any]) -> dict[int, tuple[FaultKind, str]]:
    """Returns the sequences with an id that an int64 does not hold."""
    if ids.dtype != np.uint64 or not len(ids) or int(ids.max()) <= _LARGEST:
        return {}
    offsets = np.concatenate(([0], np.cumsum(part.lengths)))
    found: dict[int, tuple[FaultKind, str]] = {}
    for at in np.flatnonzero(ids > np.uint64(_LARGEST)).tolist():
        document = int(np.searchsorted(offsets, at, "right")) - 1
        reason = f"{WRONG_ID} {int(ids[at])}, too large, at position {at - int(offsets[document])}"
        found.setdefault(document, ("without_text", f"{reason}, where a whole number that fits 64 bits was expected"))
    return found


def _offsets(part: Part) -> pa.Array:
    return pa.array(np.concatenate(([0], np.cumsum(part.lengths))))


def _columns(read: _Read, first_row: int, schema: pa.Schema) -> list[pa.Array]:
    part, count = read.part, len(read.part.records)
    kind = schema.field("input_ids").type
    ids = pa.array(read.ids.astype(kind.value_type.to_pandas_dtype(), copy=False))
    return [
        pa.array(np.arange(first_row, first_row + count)),
        pa.array(part.records),
        pa.array(part.starts),
        pa.nulls(count, pa.large_string()) if part.names is None else pa.array(part.names, pa.large_string()),
        pa.nulls(count, pa.large_string()),
        pa.repeat(False, count),
        pa.LargeListArray.from_arrays(_offsets(part), ids).cast(kind),
    ]


def _fault(kind: FaultKind, reason: str, row: int, read: _Read, at: int) -> Fault:
    start = int(read.part.starts[at])
    return Fault(kind, row, int(read.part.records[at]), start if start >= 0 else None, reason, read.raw(at))
