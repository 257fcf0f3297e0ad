"""The filter task: writes one shard's kept and quarantined records, and the tokens of the kept ones."""

import base64
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.corpus import Piece, RawBatch, Tally, read_records
from dataaudit.corpus.convert import as_lines, lengths, put_in, select, sizes, texts
from dataaudit.corpus.json_table import JsonTableWriter
from dataaudit.corpus.sequence_files import SequenceFiles, own_format
from dataaudit.corpus.token_readers import names as array_formats
from dataaudit.corpus.writers import RecordWriter
from dataaudit.errors import RunError
from dataaudit.filter_result import Balance
from dataaudit.pipeline.fates import REASON, Fate, Fates, clean_ids, fates_of, fault_reason
from dataaudit.pipeline.filter_plan import RECORD_FORMATS, FilterPlan, PieceNames, load_filter_plan
from dataaudit.pipeline.plan import ROW_BITS, MapSettings, load_settings, load_shard
from dataaudit.pipeline.spans import span_of
from dataaudit.pipeline.store import Marker, RunFolder
from dataaudit.pipeline.tasks import FilterSpec, Progress, Task
from dataaudit.rules import Admission
from dataaudit.tokenize import TokenShardWriter
from dataaudit.tokenize.shards import read_token_shard, token_shard_metadata

TABLES = ("parquet", "arrow", "hub", *array_formats())
DOC_ID, REASONS = "dataaudit_doc_id", "dataaudit_reasons"
"""The columns that a quarantined record has beside its own."""


class Audited(msgspec.Struct, frozen=True):
    """What the audit found in a piece; a part of its ``PieceResult``."""

    records: int
    documents: int
    unreadable: int
    without_text: int
    digest: str | None


class PieceOutcome(msgspec.Struct, frozen=True):
    """What became of the records of a piece.

    Attributes:
        records, bytes, tokens: by where they went; tokens are those of documents, in files of ids.
        damage: why the rest could not be read, or None.
        outputs: the files that were written.
    """

    records: Balance
    bytes: Balance
    tokens: Balance
    damage: str | None
    outputs: list[str]


def filter_shard(task: Task, out: RunFolder, progress: Progress) -> Marker:
    """Filters one shard of the plan in *out*.

    Raises:
        RunError: the corpus is not what was audited, or the filter's plan is damaged; what is finished is kept.
    """
    assert isinstance(task.spec, FilterSpec)
    plan = load_filter_plan(out.path)
    if plan is None:
        raise RunError(f"{out.path}: the filter's plan is damaged. Delete the folder and run the filter again.")
    return _filter(task, task.spec.shard, plan, out, progress)


def _filter(task: Task, shard: int, plan: FilterPlan, out: RunFolder, progress: Progress) -> Marker:
    run = RunFolder(Path(plan.run))
    audit, pieces = load_settings(run.path), load_shard(run.path, shard)
    results = pieces_of(run, shard)
    fates = fates_of(run, plan, shard, sum(each.records for each in results))
    outcomes: list[PieceOutcome] = []
    outputs: dict[Path, Path] = {}
    first = 0
    with out.workspace() as folder:
        for number, (piece, audited) in enumerate(zip(pieces, results, strict=True)):
            place = _Place(folder / str(number), plan.names[shard][number], shard, first)
            place.folder.mkdir()
            work = PieceFilter(piece, audit.map, place, fates, plan)
            outcomes.append(work.run(audited, progress))
            outputs |= {temporary: out.path / name for temporary, name in work.written.items()}
            first += audited.records
        if tokens := _tokens(run, shard, fates, folder):
            outputs[tokens] = out.part("tokens", shard, "arrow")
        for final in outputs.values():
            final.parent.mkdir(parents=True, exist_ok=True)
        result = {
            "pieces": [msgspec.to_builtins(each) for each in outcomes],
            "counts": msgspec.to_builtins(fates.counts),
        }
        return out.commit(task.id, task.key, outputs, result)


def pieces_of(run: RunFolder, shard: int) -> list[Audited]:
    """Returns what the audit found in the pieces of a shard."""
    marker = run.any_marker(f"map-{shard:05d}")
    if marker is None:
        raise RunError(f"{run.path}: shard {shard} is not finished. Run the same dataaudit audit command again.")
    return msgspec.convert(marker.result["pieces"], list[Audited])


