"""The balance of a filter: what went in is what came out, file by file, in records and bytes."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from dataaudit import __version__
from dataaudit.corpus import Piece
from dataaudit.filter_result import FILTER_SCHEMA, Balance, FileBalance, FilterResult, Funnel
from dataaudit.pipeline.filter_plan import FilterPlan
from dataaudit.pipeline.filter_shard import PieceOutcome, pieces_of
from dataaudit.pipeline.funnel import Counts, funnel_of
from dataaudit.pipeline.plan import Plan
from dataaudit.pipeline.store import Marker, RunFolder


def balance(plan: FilterPlan, audit: Plan, done: Sequence[Marker]) -> FilterResult:
    """Returns the result of a filter whose tasks are all finished."""
    counts = Counts()
    for marker in done:
        counts.merge(msgspec.convert(marker.result["counts"], Counts))
    funnel = funnel_of(plan.rules, counts)
    outcomes = [msgspec.convert(marker.result["pieces"], list[PieceOutcome]) for marker in done]
    files = _files(audit, outcomes)
    records = sum((file.records for file in files), Balance())
    in_bytes = sum((file.bytes for file in files), Balance())
    tokens = sum((file.tokens for file in files), Balance())
    balanced = all(file.holds for file in files)
    return FilterResult(
        schema_version=FILTER_SCHEMA,
        dataaudit_version=__version__,
        run=plan.run,
        config_name=plan.config_name,
        config_digest=plan.config_digest,
        format=plan.output,
        step=plan.step,
        restored=plan.restored,
        conserved=balanced and _agrees(plan, audit, records, funnel),
        records=records,
        bytes=in_bytes,
        tokens=tokens,
        funnel=funnel,
        files=files,
    )


def _agrees(plan: FilterPlan, audit: Plan, records: Balance, funnel: Funnel) -> bool:
    """Whether what was written is what was audited and judged; a row may prove unreadable with all its columns."""
    audited = [each for shard in range(len(audit.shards)) for each in pieces_of(RunFolder(Path(plan.run)), shard)]
    broken = records.unreadable - sum(each.unreadable for each in audited)
    lost_text = sum(each.without_text for each in audited) - records.without_text
    return (
        records.total == sum(each.records for each in audited)
        and records.clean + records.quarantine + broken - lost_text == sum(each.documents for each in audited)
        and funnel.all.documents == sum(each.documents for each in audited)
        and 0 <= funnel.kept.documents - records.clean <= broken
    )


def _files(audit: Plan, outcomes: Sequence[Sequence[PieceOutcome]]) -> list[FileBalance]:
    found: dict[str, FileBalance] = {}

    def add(piece: Piece, outcome: PieceOutcome) -> None:
        before = found.get(piece.file.name, FileBalance(piece.file.name, Balance(), Balance(), Balance(), None, []))
        found[piece.file.name] = FileBalance(
            piece.file.name,
            before.records + outcome.records,
            before.bytes + outcome.bytes,
            before.tokens + outcome.tokens,
            before.damage or outcome.damage,
            before.outputs + outcome.outputs,
        )

    for pieces, results in zip(audit.shards, outcomes, strict=True):
        for piece, outcome in zip(pieces, results, strict=True):
            add(piece, outcome)
    for damaged in audit.damaged:
        found[damaged.file.name] = FileBalance(damaged.file.name, Balance(), Balance(), Balance(), damaged.reason, [])
    return list(found.values())
