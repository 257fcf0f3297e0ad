"""The map task: reads one shard, and writes its tokens, signals, ledger and sketches."""

import base64
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from dataaudit.corpus import SIDE_FIELDS, WRONG_ID, Fault, Piece, Tally, TokenFacts, ids_dtype, read_piece
from dataaudit.errors import RunError
from dataaudit.pipeline.freed_memory import give_back
from dataaudit.pipeline.joined_batches import JoinedBatches
from dataaudit.pipeline.measure import Measured, Measurer
from dataaudit.pipeline.plan import ROW_BITS, MapSettings, load_settings, load_shard, map_key
from dataaudit.pipeline.shard_blocks import BLOCK_VIEWS, ShardBlocks
from dataaudit.pipeline.shard_duplicates import DUPLICATE_VIEWS, ShardDuplicates
from dataaudit.pipeline.store import Marker, RunFolder
from dataaudit.pipeline.tasks import MapSpec, Progress, Task
from dataaudit.pipeline.unchanged import refuse_changed_since_plan
from dataaudit.signals import all_signals
from dataaudit.sketches.histograms import SignalHistograms
from dataaudit.sketches.lengths import LengthHistogram
from dataaudit.sketches.token_counts import TokenCounts
from dataaudit.tokenize import IdType, TokenShardWriter, id_dtype, narrow, release_encoder

ROW_GROUP_ROWS = 16_384
MOST_SOURCES = 1_000
CONTENTS = ("text", "input_ids", *SIDE_FIELDS)
OTHER_SOURCES = "(other sources)"
"""A corpus that names a source a document, such as its address, would make sketches as large as itself."""


class PieceResult(msgspec.Struct, frozen=True):
    """What reading a piece gave; ``records = documents + unreadable + without_text``.

    Attributes:
        wrong_ids: of those without text, records whose list holds something that is no token id.
        token_facts: what the piece's raw token array says about itself, or None.
    """

    records: int
    documents: int
    unreadable: int
    without_text: int
    bytes_read: int
    text_bytes: int
    damage: str | None
    digest: str | None
    wrong_ids: int = 0
    token_facts: TokenFacts | None = None


def map_shard(task: Task, run: RunFolder, progress: Progress) -> Marker:
    """Reads and measures one shard of the plan in *run*.

    Raises:
        RunError: the plan or a file has changed since it was planned, or is not there.
    """
    assert isinstance(task.spec, MapSpec)
    shard = task.spec.shard
    settings, planned = load_settings(run.path).map, load_shard(run.path, shard)
    if map_key(shard, planned, settings) != task.key:
        raise RunError(f"{run.path}: the plan has been changed meanwhile. Run the same command again.")
    with run.workspace() as folder, ExitStack() as stack:
        writer = stack.enter_context(ShardWriter(folder, settings, planned))
        first_row = 0
        pieces = []
        for number, piece in enumerate(planned):
            refuse_changed_since_plan(piece.file)
            writer.start(number)
            result = _map_piece(writer, piece, (shard << ROW_BITS) + first_row, settings, progress)
            first_row += result.records
            pieces.append(msgspec.to_builtins(result))
        written = writer.finish()
        outputs = {path: _final(run, kind, shard, path) for kind, path in written.items()}
        counts: dict[str, Any] = {"pieces": pieces}
        if writer.duplicates is not None:
            more, counts["duplicates"] = writer.duplicates.finish(run, shard)
            outputs |= more
        return run.commit(task.id, task.key, outputs, counts)


def _final(run: RunFolder, kind: str, shard: int, path: Path) -> Path:
    if kind in ("tokens", "signals", "ledger"):
        return run.part(kind, shard, path.suffix[1:])
    return run.sketch(kind, shard)


def _map_piece(
    writer: "ShardWriter", piece: Piece, first_id: int, settings: MapSettings, progress: Progress
) -> PieceResult:
    tally = Tally()
    documents = text_bytes = reported = 0
    lost = _Lost()
    for batch in read_piece(piece, settings.read, tally):
        writer.add(batch, piece, first_id)
        documents += batch.num_rows
        text_bytes += batch.column("text").nbytes if "text" in batch.schema.names else 0
        _add_faults(writer, tally, piece, first_id, lost)
        progress(tally.bytes_read - reported)
        reported = tally.bytes_read
    _add_faults(writer, tally, piece, first_id, lost)
    progress(piece.size - reported)
    return PieceResult(
        records=tally.records,
        documents=documents,
        unreadable=lost.unreadable,
        without_text=lost.without_text,
        bytes_read=tally.bytes_read,
        text_bytes=text_bytes,
        damage=tally.damage,
        digest=tally.digest,
        wrong_ids=lost.wrong_ids,
        token_facts=tally.token_facts,
    )


