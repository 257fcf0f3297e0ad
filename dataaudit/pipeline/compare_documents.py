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
IDS = ("doc_id", "id")
PLACES = ("doc_id", "id", "file", "record")
TEXT = ("upper", "lower")
"""The halves of a digest."""


class Texts(NamedTuple):
    """What the digests of one range say.

    Attributes:
        pairs: documents of texts that both runs hold equally often.
        alone: documents of each run whose text the other one has not, ascending.
        open: documents of texts that one run holds more often than the other: doc_id, upper, lower.
    """

    pairs: int
    alone: tuple[Documents, Documents]
    open: tuple[pl.DataFrame, pl.DataFrame]


class Match(NamedTuple):
    """How many pairs there are, and the rows of each side that are in none."""

    pairs: int
    old: pl.DataFrame
    new: pl.DataFrame


def compare_documents(old: RunFolder, new: RunFolder) -> DocumentChanges:
    """Returns which documents were added, removed and changed; both runs have digests of the same version."""
    unchanged, before, after = _without_partner(old, new)
    joined = _once(before).join(_once(after), on="id", suffix="_new").sort("doc_id")
    removed = before.join(joined, on="doc_id", how="anti")
    added = after.join(joined, left_on="doc_id", right_on="doc_id_new", how="anti")
    return DocumentChanges(
        unchanged=unchanged,
        changed=len(joined),
        added=len(added),
        removed=len(removed),
        changed_examples=[
            Changed(old=was, new=now)
            for was, now in zip(_places(old, joined["doc_id"]), _places(new, joined["doc_id_new"]), strict=True)
        ],
        added_examples=_places(new, added["doc_id"]),
        removed_examples=_places(old, removed["doc_id"]),
    )


def _without_partner(old: RunFolder, new: RunFolder) -> Match:
    """Matches documents of the same text one to one; copies with the same id first, the others in order."""
    layouts = load_layout(old), load_layout(new)
    shards = all_shards(old, with_copies=False), all_shards(new, with_copies=False)
    parts = digest_partitions(max(layout.documents for layout in layouts))
    found = [_texts(*_empty(old), *_empty(new))]
    found += [_texts(*shards[0].digests(part), *shards[1].digests(part)) for part in parts]
    copies = [
        pl.concat([each.open[side] for each in found]).join(
            _rows(run, np.concatenate([each.open[side]["doc_id"].to_numpy() for each in found])), on="doc_id"
        )
        for side, run in enumerate((old, new))
    ]
    by_id = _match(copies[0], copies[1], [*TEXT, "id"])
    in_order = _match(by_id.old, by_id.new, [*TEXT])
    rest = [
        pl.concat([_rows(run, np.concatenate([each.alone[side] for each in found])), left.select(IDS)])
        for side, (run, left) in enumerate(((old, in_order.old), (new, in_order.new)))
    ]
    return Match(sum(each.pairs for each in found) + by_id.pairs + in_order.pairs, rest[0], rest[1])


def _texts(old_digests: Digests, old: Documents, new_digests: Digests, new: Documents) -> Texts:
    digests = np.concatenate([old_digests, new_digests])
    documents = np.concatenate([old, new])
    is_new = np.arange(len(documents)) >= len(old)
    order = np.lexsort((documents, digests[:, 1], digests[:, 0]))
    digests, documents, is_new = digests[order], documents[order], is_new[order]
    starts = np.ones(len(order), np.bool_)
    starts[1:] = (digests[1:] != digests[:-1]).any(axis=1)
    text = np.cumsum(starts) - 1
    texts = int(starts.sum())
    times_new = np.bincount(text, is_new, texts).astype(np.int64)
    times_old = np.bincount(text, minlength=texts) - times_new
    is_alone = ((times_old == 0) | (times_new == 0))[text]
    is_open = (times_old != times_new)[text] & ~is_alone
    table = pl.DataFrame({"doc_id": documents, "upper": digests[:, 0], "lower": digests[:, 1], "is_new": is_new})
    left = table.filter(is_open).partition_by("is_new", as_dict=True, include_key=False)
    empty = table.clear().drop("is_new")
    return Texts(
        int(times_old[times_old == times_new].sum()),
        (documents[is_alone & ~is_new], documents[is_alone & is_new]),
        (left.get((False,), empty), left.get((True,), empty)),
    )


def _match(old: pl.DataFrame, new: pl.DataFrame, on: list[str]) -> Match:
    """Pairs rows that are equal in *on*, in order of the documents; null equals nothing."""
    sides = [
        side.sort("doc_id").with_columns(pl.int_range(pl.len()).over(on).alias("place")).sort("doc_id")
        for side in (old, new)
    ]
    keys = [*on, "place"]
    pairs = len(sides[0].join(sides[1], on=keys))
    rest = [sides[0].join(sides[1], on=keys, how="anti"), sides[1].join(sides[0], on=keys, how="anti")]
    return Match(pairs, rest[0].drop("place"), rest[1].drop("place"))


def _empty(run: RunFolder) -> tuple[Digests, Documents]:
    """Returns the documents that nothing is left of in normal form; they have no digest, and get that of 0."""
    (everything,) = digest_partitions(1)
    found = [np.empty(0, np.uint64)]
    for facts, shard in zip(load_layout(run).shards, all_shards(run, with_copies=False).shards, strict=True):
        if facts.empty:
            documents = pl.scan_parquet(run.part("signals", facts.shard, "parquet")).select("doc_id").collect()
            found.append(np.setdiff1d(documents["doc_id"].to_numpy(), shard.digests(everything)[1]))
    documents_without = np.concatenate(found)
    return np.zeros((len(documents_without), 2), np.uint64), documents_without


def _rows(run: RunFolder, documents: Documents, columns: tuple[str, ...] = IDS) -> pl.DataFrame:
    """Returns the rows of documents in the signals, ascending."""
    shards = documents >> np.uint64(ROW_BITS)
    first = pl.scan_parquet(run.part("signals", load_layout(run).shards[0].shard, "parquet")).select(columns)
    frames = [
        pl.scan_parquet(run.part("signals", shard, "parquet"))
        .select(columns)
        .filter(pl.col("doc_id").is_in(pl.Series(documents[shards == shard]).implode()))
        for shard in np.unique(shards).tolist()
    ]
    return pl.concat([first.clear(), *frames]).collect(engine="streaming").sort("doc_id")


def _once(documents: pl.DataFrame) -> pl.DataFrame:
    """Returns the documents with an id that no other of them has."""
    return documents.drop_nulls("id").filter(pl.len().over("id") == 1)


def _places(run: RunFolder, documents: pl.Series) -> list[Place]:
    """Returns where the first documents stand."""
    wanted = documents.head(EXAMPLES).to_numpy()
    places = {row["doc_id"]: Place(**row) for row in _rows(run, wanted, PLACES).iter_rows(named=True)}
    return [places[doc_id] for doc_id in wanted.tolist()]
