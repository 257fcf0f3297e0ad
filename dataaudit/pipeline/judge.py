"""Judges a measured run: evidence from the run folder, checks, and the result. Reads no corpus."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import msgspec
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from dataaudit import __version__
from dataaudit.checks import Check, all_checks
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.judge import judge
from dataaudit.checks.reencoded import TextCompared
from dataaudit.config import LoadedConfig
from dataaudit.errors import NoDocumentsError
from dataaudit.pipeline.closeup import closeup_of
from dataaudit.pipeline.duplicate_result import duplicate_result
from dataaudit.pipeline.excerpts import Texts, without_private, without_private_ids
from dataaudit.pipeline.manifest import file_summaries, piece_results, token_files
from dataaudit.pipeline.not_measured import outdated, reason_of, what_was_there
from dataaudit.pipeline.order_evidence import measure
from dataaudit.pipeline.plan import Plan
from dataaudit.pipeline.reencode_stage import load_reencoded
from dataaudit.pipeline.rule_pass import RulePass
from dataaudit.pipeline.signal_tables import IDENTITY, side_tables, signal_tables
from dataaudit.pipeline.store import Marker, RunFolder
from dataaudit.pipeline.text_stage import load_compared
from dataaudit.pipeline.training_set import read_training_set
from dataaudit.pipeline.vocabulary_of import special_ids_of, vocabulary_of
from dataaudit.result import (
    SCHEMA_VERSION,
    AuditResult,
    CorpusSummary,
    Drift,
    Example,
    FileSummary,
    Finding,
    Method,
    SignalSummary,
    SourceSummary,
    Status,
    verdict,
)
from dataaudit.rules import at_step
from dataaudit.signals import all_signals
from dataaudit.sketches.histograms import SignalHistograms, bin_edges
from dataaudit.sketches.lengths import LengthHistogram
from dataaudit.sketches.token_counts import TokenCounts

LISTED_FILES = 1000
LISTED_SOURCES = 1000
LOST_EXAMPLES = 100
OWN_UNIT = "number"
"""Unit of a number column of the user's own, which the corpus does not tell."""


def judge_run(
    run: RunFolder, plan: Plan, maps: list[Marker], loaded: LoadedConfig, drift: Drift, texts: Texts
) -> AuditResult:
    """Returns the result of a run whose tasks are all finished; *texts* gives the excerpts of its examples.

    Raises:
        NoDocumentsError: no document was read.
    """
    files = file_summaries(plan, maps)
    shards = [shard for shard in range(len(maps)) if run.part("signals", shard, "parquet").exists()]
    if not any(file.documents for file in files):
        raise NoDocumentsError(_nothing_read(files))
    evidence = replace(_evidence(run, plan, shards, files, loaded), drift=drift, token_files=token_files(plan, maps))
    duplicates = duplicate_result(run, plan, loaded.config.duplicates, evidence.documents)
    evidence = replace(
        evidence,
        duplicates=without_private(duplicates, texts),
        reencoded=without_private_ids(load_reencoded(run), texts),
        text_beside=_without_private_texts(load_compared(run), texts),
    )
    evidence = _with_order(evidence, run, loaded)
    findings = judge(_checks(evidence), evidence)
    signals = _signals(run, plan, shards, evidence)
    return AuditResult(
        schema_version=SCHEMA_VERSION,
        dataaudit_version=__version__,
        verdict=verdict(findings),
        counts=_counts(findings),
        corpus=_corpus(plan, maps, files, evidence),
        findings=findings,
        rules=list(evidence.rules),
        sources=_sources(evidence),
        lengths=_lengths(evidence),
        signals=signals,
        files=_worst_files(files),
        duplicates=evidence.duplicates,
        drift=drift,
        closeup=closeup_of(run, plan, evidence, findings, signals, texts),
        method=_method(plan, evidence, loaded),
    )


def _without_private_texts(compared: TextCompared | None, texts: Texts) -> TextCompared | None:
    if compared is None:
        return None
    sample = without_private_ids(compared.sample, texts)
    assert sample is not None
    return msgspec.structs.replace(compared, sample=sample)


def _with_order(evidence: Evidence, run: RunFolder, loaded: LoadedConfig) -> Evidence:
    """Adds the order of training, if the config names one."""
    order = loaded.config.order
    if order.name is None:
        return evidence
    rules = at_step(loaded.config.rules, None)
    measured = measure(read_training_set(run, order.documents or "all", rules, with_signals=False), loaded.config)
    return replace(evidence, order=measured.facts, order_documents=measured.examples)


def _checks(evidence: Evidence) -> dict[str, Check]:
    """Returns every check; without an order of training, which is the user's to name, those of orders are left out."""
    return {
        name: each for name, each in all_checks().items() if evidence.order is not None or "order" not in each.needs
    }