@dataclass(slots=True)
class _Lost:
    """Records that gave no document."""

    unreadable: int = 0
    without_text: int = 0
    wrong_ids: int = 0


def _add_faults(writer: "ShardWriter", tally: Tally, piece: Piece, first_id: int, lost: _Lost) -> None:
    for fault in tally.faults:
        writer.add_fault(fault, piece, first_id)
        lost.unreadable += fault.kind == "unreadable"
        lost.without_text += fault.kind == "without_text"
        lost.wrong_ids += fault.reason.startswith(WRONG_ID)
    tally.faults.clear()


@lru_cache(maxsize=1)
def _measurer(settings: bytes) -> Measurer:
    """Keeps the loaded tokenizer from one task of a worker to the next."""
    return Measurer(msgspec.msgpack.decode(settings, type=MapSettings))


def release_measurer() -> None:
    """Lets go of the tokenizer, which no stage after the map needs."""
    _measurer.cache_clear()
    release_encoder()
    give_back()


def _side(documents: pa.RecordBatch, name: str) -> pa.Array:
    """Returns labels or the mask of a batch; null for files that have none, where others of the shard do."""
    if name in documents.schema.names:
        return documents.column(name)
    return pa.nulls(documents.num_rows, SIDE_FIELDS[name].type)


class _Signals(NamedTuple):
    """The source, the length and the signals of some documents."""

    sources: pa.Array
    lengths: NDArray[np.int64]
    signals: pa.RecordBatch


