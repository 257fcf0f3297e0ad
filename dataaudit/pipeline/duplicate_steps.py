"""The tasks of the search for duplicates. None of them reads the corpus, except for the examples of the report.

digests    exact copies in one range of digests                      a task a partition
copies     all exact copies, in order
sample     the documents to estimate by, where the config asks for it
bands      verified pairs in some bands, or one range of one band    a task a partition
clusters   clusters, and which documents are kept
documents  the signals of one shard's documents                      a task a shard
examples   excerpts of the largest clusters; repeated lines          (``duplicate_examples``)
"""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from dataaudit.duplicates.clusters import clusters, count_candidates, merge_edges
from dataaudit.duplicates.exact import exact_copies, merge_copies
from dataaudit.duplicates.near import Found, SetSource, near_copies
from dataaudit.duplicates.partitions import band_partitions, digest_partitions
from dataaudit.duplicates.records import MEMBER, NONE, ROW_BITS
from dataaudit.duplicates.sample import bottom_sample
from dataaudit.pipeline.duplicate_examples import examples
from dataaudit.pipeline.duplicate_layout import all_shards, load_layout, step_file
from dataaudit.pipeline.map_shard import ROW_GROUP_ROWS
from dataaudit.pipeline.plan import load_settings
from dataaudit.pipeline.store import Marker, RunFolder
from dataaudit.pipeline.tasks import DuplicatesSpec, Progress, Task
from dataaudit.signals import DocumentBatch, measure
from dataaudit.sketches.histograms import SignalHistograms

NUMBERS = ("near_duplicate_jaccard", "duplicate_cluster_size", "duplicate_count")
"""Signals of duplicates with a distribution worth a histogram; the others are ids."""


def duplicates_step(task: Task, run: RunFolder, progress: Progress) -> Marker:
    """Runs one task of the search."""
    assert isinstance(task.spec, DuplicatesSpec)
    with run.workspace() as folder:
        match task.spec.step:
            case "digests":
                outputs, result = _digests(run, folder, task.spec.part)
            case "copies":
                outputs, result = _copies(run, folder, task.spec.part)
            case "sample":
                outputs, result = _sample(run, folder, task.spec.part)
            case "bands":
                outputs, result = _bands(run, folder, task.spec.part)
            case "clusters":
                outputs, result = _clusters(run, folder, task.spec.part)
            case "documents":
                outputs, result = _documents(run, folder, task.spec.part)
            case "examples":
                outputs, result = examples(run, folder), {}
        progress(task.size)
        return run.commit(task.id, task.key, outputs, result)


Done = tuple[dict[Path, Path], dict[str, Any]]


def _save(run: RunFolder, folder: Path, name: str, part: int | None, records: NDArray[Any]) -> tuple[Path, Path]:
    path = folder / f"{name}.npy"
    np.save(path, records, allow_pickle=False)
    return path, step_file(run, name, part)


def _load(run: RunFolder, name: str, parts: int) -> list[NDArray[Any]]:
    return [np.load(step_file(run, name, part), mmap_mode="r") for part in range(parts)]


def _digests(run: RunFolder, folder: Path, part: int) -> Done:
    partition = digest_partitions(load_layout(run).documents)[part]
    digests, documents = all_shards(run, with_copies=False).digests(partition)
    return dict([_save(run, folder, "digest_copies", part, exact_copies(digests, documents))]), {}


def _copies(run: RunFolder, folder: Path, parts: int) -> Done:
    copies = merge_copies(_load(run, "digest_copies", parts))
    later = int((copies["document"] != copies["first"]).sum())
    return dict([_save(run, folder, "copies", None, copies)]), {"copies": later}


def _sample(run: RunFolder, folder: Path, size: int) -> Done:
    shards = all_shards(run, with_copies=False).shards
    sample = bottom_sample((shard.documents() for shard in shards), size)
    return dict([_save(run, folder, "sample", None, sample)]), {"sampled": len(sample)}


