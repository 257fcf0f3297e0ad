"""Tokenizes the text beside a sample of the documents that came as token ids, in one task after the map."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from dataaudit.checks.reencoded import TextCompared
from dataaudit.corpus import Piece, ReadOptions, Tally, read_piece
from dataaudit.duplicates.sample import bottom_sample
from dataaudit.errors import RunError
from dataaudit.pipeline.map_shard import PieceResult
from dataaudit.pipeline.plan import ROW_BITS, Plan, TextBeside, load_plan
from dataaudit.pipeline.reencode_stage import (
    BYTES_A_DOCUMENT,
    LISTED,
    SAMPLED_DOCUMENTS,
    filled_documents,
    shards_of_ids,
    summed,
)
from dataaudit.pipeline.store import Marker, RunFolder, key_of, pretty_json
from dataaudit.pipeline.tasks import Progress, Task, TextSpec
from dataaudit.pipeline.unchanged import refuse_changed
from dataaudit.pipeline.vocabulary_of import unchanged
from dataaudit.tokenize import read_token_shard
from dataaudit.tokenize.reencode import EDGE, PREFIX, Reencoder, Returned

TEXT = "text"
MOST_IDS = 16 * PREFIX
"""Ids of a sampled document that are held, padding in front of it included."""


class Sampled(NamedTuple):
    """The beginning of a sampled document: its ids, and the last of all its ids."""

    ids: NDArray[np.int64]
    last: NDArray[np.int64]


class Source(NamedTuple):
    """A piece of text, and the number of its first record: a doc_id, or the record's place in the corpus of text."""

    piece: Piece
    first: int
    records: int | None


def compared_file(run: RunFolder) -> Path:
    """Returns where the result lies."""
    return run.path / "sketches" / "text_beside.json"


def load_compared(run: RunFolder) -> TextCompared | None:
    """Returns the result, or None when there is no text beside the ids."""
    path = compared_file(run)
    return msgspec.json.decode(path.read_bytes(), type=TextCompared) if path.exists() else None


def text_task(plan: Plan, maps: Sequence[Marker]) -> Task | None:
    """Returns the task; None without a text beside the ids, or without documents that came as ids."""
    beside, tokenizer, shards = plan.text_beside, plan.map.tokenizer, shards_of_ids(plan)
    if beside is None or tokenizer is None or not any(maps[shard].outputs for shard in shards):
        return None
    settings = [SAMPLED_DOCUMENTS, PREFIX, EDGE, LISTED, MOST_IDS, tokenizer.special_text, plan.map.model_ids]
    outputs = [maps[shard].outputs for shard in shards]
    key = key_of([outputs, beside, tokenizer.sha256, settings, plan.map.versions])
    pieces = beside.pieces if beside.pieces is not None else [each for shard in shards for each in plan.shards[shard]]
    return Task(TEXT, key, max(BYTES_A_DOCUMENT, sum(piece.size for piece in pieces)), TextSpec())


def compare_texts(task: Task, run: RunFolder, progress: Progress) -> Marker:
    """Runs the task."""
    plan = load_plan(run.path)
    assert plan.map.tokenizer is not None
    assert plan.text_beside is not None
    paths = [path for shard in shards_of_ids(plan) if (path := run.part("tokens", shard, "arrow")).exists()]
    chosen = bottom_sample((filled_documents(path) for path in paths), SAMPLED_DOCUMENTS)
    sample = {doc_id: each for path in paths for doc_id, each in _sampled(path, chosen)}
    result = _compared(run, plan, plan.text_beside, sample, progress)
    with run.workspace() as folder:
        path = folder / "text_beside.json"
        path.write_bytes(pretty_json(result))
        return run.commit(task.id, task.key, {path: compared_file(run)}, {})


def _sampled(path: Path, chosen: NDArray[np.uint64]) -> Iterator[tuple[int, Sampled]]:
    for doc_ids, ids, offsets in read_token_shard(path):
        for row in np.flatnonzero(np.isin(doc_ids, chosen)).tolist():
            start, stop = int(offsets[row]), int(offsets[row + 1])
            first, last = ids[start : min(stop, start + MOST_IDS)], ids[stop - 1 : stop]
            yield int(doc_ids[row]), Sampled(first.astype(np.int64), last.astype(np.int64))


