"""The pool task: measures one shard's tokens against the whole corpus and the model. It does not read the corpus."""

from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from dataaudit.pipeline.map_shard import ROW_GROUP_ROWS
from dataaudit.pipeline.plan import load_settings, load_shard
from dataaudit.pipeline.store import Marker, RunFolder
from dataaudit.pipeline.tasks import PoolSpec, Progress, Task
from dataaudit.pipeline.vocabulary_of import vocabulary_of
from dataaudit.signals import DocumentBatch, measure
from dataaudit.sketches.histograms import SignalHistograms
from dataaudit.sketches.token_counts import TokenCounts
from dataaudit.tokenize import read_token_shard


def pool_shard(task: Task, run: RunFolder, progress: Progress) -> Marker:
    """Measures the second-pass signals of one shard, row-aligned with its first-pass signals."""
    assert isinstance(task.spec, PoolSpec)
    spec = task.spec
    shard = spec.shard
    with run.workspace() as folder:
        path = folder / "signals_pooled.parquet"
        histograms, tokens = _measure(run, spec, path)
        sketch = folder / "histograms_pooled.parquet"
        pq.write_table(histograms.to_table(), sketch, compression="zstd")
        outputs = {
            path: run.part("signals_pooled", shard, "parquet"),
            sketch: run.sketch("histograms_pooled", shard),
        }
        progress(task.size)
        return run.commit(task.id, task.key, outputs, {"tokens": tokens})


def _measure(run: RunFolder, spec: PoolSpec, path: Path) -> tuple[SignalHistograms, int]:
    """Writes the signals; returns their histograms and how many tokens were read from the shard."""
    shard = spec.shard
    plan = load_settings(run.path)
    chosen = plan.map.tokenizer
    facts = vocabulary_of(chosen) if chosen else None
    counts = _counts(run.sketch("token_counts"), spec.counts_digest, chosen.id_space if chosen else 0)
    sources = _sources(run.part("signals", shard, "parquet"))
    histograms = SignalHistograms()
    given = any(piece.kind == "ids" for piece in load_shard(run.path, shard)) or None
    writer: pq.ParquetWriter | None = None
    first = tokens = 0
    for doc_ids, ids, offsets in read_token_shard(run.part("tokens", shard, "arrow")):
        batch = DocumentBatch(
            ids=ids,
            id_offsets=offsets,
            vocabulary=facts,
            embedding_rows=plan.pool.embedding_rows if plan.pool.embedding_rows or facts is None else facts.id_space,
            max_length=plan.pool.max_length,
            eos_id=plan.pool.eos_id,
            pooled_counts=counts,
            given=given,
            special_ids=plan.pool.special() if given else None,
        )
        signals = measure(batch, ["pooled"])
        histograms.update(sources.slice(first, batch.rows), np.diff(offsets), signals)
        tokens += len(ids)
        first += batch.rows
        rows = pa.Table.from_arrays([pa.array(doc_ids), *signals.columns], names=["doc_id", *signals.schema.names])
        writer = writer or pq.ParquetWriter(path, rows.schema, compression="zstd")
        writer.write_table(rows, row_group_size=ROW_GROUP_ROWS)
    assert writer is not None, "a shard with tokens has at least one batch"
    writer.close()
    return histograms, tokens


def _sources(path: Path) -> pa.Array:
    return pq.read_table(path, columns=["source"]).column("source").combine_chunks()


@lru_cache(maxsize=1)
def _counts(path: Path, digest: str, id_space: int) -> NDArray[np.int64]:  # noqa: ARG001 - other counts are another entry of the cache
    return TokenCounts.from_table(pq.read_table(path), id_space).counts
