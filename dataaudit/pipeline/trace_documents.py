"""The documents of a batch as a trace tells them: their place, what is unusual, the rules they fail, their text."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dataaudit.closeup import Excerpt
from dataaudit.errors import DataAuditError
from dataaudit.pipeline.batch_families import FAMILY_OF
from dataaudit.pipeline.batch_parts import document_shares
from dataaudit.pipeline.batch_risk import Held
from dataaudit.pipeline.document_texts import texts_of
from dataaudit.pipeline.excerpts import excerpt_of
from dataaudit.pipeline.lookup import look_up
from dataaudit.pipeline.matched import matched
from dataaudit.pipeline.plan import ROW_BITS, load_plan
from dataaudit.pipeline.rule_examples import verdicts_of_document
from dataaudit.pipeline.signal_tables import side_tables
from dataaudit.pipeline.store import RunFolder
from dataaudit.pipeline.training_set import TrainingSet
from dataaudit.trace_result import FailedRule, Piece, Reason, Sample, TracedDocument

SHOWN_SHARE = 0.25
"""A signal that more documents of the training set reach is no reason."""
REASONS = 6
PLACE = ("doc_id", "id", "source", "file", "record")


def samples_of(
    numbers: NDArray[np.int64],
    ranks: NDArray[np.int32],
    micro: NDArray[np.int32],
    held: Held,
    documents: TrainingSet,
) -> list[Sample]:
    """Returns the samples of a batch with the pieces that each holds."""
    pieces: list[list[Piece]] = [[] for _ in numbers]
    doc_ids = documents.doc_ids[held.spans.documents].tolist()
    rows = zip(held.spans.places.tolist(), doc_ids, held.spans.starts.tolist(), held.spans.stops.tolist(), strict=True)
    for place, doc_id, start, stop in rows:
        pieces[place].append(Piece(doc_id, start, stop))
    return [Sample(*each) for each in zip(numbers.tolist(), ranks.tolist(), micro.tolist(), pieces, strict=True)]


def traced_documents(
    place: Path,
    documents: TrainingSet,
    samples: Sequence[Sample],
    found: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]],
    full: int,
) -> list[TracedDocument]:
    """Returns the documents of a batch, the first *full* of them with signals, failing rules and text.

    Args:
        place: a run, or a filter's output.
        documents: the training set.
        samples: of the batch.
        found: documents, what the batch holds of them, and their parts, as ``BatchParts`` gives them.
        full: documents that are told in full.
    """
    run = RunFolder(documents.run)
    numbers, sizes, parts = found
    doc_ids = documents.doc_ids[numbers].tolist()
    rows = rows_of(run, doc_ids)
    signals = rows_of(run, doc_ids[:full], everything=True)
    shares = document_shares(documents, numbers)
    texts = dict(_texts(run, sorted(doc_ids[:full])))
    in_samples: dict[int, list[int]] = {}
    for sample in samples:
        for doc_id in dict.fromkeys(piece.doc_id for piece in sample.pieces):
            in_samples.setdefault(doc_id, []).append(sample.sample)
    traced = []
    for at, doc_id in enumerate(doc_ids):
        reasons = _reasons(documents, int(numbers[at]), shares[at])
        more = _in_full(place, doc_id, signals.get(doc_id, {}), texts.get(doc_id), reasons) if at < full else {}
        traced.append(
            TracedDocument(
                **{name: rows[doc_id][name] for name in PLACE},
                samples=in_samples.get(doc_id, []),
                size=int(sizes[at]),
                part=float(parts[at]),
                reasons=reasons,
                **more,
            )
        )
    return traced


def _in_full(
    place: Path, doc_id: int, signals: dict[str, Any], text: str | None, reasons: list[Reason]
) -> dict[str, Any]:
    fails = [
        FailedRule(each.rule, each.signal, each.value, each.min, each.max, each.action)
        for each in verdicts_of_document(place, doc_id, None)
        if each.says == "fails"
    ]
    if text is None:
        return {"signals": signals, "fails": fails}
    blamed = next((each.measure for each in reasons if matched(each.measure, text) is not None), None)
    nowhere = Excerpt(kind="example", doc_id=doc_id, id=None, file="", record=0, source=None, value=None)
    shown = excerpt_of(nowhere, text, blamed)
    return {"signals": signals, "fails": fails, "excerpt": shown.text, "start": shown.start, "stop": shown.stop}


def _reasons(documents: TrainingSet, number: int, shares: NDArray[np.float64]) -> list[Reason]:
    """Returns the signal of each family that fewest documents reach, fewest first."""
    best: dict[str, Reason] = {}
    for at, name in enumerate(documents.signals):
        share, family = float(shares[at]), FAMILY_OF[name]
        if share <= SHOWN_SHARE and (family not in best or share < best[family].share):
            best[family] = Reason(name, family, float(documents.values[number, at]), share)
    return sorted(best.values(), key=lambda reason: (reason.share, reason.measure))[:REASONS]


def rows_of(run: RunFolder, doc_ids: Sequence[int], *, everything: bool = False) -> dict[int, dict[str, Any]]:
    """Returns rows of the signal tables by doc_id: where documents stand, or all their signals."""
    by_shard: dict[int, list[int]] = {}
    for doc_id in doc_ids:
        by_shard.setdefault(doc_id >> ROW_BITS, []).append(doc_id)
    found: dict[int, dict[str, Any]] = {}
    for shard, wanted in by_shard.items():
        path = run.part("signals", shard, "parquet")
        if not path.exists():
            continue
        listed = pl.Series(wanted, dtype=pl.UInt64)
        for file in [path, *(side_tables(run, shard) if everything else ())]:
            rows = pl.scan_parquet(file).filter(pl.col("doc_id").is_in(listed.implode()))
            rows = rows.drop(PLACE[1:], "offset", "repaired", strict=False) if everything else rows.select(PLACE)
            for row in rows.collect().iter_rows(named=True):
                found.setdefault(row["doc_id"], {}).update(row)
    if everything:
        return {doc_id: {key: row[key] for key in row if key != "doc_id"} for doc_id, row in found.items()}
    lost = [doc_id for doc_id in doc_ids if doc_id not in found]
    return found | {each.identity["doc_id"]: each.identity for each in look_up(run.path, lost)}


def _texts(run: RunFolder, doc_ids: list[int]) -> Iterator[tuple[int, str]]:
    """Yields the texts; a corpus that has changed or gone since gives those before the change."""
    try:
        yield from texts_of(run, load_plan(run.path), doc_ids)
    except (DataAuditError, OSError):
        return
