"""Times each stage of an audit by itself, in this process, over one file of JSON lines and its finished run."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.one_core import Cost, timed
from dataaudit.api import check
from dataaudit.config.load import load_config
from dataaudit.corpus import ReadOptions, Tally, cut_pieces, find_files, read_piece
from dataaudit.pipeline.map_shard import _measurer
from dataaudit.pipeline.plan import load_plan
from dataaudit.pipeline.store import Marker, RunFolder
from dataaudit.pipeline.tasks import MapSpec, PoolSpec, Task, execute
from dataaudit.pipeline.vocabulary_of import vocabulary_of
from dataaudit.signals import DocumentBatch, all_signals
from dataaudit.signals.views import decoded, lines_of, paragraphs_of, words_of
from dataaudit.sketches.histograms import SignalHistograms
from dataaudit.sketches.lengths import LengthHistogram
from dataaudit.sketches.token_counts import TokenCounts
from dataaudit.tokenize import TokenBatch, TokenShardWriter, id_dtype, load_encoder, narrow, vocabulary

SHARED = "signals: decoding, words, lines (shared)"
FIRST_PASS = "first pass: all of the above, files on disk"
SECOND_PASS = "second pass"
JUDGING = "judging"
TEXT_SIGNALS = "signals of text together"
SLOW_ENGINE_BYTES = 4_000_000
"""How much text the slow tokenizer engine gets."""

Speeds = dict[str, tuple[Cost, int]]
"""By stage: what it cost, and for how many bytes of text."""


def time_stages(corpus: Path, run: Path, tokenizer: Path) -> Speeds:
    """Returns what each stage costs; *run* is the finished audit of *corpus*.

    Call it once on a small corpus before, so that kernels and libraries are loaded.
    """
    speeds: Speeds = {}
    batches = _read(corpus, speeds)
    encoded = _tokenize(batches, tokenizer, speeds)
    tables = [_measure(batch, tokens, tokenizer, speeds) for batch, tokens in zip(batches, encoded, strict=True)]
    with TemporaryDirectory() as folder:
        _write(Path(folder), encoded, tables, tokenizer, speeds)
        _summarise(encoded, tables, tokenizer, speeds)
        again = Path(folder) / "run"
        shutil.copytree(run, again)
        _run_tasks(again, speeds["reading JSONL"][1], speeds)
    return speeds


def _size(batch: pa.RecordBatch) -> int:
    return len(DocumentBatch(text=batch.column("text")).data)


def _add(speeds: Speeds, stage: str, cost: Cost, size: int) -> None:
    known, bytes_ = speeds.get(stage, (Cost(), 0))
    speeds[stage] = (Cost(known.wall + cost.wall, known.cpu + cost.cpu), bytes_ + size)


def _read(corpus: Path, speeds: Speeds) -> list[pa.RecordBatch]:
    cost = Cost()
    with timed(cost):
        options = ReadOptions()
        pieces = cut_pieces(find_files([str(corpus)]).files, options).pieces
        batches = [batch for piece in pieces for batch in read_piece(piece, options, Tally())]
    batches = [batch for batch in batches if batch.num_rows]
    _add(speeds, "reading JSONL", cost, sum(_size(batch) for batch in batches))
    return batches


def _tokenize(batches: Sequence[pa.RecordBatch], tokenizer: Path, speeds: Speeds) -> list[TokenBatch]:
    fast = load_encoder(tokenizer, engine="fastokens")
    slow = load_encoder(tokenizer, engine="tokenizers")
    encoded = []
    for batch in batches:
        cost = Cost()
        with timed(cost):
            encoded.append(fast.encode(batch.column("text")))
        _add(speeds, "tokenizing: fastokens", cost, _size(batch))
    for text, size in _first(batches):
        cost = Cost()
        with timed(cost):
            slow.encode(text)
        _add(speeds, "tokenizing: tokenizers (slow engine)", cost, size)
    return encoded


def _first(batches: Sequence[pa.RecordBatch]) -> Iterator[tuple[pa.LargeStringArray, int]]:
    """Yields slices of the texts, up to SLOW_ENGINE_BYTES."""
    total = 0
    for batch in batches:
        for start in range(0, batch.num_rows, 64):
            part = batch.slice(start, 64)
            if total >= SLOW_ENGINE_BYTES:
                return
            total += _size(part)
            yield part.column("text"), _size(part)


def _measure(batch: pa.RecordBatch, tokens: TokenBatch, tokenizer: Path, speeds: Speeds) -> pa.RecordBatch:
    """Measures the first-pass signals family by family; what families share is computed first."""
    facts = vocabulary(tokenizer)
    special = load_config(None).config.tokenizer.special_strings
    documents = DocumentBatch(
        text=batch.column("text"),
        ids=tokens.ids,
        id_offsets=tokens.offsets,
        vocabulary=facts,
        special_strings=special,
    )
    size = len(documents.data)
    text, cost = Cost(), Cost()
    with timed(cost):
        for view in (decoded, words_of, lines_of, paragraphs_of):
            documents.once(view)
    _add(speeds, SHARED, cost, size)
    _add_to(text, cost)
    columns = {}
    chosen = [each for each in all_signals().values() if each.needs in ("text", "tokens")]
    for family in dict.fromkeys(each.family for each in chosen):
        cost = Cost()
        with timed(cost):
            for each in chosen:
                if each.family == family:
                    columns[each.name] = each.measure(documents)
        _add(speeds, f"signals: {family}", cost, size)
        if all(each.needs == "text" for each in chosen if each.family == family):
            _add_to(text, cost)
    _add(speeds, TEXT_SIGNALS, text, size)
    return pa.record_batch(columns)


def _add_to(total: Cost, cost: Cost) -> None:
    total.wall += cost.wall
    total.cpu += cost.cpu


def _write(
    folder: Path, encoded: Sequence[TokenBatch], tables: Sequence[pa.RecordBatch], tokenizer: Path, speeds: Speeds
) -> None:
    size = speeds["reading JSONL"][1]
    dtype = id_dtype(vocabulary(tokenizer).id_space)
    cost = Cost()
    with timed(cost), TokenShardWriter(folder / "tokens.arrow", dtype, {}) as writer:
        for tokens in encoded:
            writer.write(_doc_ids(tokens), narrow(tokens.ids, dtype), tokens.offsets)
    _add(speeds, "writing token shards", cost, size)
    cost = Cost()
    with timed(cost):
        pq.write_table(pa.Table.from_batches(tables), folder / "signals.parquet", compression="zstd")
    _add(speeds, "writing signals", cost, size)


def _doc_ids(tokens: TokenBatch) -> NDArray[np.uint64]:
    return np.arange(len(tokens.offsets) - 1, dtype=np.uint64)


def _summarise(
    encoded: Sequence[TokenBatch], tables: Sequence[pa.RecordBatch], tokenizer: Path, speeds: Speeds
) -> None:
    size = speeds["reading JSONL"][1]
    lengths, histograms, counts = LengthHistogram(), SignalHistograms(), TokenCounts(vocabulary(tokenizer).id_space)
    cost = Cost()
    with timed(cost):
        for tokens, table in zip(encoded, tables, strict=True):
            sources = pa.repeat(pa.scalar("corpus", pa.large_string()), table.num_rows)
            lengths.update(sources, np.diff(tokens.offsets))
            histograms.update(sources, np.diff(tokens.offsets), table)
        lengths.to_table(), histograms.to_table()
    _add(speeds, "sketches: lengths and histograms", cost, size)
    cost = Cost()
    with timed(cost):
        for tokens in encoded:
            counts.update(tokens.ids, tokens.offsets, _doc_ids(tokens))
        counts.to_table()
    _add(speeds, "sketches: token counts", cost, size)


def _run_tasks(path: Path, size: int, speeds: Speeds) -> None:
    """Times the tasks of a copy of the finished run as they are, with all that is loaded once already loaded."""
    run, plan = RunFolder(path), load_plan(path)
    shards = range(len(plan.shards))
    maps = [Task(f"map-{shard:05d}", _marker(run, f"map-{shard:05d}").key, 0, MapSpec(shard)) for shard in shards]
    pools = [
        Task(f"pool-{shard:05d}", _marker(run, f"pool-{shard:05d}").key, 0, PoolSpec(shard, "")) for shard in shards
    ]
    # A tokenizer keeps what it has encoded: loading it beforehand is fair, encoding the same texts beforehand is not.
    _measurer.cache_clear()
    _measurer(msgspec.msgpack.encode(plan.map))
    if plan.map.tokenizer is not None:
        vocabulary_of(plan.map.tokenizer)
    for stage, tasks in ((FIRST_PASS, maps), (SECOND_PASS, pools)):
        cost = Cost()
        with timed(cost):
            for task in tasks:
                _forget(run, task.id)
                execute(task, path, lambda _: None)
        _add(speeds, stage, cost, size)
    cost = Cost()
    with timed(cost):
        check(path, workers=1)
    _add(speeds, JUDGING, cost, size)


def _forget(run: RunFolder, task: str) -> None:
    """Removes what a task has left: else it would write nothing."""
    for name in (*_marker(run, task).outputs, f"tasks/{task}.json"):
        (run.path / name).unlink()


def _marker(run: RunFolder, task: str) -> Marker:
    marker = run.any_marker(task)
    if marker is None:
        raise SystemExit(f"{run.path}: the audit left no marker of {task}")
    return marker
