"""A trace, as text for a terminal."""

from collections.abc import Iterator

from dataaudit.output.visible import one_line, visible
from dataaudit.trace_result import (
    Association,
    BatchRisk,
    LossTrace,
    Reason,
    Spike,
    StepTrace,
    TracedDocument,
    TraceResult,
)

STEPS = 10
REASONS = 3
SPIKES = 20
UNUSUAL = 0.1
"""A measure that more batches reach is no reason."""
STANDS_OUT = 0.05


def render_trace(result: TraceResult) -> str:
    """Returns the trace: the batch, the steps before it, its documents, and what the log says."""
    lines = [*_head(result)]
    if result.trace is not None:
        lines += ["", *_step(result, result.trace)]
    if result.losses is not None:
        lines += ["", *_losses(result.losses)]
    return "\n".join(lines) + "\n"


def _head(result: TraceResult) -> Iterator[str]:
    ranks = f" × {result.world_size} ranks" if result.world_size > 1 else ""
    accumulated = f" × {result.grad_accum} accumulated" if result.grad_accum > 1 else ""
    yield (
        f"order {one_line(result.order)}, batch {result.batch_size}{accumulated}{ranks}, packing {result.packing}: "
        f"{result.samples:,} samples of {result.documents:,} documents ({result.which_documents}), "
        f"{result.steps:,} steps"
    )
    if result.not_measured:
        yield f"not measured in this run: {', '.join(result.not_measured)}"


def _step(result: TraceResult, trace: StepTrace) -> Iterator[str]:
    size = sum(document.size for document in trace.documents)
    yield (
        f"step {trace.step:,}, epoch {trace.batch.epoch}: {_many(len(trace.samples), 'sample')}, "
        f"{_many(len(trace.documents), 'document')}, {size:,} {result.unit}"
    )
    yield (
        f"{_share(trace.batch.share)} of all batches are at least as unusual; place {trace.batch.rank:,} of "
        f"{len(trace.before):,} steps. Unusual is a risk, not a cause."
    )
    for reason in trace.batch.reasons:
        yield f"  {reason.family:<20} {reason.measure:<28} {_number(reason.value):>10}  {_reached(reason, 'batches')}"
    yield ""
    yield f"{'step':>12}  {'unusual':>8}  {'of all':>8}  most unusual of the {len(trace.before):,} steps up to it"
    for each in trace.before[:STEPS]:
        here = " ←" if each.step == trace.step else ""
        yield f"{each.step:>12,}  {each.unusual:>8.2f}  {_share(each.share):>8}  {_why(each)}{here}"
    yield ""
    yield "documents of the batch, by their part in it"
    shown = [document for document in trace.documents if document.signals or document.fails or document.excerpt]
    for number, document in enumerate(shown, start=1):
        yield from _document(number, document, result.unit)
    if len(trace.documents) > len(shown):
        yield f"... and {len(trace.documents) - len(shown):,} more; --format json has all of them"


def _document(number: int, document: TracedDocument, unit: str) -> Iterator[str]:
    id_ = "" if document.id is None else f"  id {one_line(document.id)}"
    place = f"{one_line(document.file)}:{document.record}"
    yield f"{number:>3}. {document.part:>6.1%}  {place}{id_}  doc_id {document.doc_id}"
    samples = ", ".join(str(sample) for sample in document.samples[:4]) + ("..." if len(document.samples) > 4 else "")
    source = "" if document.source is None else f", source {one_line(document.source)}"
    yield f"     {document.size:,} {unit} in sample {samples}{source}"
    for reason in document.reasons:
        yield f"     {reason.measure:<28} {_number(reason.value):>10}  {_reached(reason, 'documents')}"
    for rule in document.fails:
        limits = "" if rule.min is None else f", min {_number(rule.min)}"
        limits += "" if rule.max is None else f", max {_number(rule.max)}"
        value = "" if rule.value is None else f"  {one_line(rule.signal or '')} {_number(rule.value)}{limits}"
        yield f"     FAILS  {one_line(rule.rule)}{value}"
    if document.excerpt is not None:
        yield "     | " + visible(document.excerpt).replace("\n", "\n     | ")


def _losses(losses: LossTrace) -> Iterator[str]:
    logged = ", ".join(f"{many:,} values of {name}" for name, many in losses.values.items())
    yield f"{_many(len(losses.spikes), 'spike')} in {logged}"
    for note in losses.notes:
        yield f"note: {one_line(note)}"
    for spike, following in zip(losses.spikes[:SPIKES], [*losses.spikes[1:], None], strict=False):
        yield _spike(spike)
        if following is None or following.step != spike.step:
            yield from _steps_before(spike)
    if len(losses.spikes) > SPIKES:
        yield f"... and {len(losses.spikes) - SPIKES:,} more; --format json has all of them"
    if not losses.draws:
        yield "too few spikes or steps to say what stands out before them"
        return
    yield ""
    yield f"in the {losses.window} steps up to a spike, against {losses.draws:,} draws of random steps (p by Holm)"
    standing = [each for each in losses.associations if each.p <= STANDS_OUT]
    for each in standing:
        yield _association(each)
    if not standing:
        yield f"  no measure of the batches stands out (p ≤ {STANDS_OUT:g}); other causes, or too few spikes"


def _spike(spike: Spike) -> str:
    value = "no number" if spike.value is None else _number(spike.value)
    after = "" if spike.recovered_after is None else f" after {_many(spike.recovered_after, 'value')}"
    says = {"fast": "recovers fast", "slowly": "recovers slowly", "not": "does not recover"}
    how = says.get(spike.recovery, "the log ends too soon to say whether it recovers")
    usual = f"{_number(spike.mean)} ± {_number(spike.sigma)} before"
    return f"  step {spike.step:,}  {spike.series} {value}, {usual}; {how}{after}"


def _steps_before(spike: Spike) -> Iterator[str]:
    for each in spike.before[:2]:
        worst = f"; documents {', '.join(str(doc_id) for doc_id in each.worst)}" if each.worst else ""
        yield f"      step {each.step:,}  {_share(each.share)} of batches are as unusual: {_why(each)}{worst}"


def _association(each: Association) -> str:
    return (
        f"  {each.family:<20} {each.measure:<28} percentile {each.before_spikes:.0%}, "
        f"elsewhere {each.baseline:.0%}, p {each.p:.2g}"
    )


def _why(risk: BatchRisk) -> str:
    listed = [
        f"{reason.measure} {_number(reason.value)}" for reason in risk.reasons[:REASONS] if reason.share <= UNUSUAL
    ]
    return ", ".join(listed) or "nothing unusual"


def _reached(reason: Reason, of: str) -> str:
    return f"{_share(reason.share)} of {of} reach it"


def _share(share: float) -> str:
    return f"{share:.2%}" if share >= 0.0001 else f"{share:.1e}"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def _number(value: float) -> str:
    return f"{int(value):,}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:.4g}"