class ShardWriter:
    """Writes the files of one shard into a temporary folder."""

    def __init__(self, folder: Path, settings: MapSettings, pieces: list[Piece]) -> None:
        self.folder = folder
        self.measurer = _measurer(msgspec.msgpack.encode(settings))
        self.has_tokens = any(piece.kind == "ids" for piece in pieces) or self.measurer.encoder is not None
        self.sides = [name for name in SIDE_FIELDS if any(name in piece.side_columns for piece in pieces)]
        self.dtype = _stored_dtype(settings, pieces)
        self.ledger: BinaryIO = (folder / "ledger.jsonl").open("wb")
        self.signals: pq.ParquetWriter | None = None
        self.batches = JoinedBatches(settings.read.batch_rows, settings.read.batch_bytes)
        self.pending: list[pa.RecordBatch] = []
        self.unsummed: list[_Signals] = []
        self.sources: set[str] = set()
        self.lengths = LengthHistogram()
        self.histograms = SignalHistograms()
        self.token_counts = TokenCounts(settings.tokenizer.id_space if settings.tokenizer else 0)
        self.blocks = ShardBlocks(settings, pieces)
        self.duplicates: ShardDuplicates | None = None
        if settings.shingle_units is not None:
            self.duplicates = ShardDuplicates(folder, settings.shingle_units)
        self.tokens: TokenShardWriter | None = None
        if self.has_tokens:
            self.tokens = TokenShardWriter(folder / "tokens.arrow", self.dtype, _facts(settings))

    def __enter__(self) -> "ShardWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        self.ledger.close()
        if self.signals is not None:
            self.signals.close()
        if self.tokens is not None:
            self.tokens.close()
            self.tokens = None
        if self.duplicates is not None:
            self.duplicates.close()

    def start(self, piece: int) -> None:
        """Says that the next documents are of the shard's piece of this number."""
        if self.blocks.is_new(piece):
            self._measure(self.batches.flush())
        self.blocks.start(piece)

    def add(self, documents: pa.RecordBatch, piece: Piece, first_id: int) -> None:
        """Adds a batch of a piece, whose first record has the doc_id *first_id*."""
        doc_ids = documents.column("row").to_numpy().astype(np.uint64) + np.uint64(first_id)
        columns = {
            "doc_id": pa.array(doc_ids),
            "id": documents.column("id"),
            "source": documents.column("source").fill_null(piece.file.source),
            "file": pa.repeat(pa.scalar(piece.file.name, pa.large_string()), documents.num_rows),
            **{name: documents.column(name) for name in ("record", "offset", "repaired")},
        }
        columns |= {name: _side(documents, name) for name in self.sides}
        more = [name for name in documents.schema.names if name not in {*columns, "row"}]
        batch = pa.record_batch(columns | {name: documents.column(name) for name in more})
        self._measure(self.batches.add(batch))

    def _measure(self, batches: list[pa.RecordBatch]) -> None:
        for documents in batches:
            self._measure_batch(documents)

    def _measure_batch(self, documents: pa.RecordBatch) -> None:
        """Measures a batch and writes its tokens and its rows."""
        measured = self.measurer.measure(documents)
        # What only signals use is several times the text: it goes before as much is needed for the sketches.
        measured.batch.forget(*BLOCK_VIEWS[self.blocks.unit], *DUPLICATE_VIEWS)
        kept = [name for name in documents.schema.names if name not in CONTENTS]
        columns = {name: documents.column(name) for name in kept}
        columns |= {name: measured.signals.column(name) for name in measured.signals.schema.names}
        self.pending.append(pa.record_batch(columns))
        if sum(batch.num_rows for batch in self.pending) >= ROW_GROUP_ROWS:
            self._flush()
        self._summarise(measured, documents.column("doc_id").to_numpy(), documents.column("source"))

    def _summarise(self, measured: Measured, doc_ids: NDArray[np.uint64], all_sources: pa.Array) -> None:
        sources = self._bounded(all_sources)
        signals = measured.signals
        length = signals.column("token_count" if self.has_tokens else "char_count").fill_null(0).to_numpy()
        self.lengths.update(sources, length)
        self.unsummed.append(_Signals(sources, length, signals))
        self.blocks.add(measured, doc_ids, sources, length)
        if self.duplicates is not None:
            self.duplicates.add(measured.batch, doc_ids)
        if measured.ids is not None and measured.id_offsets is not None:
            self.token_counts.update(measured.ids, measured.id_offsets, doc_ids)
            assert self.tokens is not None
            self.tokens.write(doc_ids, narrow(measured.ids, self.dtype), measured.id_offsets)

    def _bounded(self, sources: pa.Array) -> pa.Array:
        """Returns the sources with those past the first MOST_SOURCES of the shard as one, which bounds the sketches."""
        names = sources.unique().to_pylist()
        for name in names[: MOST_SOURCES - len(self.sources)]:
            self.sources.add(name)
        if self.sources.issuperset(names):
            return sources
        named = pc.is_in(sources, pa.array(sorted(self.sources), sources.type))
        return pc.if_else(named, sources, pa.scalar(OTHER_SOURCES, sources.type))

    def _flush(self) -> None:
        if not self.pending:
            return
        table = pa.Table.from_batches(self.pending)
        if self.signals is None:
            self.signals = pq.ParquetWriter(self.folder / "signals.parquet", table.schema, compression="zstd")
        self.signals.write_table(table, row_group_size=ROW_GROUP_ROWS)
        self.pending = []
        several = self.unsummed
        self.histograms.update(
            pa.concat_arrays([each.sources for each in several]),
            np.concatenate([each.lengths for each in several]),
            pa.concat_batches([each.signals for each in several]),
        )
        self.unsummed = []

    def add_fault(self, fault: Fault, piece: Piece, first_id: int) -> None:
        """Writes a line of the ledger."""
        line = {
            "doc_id": first_id + fault.row,
            "kind": fault.kind,
            "file": piece.file.name,
            "source": piece.file.source,
            "record": fault.record,
            "offset": fault.offset,
            "reason": fault.reason,
            "raw_base64": base64.b64encode(fault.raw).decode(),
        }
        self.ledger.write(msgspec.json.encode(line) + b"\n")

    def finish(self) -> dict[str, Path]:
        """Closes everything and returns the files by kind."""
        self._measure(self.batches.flush())
        self._flush()
        self._close()
        files = {"ledger": self.folder / "ledger.jsonl"}
        if self.signals is not None:
            files["signals"] = self.folder / "signals.parquet"
        if self.has_tokens:
            files["tokens"] = self.folder / "tokens.arrow"
        for name, table in self._sketches():
            path = self.folder / f"{name}.parquet"
            pq.write_table(table, path, compression="zstd")
            files[name] = path
        return files

    def _sketches(self) -> Iterator[tuple[str, Any]]:
        yield "lengths", self.lengths.to_table()
        yield "histograms", self.histograms.to_table()
        if self.has_tokens:
            yield "token_counts", self.token_counts.to_table()
        yield from self.blocks.tables().items()


def _stored_dtype(settings: MapSettings, pieces: list[Piece]) -> IdType:
    """Returns the type of a shard's token ids: of those that the user brought, as wide as their files allow."""
    needed: list[IdType] = [ids_dtype(piece) for piece in pieces if piece.kind == "ids"]
    if settings.tokenizer is not None and len(needed) < len(pieces):
        needed.append(id_dtype(settings.tokenizer.id_space))
    return max(needed, key=lambda dtype: np.dtype(dtype).itemsize, default=np.int64)


def _facts(settings: MapSettings) -> dict[str, str]:
    """Returns what a token shard says about itself."""
    if settings.tokenizer is None:
        return {}
    return {"tokenizer_sha256": settings.tokenizer.sha256, "id_space": str(settings.tokenizer.id_space)}


def signal_versions(*needs: str) -> dict[str, int]:
    """Returns the version of every signal that needs one of *needs*."""
    return {each.name: each.version for each in all_signals().values() if each.needs in needs}
