"""From a step of a training run back to its samples, documents and lines, and to the unusual steps before it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dataaudit import __version__
from dataaudit.errors import UsageError
from dataaudit.losses import read_log
from dataaudit.order import Block
from dataaudit.order.batches import Batch
from dataaudit.pipeline.batch_families import FAMILIES
from dataaudit.pipeline.batch_parts import BatchParts
from dataaudit.pipeline.batch_risk import BatchRisks, Held, held_by, measure_order
from dataaudit.pipeline.loss_trace import trace_losses
from dataaudit.pipeline.trace_documents import samples_of, traced_documents
from dataaudit.pipeline.training import ReadingOptions, Training, training_on
from dataaudit.pipeline.training_set import TrainingSet, load_training_set
from dataaudit.trace_result import BatchRisk, StepTrace, TraceResult

WITH_WORST = 10
"""Steps looked back at, most unusual first, whose documents are named."""
WORST = 3


@dataclass(frozen=True)
class TraceOptions(ReadingOptions):
    """How the training run read its data, and how much is told.

    Attributes:
        which: documents that were trained on; None is the clean ones of a filter's output, all of a run.
        lookback: steps before.
        count: documents that are told in full.
    """

    which: str | None = None
    lookback: int = 200
    count: int = 10


def trace(place: Path, options: TraceOptions, step: int | None, losses: list[Path]) -> TraceResult:
    """Traces a step, the spikes of a log, or both.

    Args:
        place: a run folder, or the output folder of a filter.
        options: how the training run read it.
        step: from 1, or None.
        losses: files of the log; empty for none.

    Raises:
        UsageError: neither is given, an option does not fit, or the order has no such step.
        ReadError: a file cannot be read.
        RunError: the run cannot be used.
    """
    if step is None and not losses:
        raise UsageError("say which step with --step N, or give a training log with --loss FILE.")
    log = read_log(losses) if losses else None
    reach = max([step or 1, *(int(series.steps[-1]) for series in (log.series if log else ()))])
    training = training_on(load_training_set(place, options.which), options, reach)
    risks = measure_order(training.order, training.packing, training.documents)
    tracer = Tracer(place, training, risks, options)
    return TraceResult(
        run=str(place),
        order=options.order,
        packing=training.packing.name,
        batch_size=options.batch_size,
        grad_accum=options.grad_accum,
        world_size=options.world_size,
        which_documents=training.documents.which,
        documents=len(training.documents.doc_ids),
        samples=training.packing.samples,
        steps=len(risks.steps),
        unit=training.documents.unit,
        not_measured=_not_measured(training.documents),
        trace=None if step is None else tracer.step(step),
        losses=trace_losses(log, risks, tracer.before) if log else None,
        dataaudit_version=__version__,
    )


def _not_measured(documents: TrainingSet) -> list[str]:
    return [name for name, signals in FAMILIES.items() if not set(signals) & set(documents.signals)]


class Tracer:
    """Tells steps of one training run."""

    def __init__(self, place: Path, training: Training, risks: BatchRisks, options: TraceOptions) -> None:
        self._place, self._training, self._risks, self._options = place, training, risks, options
        self._parts = BatchParts(training.documents, risks)
        self._ascending = np.sort(risks.unusual)

    def step(self, step: int) -> StepTrace:
        """Returns the batch of a step and the steps before it."""
        batch = self._training.order.batch(step)
        held = self._held(batch)
        row = self._risks.place_of(step)
        assert row is not None, "the order has a batch of a step that it does not list"
        before = self.before(step, self._options.lookback)
        documents = self._training.documents
        samples = samples_of(batch.samples, batch.ranks, batch.micro, held, documents)
        found = self._parts.of_batch(row, held)
        own = next(each for each in before if each.step == step)
        traced = traced_documents(self._place, documents, samples, found, self._options.count)
        return StepTrace(step=step, batch=own, before=before, samples=samples, documents=traced)

    def before(self, step: int, lookback: int) -> list[BatchRisk]:
        """Returns the steps from *step* - *lookback* to *step* that the order has, most unusual first."""
        first, stop = (int(at) for at in np.searchsorted(self._risks.steps, [step - lookback, step + 1]))
        rows = np.arange(first, stop)
        ordered = rows[np.lexsort((-rows, -self._risks.unusual[rows]))].tolist()
        named = {*ordered[:WITH_WORST], self._risks.place_of(step)}
        worst = {row: self._worst(row) for row in rows.tolist() if row in named}
        return [self._risk(row, rank, worst.get(row, [])) for rank, row in enumerate(ordered, start=1)]

    def _risk(self, row: int, rank: int, worst: list[int]) -> BatchRisk:
        step, unusual = int(self._risks.steps[row]), float(self._risks.unusual[row])
        reach = len(self._ascending) - int(np.searchsorted(self._ascending, unusual, "left"))
        return BatchRisk(
            step=step,
            epoch=self._training.order.epoch(step),
            unusual=unusual,
            share=reach / len(self._ascending),
            rank=rank,
            reasons=[reason for _, reason in self._risks.reasons(row)],
            worst=worst,
        )

    def _worst(self, row: int) -> list[int]:
        held = self._held(self._training.order.batch(int(self._risks.steps[row])))
        documents, _, _ = self._parts.of_batch(row, held)
        found: list[int] = self._training.documents.doc_ids[documents[:WORST]].tolist()
        return found

    def _held(self, batch: Batch) -> Held:
        offsets = np.array([0, len(batch.samples)])
        return held_by(Block(np.array([batch.step]), offsets, batch.samples, batch.ranks), self._training.packing)