class _Place(msgspec.Struct, frozen=True):
    """Where the records of a piece go: a temporary folder, the final names, and the row of the first in its shard."""

    folder: Path
    names: PieceNames
    shard: int
    first: int


_Quarantine: TypeAlias = "RecordWriter | SequenceFiles"


class _Writers(NamedTuple):
    """Writers of kept records, of quarantined ones, of what could not be read, and of reasons beside sequences."""

    clean: "RecordWriter | JsonTableWriter | SequenceFiles"
    quarantine: _Quarantine
    lost: RecordWriter
    reasons: RecordWriter | None

    def named(self, names: PieceNames) -> "Iterator[tuple[RecordWriter | JsonTableWriter | SequenceFiles, str]]":
        """Gives each writer and the final name of its file."""
        yield self.clean, names.clean
        yield self.quarantine, names.quarantine
        yield self.lost, names.unreadable
        if self.reasons is not None and names.reasons is not None:
            yield self.reasons, names.reasons


class PieceFilter:
    """Filters the records of one piece.

    Attributes:
        written: final name by temporary path.
    """

    def __init__(self, piece: Piece, settings: MapSettings, place: _Place, fates: Fates, plan: FilterPlan) -> None:
        self.piece, self.options, self.place, self.fates = piece, settings.read, place, fates
        self.special_strings = settings.special_strings
        self.output = plan.output
        self.own = own_format(piece)
        self.records, self.bytes, self.tokens = Counter[Fate](), Counter[Fate](), Counter[Fate]()
        self.bytes_read = 0
        self.written: dict[Path, str] = {}

    def run(self, audited: Audited, progress: Progress) -> PieceOutcome:
        """Reads the piece and writes its files."""
        tally = Tally()
        reported = 0
        with ExitStack() as stack:
            writers = self._writers(stack)
            for batch in read_records(self.piece, self.options, tally):
                self._split(batch, tally.records, audited, writers)
                progress(tally.bytes_read - reported)
                reported = tally.bytes_read
            for writer, name in writers.named(self.place.names):
                writer.close()
                self.written |= writer.files(name)
        progress(self.piece.size - reported)
        self._compare(audited, tally)
        return PieceOutcome(
            _balance(audited.records, self.records),
            _balance(self.bytes_read, self.bytes),
            _balance(self._tokens_audited(audited), self.tokens),
            tally.damage,
            sorted(self.written.values()),
        )

    def _tokens_audited(self, audited: Audited) -> int:
        """Returns the tokens that the audit counted in the documents of the piece."""
        if self.piece.kind != "ids":
            return 0
        return int(self.fates.tokens[self.place.first : self.place.first + audited.records].sum())

    def _writers(self, stack: ExitStack) -> "_Writers":
        folder = self.place.folder
        lost = stack.enter_context(RecordWriter(folder / "unreadable", None))
        clean = self._clean_writer(folder / "clean")
        stack.enter_context(clean)
        if self.own is None:
            quarantine = stack.enter_context(RecordWriter(folder / "quarantine", self._packed()))
            return _Writers(clean, quarantine, lost, None)
        sequences = stack.enter_context(SequenceFiles(folder / "quarantine", self.piece, self.own))
        return _Writers(clean, sequences, lost, stack.enter_context(RecordWriter(folder / "reasons", None)))

    def _clean_writer(self, path: Path) -> "RecordWriter | JsonTableWriter | SequenceFiles":
        if self.own is not None and self.output == "same" and self.fates.admitted is None:
            return SequenceFiles(path, self.piece, self.own)
        if self.output == "parquet" and self.piece.format not in TABLES:
            return JsonTableWriter(path)
        if self.output != "same":
            return RecordWriter(path, "zstd")
        return RecordWriter(path, self.piece.compression if self.fates.admitted is None else self._packed())

    def _packed(self) -> str | None:
        return None if self.piece.format in ("csv", "text") else self.piece.compression

    def _split(
        self,
        batch: RawBatch,
        seen: int,
        audited: Audited,
        writers: "_Writers",
    ) -> None:
        start = self.place.first + seen - batch.length
        if seen > audited.records:
            raise self._changed(f"it has more than the {audited.records:,} records that were audited")
        fate = self.fates.fate[start : start + batch.length]
        if batch.records is None:
            fate[:] = Fate.UNREADABLE
            writers.lost.write(self._lost(batch, start))
            self.records[Fate.UNREADABLE] += batch.length
            if self.piece.kind == "ids":
                self.tokens[Fate.UNREADABLE] += int(self.fates.tokens[start : start + batch.length].sum())
            return
        self.bytes_read += sum(sizes(batch, self.piece.content))
        has_place = isinstance(batch.records, pa.RecordBatch) and self.own is None
        unreadable = (fate == Fate.UNREADABLE) & (not has_place)
        taken = (fate != Fate.CLEAN) & (fate != Fate.UNKNOWN) & ~unreadable
        kept, rows = self._chosen(batch, start, fate == Fate.CLEAN)
        if self.output in RECORD_FORMATS:
            writers.clean.write(self._converted(self._with_steps(kept, rows)))
        if taken.any():
            chosen, rows = self._chosen(batch, start, taken)
            if writers.reasons is None:
                writers.quarantine.write(self._with_reasons(chosen, rows))
            else:
                writers.reasons.write(self._beside(chosen, rows, writers.quarantine))
                writers.quarantine.write(chosen)
        if unreadable.any():
            chosen, rows = self._chosen(batch, start, unreadable)
            writers.lost.write(self._raw(chosen, rows))

    def _chosen(self, batch: RawBatch, start: int, wanted: NDArray[np.bool_]) -> tuple[RawBatch, NDArray[np.int64]]:
        """Counts and returns some of the records, and their rows in the shard."""
        at = np.flatnonzero(wanted)
        chosen, rows = select(batch, at), at + start
        counts = self._counts(chosen, rows)
        kinds = self.fates.fate[rows].tolist()
        for kind, size, count in zip(kinds, sizes(chosen, self.piece.content), counts, strict=True):
            self.records[Fate(kind)] += 1
            self.bytes[Fate(kind)] += size
            self.tokens[Fate(kind)] += count
        return chosen, rows

    def _counts(self, batch: RawBatch, rows: NDArray[np.int64]) -> list[int]:
        """Returns the tokens of documents: as they stand in rows of a table, else as the audit counted them."""
        audited = self.fates.tokens[rows]
        if self.piece.kind != "ids":
            return [0] * len(rows)
        found = lengths(batch, self.piece.content)
        is_document = np.isin(self.fates.fate[rows], (Fate.CLEAN, Fate.QUARANTINE))
        return (audited if found is None else np.where(is_document, found, 0)).tolist()  # type: ignore[no-any-return]

    def _with_steps(self, batch: RawBatch, rows: NDArray[np.int64]) -> RawBatch:
        """Returns kept records with the steps that admit them, for a curriculum."""
        if self.fates.admitted is None:
            return batch
        steps = [[None if step < 0 else step for step in values[rows].tolist()] for values in self.fates.admitted]
        fields = [dict(zip(Admission._fields, each, strict=True)) for each in zip(*steps, strict=True)]
        columns = {name: pa.array(each, pa.int64()) for name, each in zip(Admission._fields, steps, strict=True)}
        return put_in(batch, fields, columns)

    def _converted(self, batch: RawBatch) -> RawBatch:
        if self.output == "same":
            return batch
        if self.output == "parquet" and isinstance(batch.records, pa.RecordBatch):
            return batch._replace(shape="parquet")
        return as_lines(batch)

    def _with_reasons(self, batch: RawBatch, rows: NDArray[np.int64]) -> RawBatch:
        ids = [self._doc_id(row) for row in rows]
        found = [
            self._reasons(int(row), doc_id, text)
            for row, doc_id, text in zip(rows, ids, texts(batch, self.piece), strict=True)
        ]
        fields = [{DOC_ID: doc_id, REASONS: each} for doc_id, each in zip(ids, found, strict=True)]
        columns = {DOC_ID: pa.array(ids, pa.uint64()), REASONS: pa.array(found, pa.list_(REASON))}
        return put_in(batch, fields, columns)

    def _beside(self, batch: RawBatch, rows: NDArray[np.int64], quarantine: "_Quarantine") -> RawBatch:
        """Returns lines that say where quarantined sequences came from, where they are now, and why."""
        assert isinstance(quarantine, SequenceFiles)
        assert batch.places is not None
        counts = lengths(batch, "input_ids")
        assert counts is not None
        begun = quarantine.tokens + np.cumsum(counts) - counts
        lines = []
        for at, row in enumerate(rows.tolist()):
            doc_id = self._doc_id(row)
            line = {
                "file": self.piece.file.name,
                "record": int(batch.places.records[at]),
                "position": int(batch.places.positions[at]),
                "tokens": int(counts[at]),
                "quarantine_record": quarantine.sequences + at,
                "quarantine_position": int(begun[at]),
                DOC_ID: doc_id,
                REASONS: self._reasons(row, doc_id, None),
            }
            lines.append(msgspec.json.encode(line))
        return RawBatch("lines", len(lines), lines)

    def _reasons(self, row: int, doc_id: int, text: str | None) -> list[dict[str, Any]]:
        if (fault := self.fates.faults.get(row)) is not None:
            return [fault_reason(fault["kind"], fault["reason"])]
        found = self.fates.reasons_of(doc_id)
        for reason in found:
            span = span_of(reason["signal"] or "", text, self.special_strings) if text is not None else None
            reason["span"] = span and span._asdict()
        return found

    def _doc_id(self, row: int) -> int:
        return (self.place.shard << ROW_BITS) + int(row)

    def _raw(self, batch: RawBatch, rows: NDArray[np.int64]) -> RawBatch:
        """Returns records that could not be read, as lines that hold their bytes; sequences have none."""
        lines = []
        held: list[bytes | None] = [*batch.records] if isinstance(batch.records, list) else [None] * batch.length
        for row, raw in zip(rows.tolist(), held, strict=True):
            fault = self.fates.faults[row]
            lines.append(self._line(row, fault, fault["reason"], raw))
        return RawBatch("lines", len(lines), lines)

    def _lost(self, batch: RawBatch, start: int) -> RawBatch:
        """Returns lines for rows of which nothing can be read."""
        nowhere = {"record": None, "offset": None}
        rows = range(start, start + batch.length)
        lines = [self._line(row, self.fates.faults.get(row, nowhere), batch.reason, None) for row in rows]
        return RawBatch("lines", len(lines), lines)

    def _line(self, row: int, fault: dict[str, Any], message: str, raw: bytes | None) -> bytes:
        line = {"file": self.piece.file.name, "record": fault["record"], "offset": fault["offset"]}
        if raw is not None:
            try:
                line["raw"] = raw.decode()
            except UnicodeDecodeError:
                line["raw_base64"] = base64.b64encode(raw).decode()
        return msgspec.json.encode({**line, DOC_ID: self._doc_id(row), REASONS: [fault_reason("unreadable", message)]})

    def _compare(self, audited: Audited, tally: Tally) -> None:
        """Makes sure that what was read is what was audited."""
        if tally.digest is not None and tally.digest != audited.digest:
            raise self._changed("its bytes are others")
        if tally.records != audited.records:
            raise self._changed(f"it has {tally.records:,} records, and {audited.records:,} were audited")
        if sum(self.records.values()) != tally.records:
            raise self._changed("it holds records that were not audited")

    def _changed(self, how: str) -> RunError:
        return RunError(
            f"{self.piece.file.path} has changed since the audit: {how}. "
            "Run dataaudit audit again, then the filter with a new --to folder."
        )