def _nothing_read(files: list[FileSummary]) -> str:
    reasons = [f"{file.name}: {file.damage}" for file in files if file.damage]
    unreadable = sum(file.unreadable for file in files)
    without = sum(file.without_text for file in files)
    lost = f"records: {unreadable:,} unreadable, {without:,} without text"
    lines = [f"no document was read from {_files(len(files))} ({lost})."]
    return "\n".join([*lines, *reasons[:10], "See ledger/ in the run folder for each record."])


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


def _evidence(
    run: RunFolder, plan: Plan, shards: list[int], files: list[FileSummary], loaded: LoadedConfig
) -> Evidence:
    documents, names = _documents(run, shards)
    stale = outdated(plan, loaded.config.model)
    there = what_was_there(plan, names)
    names = [name for name in names if name not in stale]
    weight = "token_count" if "token_count" in names else "char_count"
    rules = RulePass(loaded.config.rules, weight)
    for shard in shards:
        rules.add(run, shard)
    facts = vocabulary_of(plan.map.tokenizer) if plan.map.tokenizer else None
    counts = run.sketch("token_counts")
    lengths = LengthHistogram()
    for shard in shards:
        lengths.merge(LengthHistogram.from_table(pq.read_table(run.sketch("lengths", shard))))
    return Evidence(
        config=loaded.config,
        documents=documents.with_columns(pl.col(weight).fill_null(0).alias("weight")),
        measured=frozenset(names),
        not_measured={
            name: stale.get(name) or reason_of(each, there) for name, each in all_signals().items() if name not in names
        },
        weight_unit="tokens" if weight == "token_count" else "characters",
        files=files,
        lost=list(islice(_lost(run, len(plan.shards)), LOST_EXAMPLES)),
        lengths=lengths,
        token_counts=TokenCounts.from_table(pq.read_table(counts), facts.id_space if facts else 0)
        if weight == "token_count" and counts.exists()
        else None,
        vocabulary=facts,
        tokenizer_ids=special_ids_of(plan.map.tokenizer)._asdict() if plan.map.tokenizer else {},
        rules=rules.outcomes(),
        rule_families=rules.found(),
        shard_tokens=sum(
            marker.result["tokens"] for shard in shards if (marker := run.any_marker(f"pool-{shard:05d}")) is not None
        ),
        tokenized_input=there.came_as_ids,
    )


def _documents(run: RunFolder, shards: list[int]) -> tuple[pl.LazyFrame, list[str]]:
    """Returns all signals of all documents as one lazy table, and the names that a check may need."""
    frames, names = [], dict.fromkeys(("id", "repaired"))
    for shard in shards:
        frame = pl.scan_parquet(run.part("signals", shard, "parquet"))
        sides = [pl.scan_parquet(side).drop("doc_id") for side in side_tables(run, shard)]
        frame = pl.concat([frame, *sides], how="horizontal")
        frame = frame.with_columns(pl.lit(shard, pl.Int64).alias("shard"))
        frames.append(frame)
        names |= dict.fromkeys(name for name in frame.collect_schema().names() if name not in (*IDENTITY, "shard"))
    return pl.concat(frames, how="diagonal"), list(names)


def _lost(run: RunFolder, shards: int) -> Iterator[Example]:
    """Gives the records of the ledgers, in the corpus's order."""
    for shard in range(shards):
        with run.part("ledger", shard, "jsonl").open("rb") as ledger:
            for line in ledger:
                entry = msgspec.json.decode(line)
                yield Example(
                    doc_id=entry["doc_id"],
                    id=None,
                    file=entry["file"],
                    record=entry["record"],
                    source=entry["source"],
                    reason=f"{entry['kind']}: {entry['reason']}",
                )


def _counts(findings: list[Finding]) -> dict[str, int]:
    return {str(status): sum(finding.status is status for finding in findings) for status in Status}


def _corpus(plan: Plan, maps: list[Marker], files: list[FileSummary], evidence: Evidence) -> CorpusSummary:
    pieces = [piece for results in piece_results(maps) for piece in results]
    tokens = evidence.lengths.total if evidence.weight_unit == "tokens" else None
    has_text = "char_count" in evidence.measured
    return CorpusSummary(
        files=len(files),
        damaged_files=sum(file.damage is not None for file in files),
        shards=len(plan.shards),
        records=sum(piece.records for piece in pieces),
        documents=sum(piece.documents for piece in pieces),
        unreadable=sum(piece.unreadable for piece in pieces),
        without_text=sum(piece.without_text for piece in pieces),
        tokens=tokens,
        characters=evidence.total(pl.col("char_count").sum()) if has_text else None,
        text_bytes=evidence.total(pl.col("byte_count").sum()) if has_text else None,
        input_bytes=sum(piece.bytes_read for piece in pieces),
    )