def _bands(run: RunFolder, folder: Path, part: int) -> Done:
    partition = band_partitions(load_layout(run).documents)[part]
    shards = all_shards(run, with_copies=True)
    source = SetSource(shards.sizes, shards.sets)
    settings, found, records = load_settings(run.path).duplicates, Found(), 0
    sample = np.load(step_file(run, "sample")) if settings.sample else None
    for band in partition.bands:
        keys, documents = shards.keys(partition, band)
        near_copies(keys, documents, source, settings.threshold, found, sample)
        records += len(keys)
    outputs = dict(
        [
            _save(run, folder, "edges", part, found.all_edges()),
            _save(run, folder, "misses", part, found.all_misses()),
        ]
    )
    return outputs, {
        "records": records,
        "comparisons": found.comparisons,
        "largest_bucket": found.largest_bucket,
    }


def _clusters(run: RunFolder, folder: Path, parts: int) -> Done:
    edges = merge_edges(_load(run, "edges", parts))
    copies = np.load(step_file(run, "copies"), mmap_mode="r")
    counts = count_candidates(edges, _load(run, "misses", parts))
    # The edges of a sample are counted and make no clusters.
    members = clusters(edges[:0] if load_settings(run.path).duplicates.sample else edges, copies)
    return dict([_save(run, folder, "members", None, members)]), counts._asdict()


def _documents(run: RunFolder, folder: Path, shard: int) -> Done:
    """Writes the signals of one shard's documents, row-aligned with those of the first pass."""
    path, sketch = folder / "signals_duplicates.parquet", folder / "histograms_duplicates.parquet"
    members = np.load(step_file(run, "members"), mmap_mode="r")
    first, last = np.searchsorted(members["document"], np.array([shard, shard + 1], np.uint64) << np.uint64(ROW_BITS))
    mine = np.asarray(members[first:last])
    signals = pq.ParquetFile(run.part("signals", shard, "parquet"))
    weight = "token_count" if "token_count" in signals.schema_arrow.names else "char_count"
    histograms, writer = SignalHistograms(), None
    wanted = [name for name in load_settings(run.path).duplicates.signals if name not in unmeasured(run)]
    for batch in signals.iter_batches(ROW_GROUP_ROWS, columns=["doc_id", "source", weight]):
        doc_ids = batch.column("doc_id")
        found = measure(DocumentBatch(duplicates=_columns(mine, doc_ids.to_numpy())), ["duplicates"]).select(wanted)
        lengths = batch.column(weight).fill_null(0).to_numpy()
        histograms.update(batch.column("source"), lengths, found.select([name for name in NUMBERS if name in wanted]))
        table = pa.Table.from_arrays([doc_ids, *found.columns], names=["doc_id", *found.schema.names])
        writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table, row_group_size=ROW_GROUP_ROWS)
    assert writer is not None, "a shard with texts has at least one row group"
    writer.close()
    pq.write_table(histograms.to_table(), sketch, compression="zstd")
    return {
        path: run.part("signals_duplicates", shard, "parquet"),
        sketch: run.sketch("histograms_duplicates", shard),
    }, {}


def unmeasured(run: RunFolder) -> tuple[str, ...]:
    """Returns the signals that a sample does not give."""
    return ("near_duplicate_of", "near_duplicate_jaccard") if load_settings(run.path).duplicates.sample else ()


def _columns(members: NDArray[np.void], doc_ids: NDArray[np.uint64]) -> pa.RecordBatch:
    """Returns a row a document: its MEMBER record as columns, null where it has none or holds NONE."""
    found = np.zeros(len(doc_ids), MEMBER)
    found["copy_of"] = found["near"] = NONE
    first, last = np.searchsorted(members["document"], doc_ids[[0, -1]], side="left")
    last += last < len(members) and members["document"][last] == doc_ids[-1]
    mine = members[first:last]
    found[np.searchsorted(doc_ids, mine["document"])] = mine
    lone, no_near = found["size"] == 0, found["near"] == NONE
    jaccard = found["shared"] / np.maximum(found["united"], 1)
    columns = {
        "exact_duplicate_of": _nullable(found["copy_of"], found["copy_of"] == NONE),
        "near_duplicate_of": _nullable(found["near"], no_near),
        "near_duplicate_jaccard": pa.array(jaccard, mask=no_near),
        "duplicate_cluster": _nullable(found["root"], lone),
        "duplicate_cluster_size": _nullable(found["size"], lone),
        "duplicate_count": _nullable(found["copies"], found["copies"] < 2),
    }
    return pa.record_batch(columns)


def _nullable(values: NDArray[np.uint64], null: NDArray[np.bool_]) -> pa.Array:
    return pa.array(np.where(null, 0, values).astype(np.int64), mask=null)
