"""Which documents two runs share, by the digests of their texts in normal form, and then by the user's own ids.

Digests are matched one range at a time, so memory is bounded by a range and by what differs.
"""

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dataaudit.comparison.result import Changed, DocumentChanges, Place
from dataaudit.duplicates.partitions import digest_partitions
from dataaudit.pipeline.duplicate_layout import all_shards, load_layout
from dataaudit.pipeline.plan import ROW_BITS
from dataaudit.pipeline.store import RunFolder

Documents = NDArray[np.uint64]
Digests = NDArray[np.uint64]
EXAMPLES = 10
COLUMNS = ("doc_id", "id", "file", "record")


class Unmatched(NamedTuple):
    """Documents of each run without a partner of the same text, ascending, and how many pairs there are."""

    old: Documents
    new: Documents
    pairs: int


def compare_documents(old: RunFolder, new: RunFolder) -> DocumentChanges:
    """Returns which documents were added, removed and changed; both runs have digests of the same version."""
    left = _unmatched(old, new)
    before, after = _rows(old, left.old), _rows(new, left.new)
    joined = _once(before).join(_once(after), on="id", suffix="_new").sort("doc_id").collect(engine="streaming")
    removed = before.join(joined.lazy().select("doc_id"), on="doc_id", how="anti")
    added = after.join(joined.lazy().select(pl.col("doc_id_new").alias("doc_id")), on="doc_id", how="anti")
    changed = [_changed(row) for row in joined.head(EXAMPLES).iter_rows(named=True)]
    return DocumentChanges(
        unchanged=left.pairs,
        changed=len(joined),
        added=len(left.new) - len(joined),
        removed=len(left.old) - len(joined),
        changed_examples=changed,
        added_examples=_first(added),
        removed_examples=_first(removed),
    )


def _unmatched(old: RunFolder, new: RunFolder) -> Unmatched:
    """Matches documents of the same text one to one, in the order of each corpus."""
    layouts = load_layout(old), load_layout(new)
    shards = all_shards(old, with_copies=False), all_shards(new, with_copies=False)
    parts = digest_partitions(max(layout.documents for layout in layouts))
    found = [_pair_empty(old, new), *(_pair(*shards[0].digests(part), *shards[1].digests(part)) for part in parts)]
    left = [np.sort(np.concatenate([each[side] for each in found])) for side in (0, 1)]
    return Unmatched(left[0], left[1], sum(each.pairs for each in found))


def _pair(old_digests: Digests, old: Documents, new_digests: Digests, new: Documents) -> Unmatched:
    digests = np.concatenate([old_digests, new_digests])
    documents = np.concatenate([old, new])
    is_new = np.arange(len(documents)) >= len(old)
    order = np.lexsort((documents, is_new, digests[:, 1], digests[:, 0]))
    digests, documents, is_new = digests[order], documents[order], is_new[order]
    starts = np.ones(len(order), np.bool_)
    starts[1:] = (digests[1:] != digests[:-1]).any(axis=1)
    group = np.cumsum(starts) - 1
    groups = int(group[-1]) + 1 if len(group) else 0
    count_new = np.bincount(group, is_new, groups).astype(np.int64)
    count_old = np.bincount(group, minlength=groups) - count_new
    # The place of a document among those of its run with the same text.
    rank = np.arange(len(order)) - np.flatnonzero(starts)[group] - np.where(is_new, count_old[group], 0)
    is_left = rank >= np.minimum(count_old, count_new)[group]
    pairs = int(np.minimum(count_old, count_new).sum())
    return Unmatched(documents[is_left & ~is_new], documents[is_left & is_new], pairs)


def _pair_empty(old: RunFolder, new: RunFolder) -> Unmatched:
    """Matches the documents that nothing is left of in normal form: they have no digest."""
    before, after = _empty(old), _empty(new)
    pairs = min(len(before), len(after))
    return Unmatched(before[pairs:], after[pairs:], pairs)


def _empty(run: RunFolder) -> Documents:
    (everything,) = digest_partitions(1)
    found = [np.empty(0, np.uint64)]
    for facts, shard in zip(load_layout(run).shards, all_shards(run, with_copies=False).shards, strict=True):
        if facts.empty:
            documents = pl.scan_parquet(run.part("signals", facts.shard, "parquet")).select("doc_id").collect()
            found.append(np.setdiff1d(documents["doc_id"].to_numpy().astype(np.uint64), shard.digests(everything)[1]))
    return np.concatenate(found)


def _rows(run: RunFolder, documents: Documents) -> pl.LazyFrame:
    """Returns id and place of documents, in order."""
    shards = documents >> np.uint64(ROW_BITS)
    frames = [
        pl.scan_parquet(run.part("signals", shard, "parquet"))
        .select(COLUMNS)
        .filter(pl.col("doc_id").is_in(pl.Series(documents[shards == shard]).implode()))
        for shard in np.unique(shards).tolist()
    ]
    empty = pl.scan_parquet(run.part("signals", load_layout(run).shards[0].shard, "parquet")).select(COLUMNS).clear()
    return pl.concat([empty, *frames])


def _once(documents: pl.LazyFrame) -> pl.LazyFrame:
    """Returns the documents with an id that no other of them has."""
    return documents.drop_nulls("id").filter(pl.len().over("id") == 1)


def _first(documents: pl.LazyFrame) -> list[Place]:
    rows = documents.sort("doc_id").head(EXAMPLES).collect(engine="streaming")
    return [Place(**row) for row in rows.iter_rows(named=True)]


def _changed(row: dict[str, object]) -> Changed:
    return Changed(old=_place(row, ""), new=_place(row, "_new"))


def _place(row: dict[str, object], suffix: str) -> Place:
    values: dict[str, object] = {name: row["id" if name == "id" else f"{name}{suffix}"] for name in COLUMNS}
    return Place(**values)  # type: ignore[arg-type]
