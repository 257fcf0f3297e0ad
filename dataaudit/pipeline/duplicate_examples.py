"""The texts of the report on duplicates: the largest clusters, and the lines that stand in the most documents."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from dataaudit.errors import DataAuditError
from dataaudit.pipeline.document_texts import texts_of
from dataaudit.pipeline.duplicate_layout import Examples, examples_file, load_layout, step_file
from dataaudit.pipeline.plan import load_plan
from dataaudit.pipeline.store import RunFolder, pretty_json
from dataaudit.result import DuplicateCluster, RepeatedText
from dataaudit.signals import DocumentBatch
from dataaudit.signals.views import decoded, lines_of, paragraphs_of
from dataaudit.sketches.repeats import Repeats, merge_repeats

LISTED_CLUSTERS, LISTED_REPEATS = 20, 50
EXCERPT_CHARACTERS = 200


class _Repeat(NamedTuple):
    """A repeated line before its text is known: its place in the list, and the hash to find it by."""

    place: int
    kind: str
    hash: int


def examples(run: RunFolder, folder: Path) -> dict[Path, Path]:
    """Writes the examples; texts that can no longer be read from the corpus stay null."""
    members = np.load(step_file(run, "members"), mmap_mode="r")
    clusters = list(_largest_clusters(members))
    repeats, wanted = _repeats(run)
    for doc_id, text in _texts(run, {each.doc_id for each in clusters} | wanted.keys()):
        clusters = [
            msgspec.structs.replace(each, excerpt=text[:EXCERPT_CHARACTERS]) if each.doc_id == doc_id else each
            for each in clusters
        ]
        for each in wanted.get(doc_id, []):
            line = _line(text, each)
            repeats[each.place] = msgspec.structs.replace(
                repeats[each.place], excerpt=line[:EXCERPT_CHARACTERS], characters=len(line)
            )
    path = folder / "examples.json"
    path.write_bytes(pretty_json(Examples(clusters, repeats)))
    return {path: examples_file(run)}


def _texts(run: RunFolder, doc_ids: set[int]) -> Iterator[tuple[int, str]]:
    """Yields the texts that can be read; a corpus that has gone since (a run judged again) gives none."""
    try:
        yield from texts_of(run, load_plan(run.path), sorted(doc_ids))
    except (DataAuditError, OSError):
        return


def _largest_clusters(members: NDArray[np.void]) -> Iterator[DuplicateCluster]:
    roots = np.flatnonzero(members["root"] == members["document"])
    order = np.lexsort((members["document"][roots], -members["size"][roots].astype(np.int64)))
    for place in roots[order[:LISTED_CLUSTERS]].tolist():
        mine = members[members["root"] == members["document"][place]]
        kept = (mine["copy_of"] == np.iinfo(np.uint64).max) & (mine["near"] == np.iinfo(np.uint64).max)
        yield DuplicateCluster(
            doc_id=int(members["document"][place]),
            documents=len(mine),
            exact_copies=int((mine["copy_of"] != np.iinfo(np.uint64).max).sum()),
            kept=int(kept.sum()),
        )


def _repeats(run: RunFolder) -> tuple[list[RepeatedText], dict[int, list[_Repeat]]]:
    """Returns the repeated lines and paragraphs without their texts, and which documents hold them."""
    found: list[RepeatedText] = []
    wanted: dict[int, list[_Repeat]] = {}
    for kind in ("lines", "paragraphs"):
        merged = _merged(run, kind)
        columns = (each.tolist() for each in (merged.hashes, merged.documents, merged.firsts))
        for key, documents, first in zip(*columns, strict=True):
            wanted.setdefault(first, []).append(_Repeat(len(found), kind, key))
            found.append(
                RepeatedText(
                    kind=kind.removesuffix("s"), documents=documents, at_most=documents + merged.missed, doc_id=first
                )
            )
    return found, wanted


def _merged(run: RunFolder, kind: str) -> Repeats:
    paths = [run.sketch(f"repeated_{kind}", each.shard) for each in load_layout(run).shards]
    return merge_repeats((pq.read_table(path) for path in paths), LISTED_REPEATS)


def _line(text: str, repeat: _Repeat) -> str:
    """Returns the line of a document that has the hash."""
    batch = DocumentBatch(text=pa.array([text], pa.large_string()))
    lines = batch.once(lines_of if repeat.kind == "lines" else paragraphs_of)
    at = int(np.flatnonzero(lines.hashes == np.uint64(repeat.hash))[0])
    points = batch.once(decoded).codepoints[lines.starts[at] : lines.stops[at]]
    return points.astype("<u4").tobytes().decode("utf-32-le")
