"""The drift task: compares the portions of one shard, and the windows that start in it, with the whole corpus.

It reads the block sketches alone, of this shard and of those that its last window reaches into.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from dataaudit.drift.divergences import hellinger, jensen_shannon, kl_pooled, kl_smoothed, total_variation
from dataaudit.drift.excess import part_drift, reference_drift, split_half_ratio
from dataaudit.drift.length_drift import concentration, length_drift, mean_log_length
from dataaudit.drift.shape import shape
from dataaudit.drift.sums import Counts, Floats, plain
from dataaudit.pipeline.plan import load_settings
from dataaudit.pipeline.store import Marker, RunFolder
from dataaudit.pipeline.tasks import DriftSpec, Progress, Task
from dataaudit.signals.views import WORD_BUCKETS
from dataaudit.sketches.token_counts import DENSE_LIMIT

DRIVERS = 20
"""Tokens that are named for each portion and window."""
DRIVER = pa.struct({"id": pa.int64(), "contribution": pa.float64(), "count": pa.int64(), "corpus_count": pa.int64()})
KEYS = {"documents": pa.int64(), "tokens": pa.int64(), "types": pa.int64()}
MEASURES = (
    *("kl", "null_mean", "null_deviation", "reverse_kl", "kl_pooled", "jensen_shannon", "hellinger"),
    *("total_variation", "split_half_ratio", "entropy", "type_token_ratio", "zipf_slope", "mean_log_length"),
    *("length_distance", "length_p_value", "length_wasserstein", "length_psi", "length_psi_p_value"),
    *("source_kl", "source_null_mean", "reference_kl", "reference_null_mean", "rest_ratio"),
    *("effective_documents", "longest_document_share"),
)
LISTS = dict.fromkeys(("drivers", "source_drivers", "reference_drivers"), pa.list_(DRIVER))
PORTIONS = pa.schema(
    {"shard": pa.int32(), "portion": pa.int32(), **KEYS, **dict.fromkeys(MEASURES, pa.float64()), **LISTS}
)
WINDOWS = pa.schema({"window": pa.int64(), **KEYS, **dict.fromkeys(MEASURES, pa.float64()), **LISTS})


class Corpus(NamedTuple):
    """What parts are compared with; arrays over the ids that occur in the corpus or the reference, ascending.

    Attributes:
        ids: int64[k].
        places: int32, where the id of each index less 1 stands in *ids*; as many as blocks can count.
        counts, reference: int64[k]; the latter None without a reference.
        of_sources: int64[k] each, over the portions that hold this source alone, when they are several.
        vocabulary: size of the id space, at least the ids that occur.
        lengths, documents: int64[l], the corpus's exact lengths.
    """

    ids: Counts
    places: NDArray[np.int32]
    counts: Counts
    reference: Counts | None
    of_sources: dict[str, Counts]
    vocabulary: int
    lengths: Counts
    documents: Counts


class Part(NamedTuple):
    """Counts of a portion or a window.

    Attributes:
        halves: int64[2, k], over the corpus's ids.
        documents: int64[l], over the corpus's lengths.
    """

    halves: Counts
    documents: Counts


def drift_shard(task: Task, run: RunFolder, progress: Progress) -> Marker:
    """Measures the portions and windows of one shard."""
    assert isinstance(task.spec, DriftSpec)
    shard = task.spec.shard
    plan = load_settings(run.path)
    id_space = WORD_BUCKETS if plan.map.drift_unit == "words" else 0
    id_space = plan.map.tokenizer.id_space if plan.map.tokenizer else id_space
    corpus = _corpus(run.path, id_space, task.spec.counts_digest)
    with run.workspace() as folder:
        outputs = {}
        for name, rows, schema in (
            ("drift_portions", list(_portions(run, shard, corpus)), PORTIONS),
            ("drift_windows", list(_windows(run, shard, corpus)), WINDOWS),
        ):
            path = folder / f"{name}.parquet"
            pq.write_table(pa.Table.from_pylist(rows, schema), path, compression="zstd")
            outputs[path] = run.sketch(name, shard)
        progress(task.size)
        return run.commit(task.id, task.key, outputs, {})


def release_counts() -> None:
    """Lets go of the counts that the drift tasks share, which no later stage needs."""
    _corpus.cache_clear()


@lru_cache(maxsize=1)
def _corpus(folder: Path, id_space: int, digest: str) -> Corpus:  # noqa: ARG001 - other counts are another entry
    run = RunFolder(folder)
    counts, lengths = (pq.read_table(run.sketch(name)) for name in ("drift_counts", "drift_lengths"))
    ids = counts.column("id").to_numpy()
    occurrences = counts.column("count").to_numpy()
    places_of = pq.read_table(run.sketch("drift_sources"))
    of_sources = {}
    for source in places_of.column("source").unique().to_pylist():
        rows = places_of.filter(pc.field("source") == source)
        of_sources[source] = np.zeros(len(ids), np.int64)
        of_sources[source][np.searchsorted(ids, rows.column("id").to_numpy())] = rows.column("count").to_numpy()
    has_reference = "reference_count" in counts.column_names
    inside = ids[ids < DENSE_LIMIT]
    places = np.zeros(int(inside[-1]) + 2 if len(inside) else 1, np.int32)
    places[inside + 1] = np.arange(len(inside))
    return Corpus(
        ids,
        places,
        occurrences,
        counts.column("reference_count").to_numpy() if has_reference else None,
        of_sources,
        max(id_space, len(ids)),
        lengths.column("length").to_numpy(),
        lengths.column("documents").to_numpy(),
    )


def _portions(run: RunFolder, shard: int, corpus: Corpus) -> Iterator[dict[str, Any]]:
    blocks = pq.read_table(run.sketch("drift_blocks"), filters=[("shard", "==", shard)])
    groups = blocks.column("portion").to_numpy()
    alone = sole_sources(run, shard)
    for portion in np.unique(groups).tolist():
        chosen = blocks.column("block").to_numpy()[groups == portion]
        part = _read(run, corpus, {shard: chosen})
        source, _ = alone.get(portion, ("", 0))
        counts: Counts = part.halves.sum(axis=0)
        yield {
            "shard": shard,
            "portion": portion,
            **measures(part, corpus),
            **_in_source(part, corpus, source),
            "rest_ratio": plain(split_half_ratio(counts, corpus.counts - counts)),
        }


def sole_sources(run: RunFolder, shard: int) -> dict[int, tuple[str, int]]:
    """Returns the portions of a shard that hold one source alone: the source and its weight."""
    rows = pq.read_table(run.sketch("blocks", shard), columns=["portion", "source", "weight"])
    sums = rows.group_by(["portion", "source"], use_threads=False).aggregate([("weight", "sum")])
    found: dict[int, tuple[str, int]] = {}
    several: set[int] = set()
    for row in sums.to_pylist():
        if row["portion"] in found:
            several.add(row["portion"])
        found[row["portion"]] = row["source"], row["weight_sum"]
    return {portion: each for portion, each in found.items() if portion not in several}


def _in_source(part: Part, corpus: Corpus, source: str) -> dict[str, Any]:
    """Returns the measures of a portion against the others of its source; nothing when there are none."""
    whole = corpus.of_sources.get(source)
    if whole is None:
        return {}
    counts: Counts = part.halves.sum(axis=0)
    drift = part_drift(counts, whole, corpus.vocabulary)
    if drift is None:
        return {}
    drivers = drivers_of(drift.terms, counts, whole, corpus.ids)
    return {"source_kl": plain(drift.kl), "source_null_mean": plain(drift.null_mean), "source_drivers": drivers}


def _windows(run: RunFolder, shard: int, corpus: Corpus) -> Iterator[dict[str, Any]]:
    """Gives the windows whose first block lies in the shard."""
    blocks = pq.read_table(run.sketch("drift_blocks"), filters=[("shard", ">=", shard)])
    shards, numbers, windows, firsts = (
        blocks.column(name).to_numpy() for name in ("shard", "block", "window", "window_shard")
    )
    for window in np.unique(windows[firsts == shard]).tolist():
        inside = windows == window
        chosen = {each: numbers[inside & (shards == each)] for each in np.unique(shards[inside]).tolist()}
        yield {"window": window, **measures(_read(run, corpus, chosen), corpus)}


def _read(run: RunFolder, corpus: Corpus, blocks: dict[int, NDArray[np.int32]]) -> Part:
    size = len(corpus.ids)
    halves = np.zeros(2 * size, np.int64)
    documents = np.zeros(len(corpus.lengths), np.int64)
    for shard, chosen in blocks.items():
        low, high = int(chosen.min()), int(chosen.max())
        for rows in _between(run.sketch("block_counts", shard), low, high):
            np.add.at(halves, rows["half"] * np.int64(size) + corpus.places[rows["id"] + 1], rows["count"])
        for rows in _between(run.sketch("block_lengths", shard), low, high):
            np.add.at(documents, np.searchsorted(corpus.lengths, rows["length"]), rows["documents"])
    return Part(halves.reshape(2, size), documents)


def _between(path: Path, low: int, high: int) -> Iterator[dict[str, NDArray[Any]]]:
    """Yields the rows of blocks *low* to *high* by row group; blocks ascend, and a part holds them without gaps."""
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            blocks = file.metadata.row_group(group).column(file.schema_arrow.get_field_index("block")).statistics
            if blocks.min <= high and blocks.max >= low:
                table = file.read_row_group(group)
                columns = {name: table.column(name).to_numpy() for name in table.column_names}
                first, stop = np.searchsorted(columns["block"], [low, high + 1])
                yield {name: values[first:stop] for name, values in columns.items()}


def measures(part: Part, corpus: Corpus) -> dict[str, Any]:
    """Returns every measure of a part against the corpus; None where it is undefined."""
    counts: Counts = part.halves.sum(axis=0)
    rest = corpus.counts - counts
    of = shape(counts)
    found: dict[str, Any] = {
        "reverse_kl": kl_smoothed(rest, counts, corpus.vocabulary),
        "kl_pooled": kl_pooled(counts, corpus.counts),
        "jensen_shannon": jensen_shannon(counts, rest),
        "hellinger": hellinger(counts, rest),
        "total_variation": total_variation(counts, rest),
        "split_half_ratio": split_half_ratio(*part.halves),
        "entropy": of.entropy,
        "type_token_ratio": of.type_token_ratio,
        "zipf_slope": of.zipf_slope,
        "mean_log_length": mean_log_length(corpus.lengths, part.documents),
    }
    lists: dict[str, Any] = {}
    drift = part_drift(counts, corpus.counts, corpus.vocabulary)
    if drift is not None:
        found |= {"kl": drift.kl, "null_mean": drift.null_mean, "null_deviation": drift.null_deviation}
        lists["drivers"] = drivers_of(drift.terms, counts, corpus.counts, corpus.ids)
    longer = length_drift(corpus.lengths, part.documents, corpus.documents - part.documents)
    if longer is not None:
        names = ("distance", "p_value", "wasserstein", "psi", "psi_p_value")
        found |= dict(zip((f"length_{name}" for name in names), longer, strict=True))
    unequal = concentration(corpus.lengths, part.documents)
    if unequal is not None:
        found |= {"effective_documents": unequal.effective_documents, "longest_document_share": unequal.longest_share}
    if corpus.reference is not None:
        against = reference_drift(counts, corpus.reference, corpus.vocabulary)
        if against is not None:
            found |= {"reference_kl": against.kl, "reference_null_mean": against.null_mean}
            lists["reference_drivers"] = drivers_of(against.terms, counts, corpus.reference, corpus.ids)
    facts = {"documents": int(part.documents.sum()), "tokens": of.tokens, "types": of.types}
    return facts | {name: plain(value) for name, value in found.items()} | lists


def drivers_of(terms: Floats, counts: Counts, of: Counts, ids: Counts) -> list[dict[str, Any]]:
    """Returns the ids with the largest terms, ties by id."""
    order = np.lexsort((ids, -np.round(terms, 12)))[:DRIVERS]
    return [
        {
            "id": int(ids[place]),
            "contribution": plain(float(terms[place])),
            "count": int(counts[place]),
            "corpus_count": int(of[place]),
        }
        for place in order.tolist()
        if terms[place] > 0
    ]
