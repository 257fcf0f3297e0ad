"""Reads the texts of some documents of a run from its corpus again."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
import polars as pl

from dataaudit.corpus import Piece, ReadOptions, Tally, can_seek, document_at, read_piece
from dataaudit.errors import RunError
from dataaudit.pipeline.map_shard import PieceResult
from dataaudit.pipeline.plan import ROW_BITS, Plan
from dataaudit.pipeline.store import RunFolder
from dataaudit.pipeline.unchanged import refuse_changed


def texts_of(run: RunFolder, plan: Plan, doc_ids: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Yields doc_id and text of documents, in ascending order.

    A file of JSON lines that is not compressed is read at the documents' places; of other files, each piece once.

    Args:
        run: holds the markers.
        plan: of the run.
        doc_ids: ascending; those that came as token ids have no text and are left out.

    Raises:
        RunError, ReadError, OSError: the corpus has changed or gone, or the run folder is damaged.
    """
    by_shard: dict[int, list[int]] = defaultdict(list)
    for doc_id in doc_ids:
        by_shard[doc_id >> ROW_BITS].append(doc_id)
    for shard, wanted in by_shard.items():
        yield from _texts_of_shard(run, plan, shard, wanted)


def _texts_of_shard(run: RunFolder, plan: Plan, shard: int, doc_ids: list[int]) -> Iterator[tuple[int, str]]:
    marker = run.any_marker(f"map-{shard:05d}")
    if marker is None:
        raise RunError(f"{run.path} has no marker of shard {shard}: the run folder is damaged. Run the audit again.")
    results = msgspec.convert(marker.result["pieces"], list[PieceResult])
    offsets: dict[int, int | None] | None = None
    first = shard << ROW_BITS
    for piece, result in zip(plan.shards[shard], results, strict=True):
        wanted = [doc_id for doc_id in doc_ids if first <= doc_id < first + result.records]
        if wanted and piece.kind == "text":
            refuse_changed(piece.file)
            places: list[int | None] = []
            if can_seek(piece):
                offsets = offsets if offsets is not None else _offsets(run, shard, doc_ids)
                places = [offsets.get(doc_id) for doc_id in wanted]
            read = plan.map.read
            if places and None not in places:
                yield from _at_places(piece, read, wanted, [place for place in places if place is not None])
            else:
                yield from _of_rows(piece, read, first, wanted)
        first += result.records
    if doc_ids[-1] >= first:
        raise RunError(
            f"document {doc_ids[-1]} lies behind the end of its shard: the run folder is damaged. Run the audit again."
        )


def _offsets(run: RunFolder, shard: int, doc_ids: list[int]) -> dict[int, int | None]:
    """Returns where documents begin in their files; None where that is not known."""
    rows = pl.scan_parquet(run.part("signals", shard, "parquet")).select("doc_id", "offset")
    found = rows.filter(pl.col("doc_id").is_in(pl.Series(doc_ids, dtype=pl.UInt64).implode())).collect()
    return dict(found.iter_rows())


def _at_places(piece: Piece, options: ReadOptions, doc_ids: list[int], places: list[int]) -> Iterator[tuple[int, str]]:
    for doc_id, place in zip(doc_ids, places, strict=True):
        batch = document_at(piece, options, place)
        if batch is None:
            raise _changed(piece, 1)
        yield doc_id, batch.column("text")[0].as_py()


def _of_rows(piece: Piece, options: ReadOptions, first: int, doc_ids: list[int]) -> Iterator[tuple[int, str]]:
    """Yields the texts of a piece whose first record has the doc_id *first*."""
    wanted = np.array(doc_ids, np.int64) - first
    tally, missing = Tally(), len(wanted)
    for batch in read_piece(piece, options, tally):
        tally.faults.clear()
        rows = batch.column("row").to_numpy()
        for place in np.flatnonzero(np.isin(rows, wanted)).tolist():
            yield first + int(rows[place]), batch.column("text")[place].as_py()
            missing -= 1
        if not missing:
            return
    raise _changed(piece, missing)


def _changed(piece: Piece, missing: int) -> RunError:
    return RunError(
        f"{piece.file.name} has changed since the audit: {missing} of the documents are no longer there. "
        "Run the audit again."
    )