def _sources(evidence: Evidence) -> list[SourceSummary]:
    """Returns the mixture, largest source first."""
    has_text = "char_count" in evidence.measured
    has_tokens = evidence.weight_unit == "tokens"
    characters = pl.col("char_count").sum() if has_text else pl.lit(None, pl.Int64)
    table = (
        evidence.documents.group_by("source")
        .agg(pl.len().alias("documents"), pl.col("weight").sum(), characters.alias("characters"))
        .sort(["weight", "source"], descending=[True, False])
        .collect(engine="streaming")
    )
    of_documents, of_weight, of_characters = (
        int(table.select(pl.col(name).sum()).item() or 0) for name in ("documents", "weight", "characters")
    )
    return [
        SourceSummary(
            name=row["source"],
            documents=row["documents"],
            tokens=row["weight"] if has_tokens else None,
            characters=row["characters"],
            document_share=_share(row["documents"], of_documents),
            token_share=_share(row["weight"], of_weight) if has_tokens else None,
            character_share=_share(row["characters"], of_characters) if has_text else None,
        )
        for row in table.head(LISTED_SOURCES).iter_rows(named=True)
    ]


def _share(part: int | None, whole: int) -> float | None:
    return part / whole if part is not None and whole else None


def _lengths(evidence: Evidence) -> dict[str, Any]:
    points = (0, 1, 5, 10, 25, 50, 75, 90, 95, 99, 100)
    lengths = evidence.lengths
    return {
        "unit": evidence.weight_unit,
        "documents": lengths.documents,
        "total": lengths.total,
        "percentiles": {f"p{point}": lengths.percentile(point) for point in points},
    }


def _signals(run: RunFolder, plan: Plan, shards: list[int], evidence: Evidence) -> dict[str, SignalSummary]:
    merged = SignalHistograms()
    for shard in shards:
        for name in ("histograms", "histograms_pooled", "histograms_duplicates"):
            path = run.sketch(name, shard)
            if path.exists():
                merged.merge(SignalHistograms.from_table(pq.read_table(path)))
    own = [name for name in plan.map.read.number_columns if name in evidence.measured]
    _add_own_numbers(merged, own, run, shards, evidence.weight_unit)
    table = pl.DataFrame(merged.to_table())
    units = {name: each.unit for name, each in all_signals().items()} | dict.fromkeys(own, OWN_UNIT)
    types = evidence.documents.collect_schema()
    return {
        name: summarised(
            units[name], table.filter(pl.col("signal") == name), bin_edges(name, is_integer=types[name].is_integer())
        )
        for name in sorted(set(table["signal"].unique()) & units.keys() & evidence.measured)
    }


def _add_own_numbers(
    histograms: SignalHistograms, names: list[str], run: RunFolder, shards: list[int], weight_unit: str
) -> None:
    """Adds the number columns of the user's own, which stand in the signal tables and in no histogram of a shard."""
    weight = "token_count" if weight_unit == "tokens" else "char_count"
    for shard in shards if names else ():
        for table in signal_tables(run, shard, {weight, *names}):
            numbers = table.select([name for name in names if name in table.column_names]).combine_chunks()
            weights = table.column(weight).fill_null(0).to_numpy()
            all_sources = pa.repeat(pa.scalar("", pa.large_string()), table.num_rows)
            for batch in numbers.to_batches():
                histograms.update(all_sources, weights, batch)


def summarised(unit: str, rows: pl.DataFrame, edges: NDArray[np.float64]) -> SignalSummary:
    """Returns the histogram over all sources, from the first filled bin to the last."""
    bins = rows.drop_nulls("bin").group_by("bin").agg(pl.col("documents").sum(), pl.col("weight").sum()).sort("bin")
    filled = {row["bin"]: row for row in bins.iter_rows(named=True)}
    first, last = min(filled, default=0), max(filled, default=-1)
    span = range(first, last + 1)
    return SignalSummary(
        unit=unit,
        nan_count=int(rows.filter(pl.col("bin").is_null())["documents"].sum()),
        min=rows.select(pl.col("minimum").min()).item(),
        max=rows.select(pl.col("maximum").max()).item(),
        bin_edges=[float(edges[each]) for each in range(first, last + 2)] if len(bins) else [],
        hist=[filled[each]["documents"] if each in filled else 0 for each in span],
        token_hist=[filled[each]["weight"] if each in filled else 0 for each in span],
    )


def _worst_files(files: list[FileSummary]) -> list[FileSummary]:
    order = sorted(
        range(len(files)),
        key=lambda index: (files[index].damage is None, -files[index].unreadable - files[index].without_text, index),
    )
    return [files[index] for index in order[:LISTED_FILES]]


def _method(plan: Plan, evidence: Evidence, loaded: LoadedConfig) -> Method:
    known = all_signals()
    tokenizer = msgspec.to_builtins(plan.map.tokenizer) if plan.map.tokenizer else None
    return Method(
        config=loaded.resolved,
        config_name=loaded.name,
        config_digest=loaded.digest,
        tokenizer=tokenizer,
        signals={name: each.version for name, each in known.items() if name in evidence.measured},
        not_measured=dict(evidence.not_measured),
        notes=_notes(evidence),
    )


def _notes(evidence: Evidence) -> list[str]:
    notes = ["All documents were measured; nothing was sampled."]
    if evidence.weight_unit != "tokens":
        notes.append("No tokenizer: shares of tokens are shares of characters, and token checks were skipped.")
    return notes
