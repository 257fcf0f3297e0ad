"""Collects what the report shows beyond the verdict, from the stored signals and sketches. Reads no corpus."""

from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from dataaudit.checks import all_checks
from dataaudit.checks.evidence import Evidence
from dataaudit.closeup import (
    Closeup,
    Curve,
    Excerpt,
    FrequentToken,
    LengthCloseup,
    SignalCloseup,
    TokenBand,
    TokenCoverage,
)
from dataaudit.errors import DataAuditError
from dataaudit.pipeline.excerpts import Texts, excerpted
from dataaudit.pipeline.plan import Plan
from dataaudit.pipeline.rule_edges import RuleEdges
from dataaudit.pipeline.signal_tables import signal_tables
from dataaudit.pipeline.store import RunFolder
from dataaudit.result import Finding, SignalSummary, Status
from dataaudit.signals import all_signals
from dataaudit.sketches.lengths import LengthHistogram
from dataaudit.tokenize import token_texts

FINDING_EXAMPLES = 3
LENGTH_BINS = 56
FREQUENT = 20
BANDS = (0, 1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)


def closeup_of(
    run: RunFolder,
    plan: Plan,
    evidence: Evidence,
    findings: list[Finding],
    signals: dict[str, SignalSummary],
    texts: Texts,
) -> Closeup:
    """Returns the close-up of a run.

    *evidence*, *findings* and *signals* are what was measured and judged; *texts* gives the excerpts, and says how many
    a rule has.
    """
    types = evidence.documents.collect_schema()
    integers = {name for name, each in types.items() if each.is_integer()}
    weight = "token_count" if evidence.weight_unit == "tokens" else "char_count"
    edges = RuleEdges(evidence.config.rules, signals, integers, weight, texts.each)
    for shard in range(len(plan.shards)):
        for table in signal_tables(run, shard, edges.columns()):
            edges.add(table)
    rules = edges.closeups()
    of_findings = {each.id: _examples(each, texts.each) for each in findings}
    of_signal = {rule.id: rule.signal for rule in evidence.config.rules}
    wanted = {
        **{("rule", rule.id): (of_signal.get(rule.id), rule.examples) for rule in rules},
        **{("finding", name): (_signal_of(name), listed) for name, listed in of_findings.items() if listed},
    }
    read = excerpted(run, plan, wanted, texts)
    return Closeup(
        inputs=list(plan.inputs),
        examples=texts.each,
        rules=[msgspec.structs.replace(rule, examples=read["rule", rule.id]) for rule in rules],
        overlap=edges.overlap(),
        findings={name: read["finding", name] for name, listed in of_findings.items() if listed},
        signals=_signals(signals, edges.bin_doc_ids()),
        lengths=_lengths(evidence.lengths, evidence.config.model.max_length),
        tokens=_tokens(evidence, Path(plan.map.tokenizer.path) if plan.map.tokenizer else None),
    )


def _examples(finding: Finding, each: int) -> list[Excerpt]:
    if finding.status not in (Status.WARN, Status.FAIL) or not each:
        return []
    return [
        Excerpt(
            kind="example",
            doc_id=one.doc_id,
            id=one.id,
            file=one.file,
            record=one.record,
            source=one.source,
            value=one.value,
            position=one.position,
        )
        for one in finding.examples[:FINDING_EXAMPLES]
        if one.reason is None
    ]


def _signal_of(check: str) -> str | None:
    """Returns the signal that a check looks at first."""
    needs = all_checks()[check].needs
    return needs[0] if needs else None


def _signals(summaries: dict[str, SignalSummary], doc_ids: dict[str, list[int | None]]) -> dict[str, SignalCloseup]:
    known = all_signals()
    return {
        name: SignalCloseup(
            family=known[name].family,
            definition=" ".join(known[name].doc.split("\n\n")[0].split()),
            source=known[name].source,
            null=known[name].null,
            bin_doc_ids=doc_ids.get(name, []),
        )
        if name in known
        else SignalCloseup(
            family="number columns",
            definition="A number column of the corpus.",
            source="read.number_columns in the config",
            null="the record has no finite number there",
            bin_doc_ids=doc_ids.get(name, []),
        )
        for name in summaries
    }


def _lengths(lengths: LengthHistogram, context: int | None) -> LengthCloseup:
    longest = lengths.percentile(100) or 0
    grid = np.unique(np.round(np.geomspace(1, max(longest, 2) + 1, LENGTH_BINS)).astype(np.int64))
    within = [] if context is None or not 0 < context <= longest else [context + 1]
    edges = np.unique(np.concatenate([[0], grid, np.array(within, np.int64)]))
    values, documents = lengths.distinct
    bins = np.searchsorted(edges, values, side="right") - 1
    hist, token_hist = (np.zeros(len(edges) - 1, np.int64) for _ in range(2))
    np.add.at(hist, bins, documents)
    np.add.at(token_hist, bins, documents * values)
    limits = _contexts(longest, context)
    return LengthCloseup(
        bin_edges=edges.astype(float).tolist(),
        hist=hist.tolist(),
        token_hist=token_hist.tolist(),
        context=context,
        curve=Curve(
            side="context",
            limits=[float(each) for each in limits],
            documents=[lengths.documents_longer_than(each) for each in limits],
            tokens=[lengths.total_past(each) for each in limits],
        ),
    )


def _contexts(longest: int, context: int | None) -> list[int]:
    """Returns round lengths up to the longest document, and the config's own."""
    doublings = [1 << power for power in range(4, 24)]
    between = [each * 3 // 2 for each in doublings]
    most = max(longest, context or 0)
    return sorted({each for each in (*doublings, *between, longest, context or 0) if 0 < each <= most})


def _tokens(evidence: Evidence, tokenizer: Path | None) -> TokenCoverage | None:
    found = evidence.token_counts
    if found is None:
        return None
    space = evidence.vocabulary.id_space if evidence.vocabulary is not None else len(found.counts)
    counts = np.zeros(max(space, len(found.counts)), np.int64)
    counts[: len(found.counts)] = found.counts
    order = np.lexsort((np.arange(len(counts)), -counts))[:FREQUENT]
    order = order[counts[order] > 0]
    documents, texts = found.doc_counts, _texts(tokenizer, order)
    return TokenCoverage(
        ids=space,
        tokens=found.total,
        outside=found.total_outside,
        bands=_bands(counts),
        most_frequent=[
            FrequentToken(id=int(each), text=text, count=int(counts[each]), documents=int(documents[each]))
            for each, text in zip(order, texts, strict=True)
        ],
    )


def _bands(counts: NDArray[np.int64]) -> list[TokenBand]:
    bands = []
    for place, least in enumerate(BANDS):
        most = BANDS[place + 1] - 1 if place + 1 < len(BANDS) else None
        inside = (counts >= least) & (counts <= (most if most is not None else np.iinfo(np.int64).max))
        bands.append(TokenBand(least=least, most=most, ids=int(inside.sum()), tokens=int(counts[inside].sum())))
    while len(bands) > 1 and not bands[-1].ids:
        bands.pop()
    return bands


def _texts(tokenizer: Path | None, ids: NDArray[np.int64]) -> list[str | None]:
    if tokenizer is not None:
        try:
            return token_texts(tokenizer, ids.tolist())
        except (DataAuditError, OSError):
            pass  # The file has gone since the audit; ids tell enough.
    return [None] * len(ids)