def _balance(total: int, parts: Counter[Fate]) -> Balance:
    """Returns what was there beside where it went; the two were counted apart."""
    wanted = (Fate.CLEAN, Fate.QUARANTINE, Fate.WITHOUT_TEXT, Fate.UNREADABLE)
    return Balance(total, *(int(parts[each]) for each in wanted))


def _tokens(run: RunFolder, shard: int, fates: Fates, folder: Path) -> Path | None:
    """Writes the token ids of the kept documents, under the doc_ids of the run."""
    source = run.part("tokens", shard, "arrow")
    if not source.exists():
        return None
    path = folder / "tokens.arrow"
    batches = read_token_shard(source)
    first = next(batches, None)
    if first is None:
        return None
    with TokenShardWriter(path, first.ids.dtype.type, token_shard_metadata(source)) as writer:
        for batch in _chain(first, batches):
            keep = clean_ids(fates, batch.doc_ids)
            if not keep.any():
                continue
            lengths = np.diff(batch.offsets)
            offsets = np.zeros(int(keep.sum()) + 1, np.int64)
            np.cumsum(lengths[keep], out=offsets[1:])
            writer.write(batch.doc_ids[keep], batch.ids[np.repeat(keep, lengths)], offsets)
    return path


def _chain(first: Any, others: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from others