def _compared(
    run: RunFolder, plan: Plan, beside: TextBeside, sample: dict[int, Sampled], progress: Progress
) -> TextCompared:
    settings = plan.map.tokenizer
    assert settings is not None
    tokenizer = unchanged(settings)
    model = plan.map.model_ids
    named = [] if model is None else [each for each in (model.bos, model.eos, model.pad) if each is not None]
    coder = Reencoder(tokenizer, named, settings.special_text)
    places, records = _places(run, plan)
    wanted = {doc_id if beside.pieces is None else _number(doc_id, places): doc_id for doc_id in sample}
    reading = _Reading(beside.read, progress)
    sources = _columns(places, beside.given) if beside.pieces is None else _corpus(beside.pieces, reading)
    returned: dict[int, Returned] = {}
    for number, text in reading.texts(sources, np.array(sorted(wanted), np.int64)):
        doc_id = wanted[number]
        returned[doc_id] = coder.compare(sample[doc_id].ids, text)
    without = sorted(sample.keys() - returned.keys())
    return TextCompared(
        text=beside.given,
        records=records,
        text_records=None if beside.pieces is None else reading.records,
        damage=reading.damage,
        without_text=without,
        special_first=sum(bool(coder.is_special(each.ids[:1]).all()) for each in sample.values()),
        special_last=sum(bool(coder.is_special(each.last).all()) for each in sample.values()),
        sample=summed(sorted(returned.items()), tokenizer, has_decoder=True),
    )


class _Place(NamedTuple):
    """A piece of token ids: its first doc_id, the number of its first record among all of ids, and its records."""

    piece: Piece
    doc_id: int
    number: int
    records: int


def _places(run: RunFolder, plan: Plan) -> tuple[list[_Place], int]:
    """Returns the pieces of token ids, and how many records they have."""
    places, number = [], 0
    for shard in shards_of_ids(plan):
        marker = run.any_marker(f"map-{shard:05d}")
        if marker is None:
            raise RunError(f"{run.path} has no marker of shard {shard}. Run the same dataaudit audit command again.")
        doc_id = shard << ROW_BITS
        results = msgspec.convert(marker.result["pieces"], list[PieceResult])
        for piece, result in zip(plan.shards[shard], results, strict=True):
            places.append(_Place(piece, doc_id, number, result.records))
            doc_id += result.records
            number += result.records
    return places, number


def _number(doc_id: int, places: list[_Place]) -> int:
    """Returns which record of token ids a document is, from 0."""
    place = next(each for each in places if 0 <= doc_id - each.doc_id < each.records)
    return place.number + doc_id - place.doc_id


def _columns(places: list[_Place], column: str) -> Iterator[Source]:
    for place in places:
        piece = msgspec.structs.replace(place.piece, content=column, kind="text", side_columns=())
        yield Source(piece, place.doc_id, place.records)


def _corpus(pieces: Sequence[Piece], reading: "_Reading") -> Iterator[Source]:
    for piece in pieces:
        yield Source(piece, reading.records, None)


class _Reading:
    """Reads texts, counts records, and keeps the first damage."""

    def __init__(self, options: ReadOptions, progress: Progress) -> None:
        self.records = 0
        self.damage: str | None = None
        self._options, self._progress = options, progress

    def texts(self, sources: Iterator[Source], wanted: NDArray[np.int64]) -> Iterator[tuple[int, str]]:
        """Yields the wanted numbers and their texts; a source whose records are known is read only where it is."""
        for source in sources:
            here = wanted - source.first
            if source.records is None or ((here >= 0) & (here < source.records)).any():
                yield from self._of(source, here)
            else:
                self._progress(source.piece.size)

    def _of(self, source: Source, wanted: NDArray[np.int64]) -> Iterator[tuple[int, str]]:
        refuse_changed(source.piece.file)
        tally, told = Tally(), 0
        for batch in read_piece(source.piece, self._options, tally):
            tally.faults.clear()
            rows = batch.column("row").to_numpy()
            for at in np.flatnonzero(np.isin(rows, wanted)).tolist():
                yield source.first + int(rows[at]), batch.column("text")[at].as_py()
            self._progress(tally.bytes_read - told)
            told = tally.bytes_read
        self._progress(source.piece.size - told)
        self.records += tally.records
        if tally.damage is not None and self.damage is None:
            self.damage = f"{source.piece.file.name}: {tally.damage}"
