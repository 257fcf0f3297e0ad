"""From a step of a training run back to its samples, documents and lines, and to the unusual steps before it."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dataaudit import __version__
from dataaudit.errors import UsageError
from dataaudit.losses import read_log
from dataaudit.order import Block, Order, Packing, PackingOptions, Setup, kind_of, pack, parse_order
from dataaudit.order.batches import Batch
from dataaudit.order.spelling import spelled
from dataaudit.pipeline.batch_families import FAMILIES
from dataaudit.pipeline.batch_parts import BatchParts
from dataaudit.pipeline.batch_risk import BatchRisks, Held, held_by, measure_order
from dataaudit.pipeline.loss_trace import trace_losses
from dataaudit.pipeline.trace_documents import samples_of, traced_documents
from dataaudit.pipeline.training_set import TrainingSet, load_training_set
from dataaudit.trace_result import BatchRisk, StepTrace, TraceResult

MOST_EPOCHS = 100
"""Epochs that are read to reach a step, unless the user says how many there are."""
WITH_WORST = 10
"""Steps looked back at, most unusual first, whose documents are named."""
WORST = 3


@dataclass(frozen=True)
class TraceOptions:
    """How the training run read its data, and how much is told.

    Attributes:
        order: such as ``hf-trainer:42``.
        batch_size, grad_accum, world_size, drop_last: see ``Setup``.
        epochs: None for as many as reach the step.
        packing: such as ``one-per-doc``; None takes what the order brings, else one document a sample.
        seq_len, eos_tokens, map_batch: see ``PackingOptions``.
        which: documents that were trained on; None is the clean ones of a filter's output, all of a run.
        lookback: steps before.
        count: documents that are told in full.
    """

    order: str
    batch_size: int
    grad_accum: int = 1
    world_size: int = 1
    drop_last: bool = False
    epochs: int | None = None
    packing: str | None = None
    seq_len: int | None = None
    eos_tokens: int = 1
    map_batch: int = 1000
    which: str | None = None
    lookback: int = 200
    count: int = 10


class Training(NamedTuple):
    """A training run, as far as its data go."""

    documents: TrainingSet
    packing: Packing
    order: Order


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
    training = training_of(place, options, reach)
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


def training_of(place: Path, options: TraceOptions, reach: int) -> Training:
    """Returns the training set, how it was packed, and the order; enough epochs to have the step *reach*."""
    kind = kind_of(options.order)
    documents = load_training_set(place, options.which)
    packing = _packing(options, documents)
    setup = Setup(
        packing.samples,
        options.batch_size,
        options.grad_accum,
        options.world_size,
        options.drop_last,
        options.epochs or 1,
        documents.numbering if packing.name == "one-per-doc" else None,
    )
    order = parse_order(options.order, setup)
    if options.epochs is None and order.repeats and reach > order.last:
        epochs = -(-reach // order.last)
        if epochs > MOST_EPOCHS:
            raise UsageError(
                f"step {reach:,} would be in epoch {epochs:,}: an epoch has {order.last:,} steps. Check --batch-size, "
                f"--grad-accum and --world-size, or say --epochs {epochs}."
            )
        order = kind.build(spelled(options.order, is_file=kind.is_file), setup._replace(epochs=epochs))
    return Training(documents, packing, order)


def _packing(options: TraceOptions, documents: TrainingSet) -> Packing:
    kind = kind_of(options.order)
    if options.eos_tokens < 0:
        raise UsageError(f"--eos-tokens {options.eos_tokens}: it is 0 or more.")
    if kind.packing is not None:
        if options.packing not in (None, "megatron"):
            raise UsageError(f"--packing {options.packing}: the files of order {kind.name} say how samples are packed.")
        _need_tokens(documents, f"order {kind.name}")
        return kind.packing(spelled(options.order, is_file=kind.is_file), documents.lengths, options.eos_tokens)
    name = options.packing or "one-per-doc"
    if name != "one-per-doc":
        _need_tokens(documents, f"--packing {name}")
    return pack(name, documents.lengths, PackingOptions(options.seq_len, options.eos_tokens, options.map_batch))


def _need_tokens(documents: TrainingSet, what: str) -> None:
    if documents.unit != "tokens":
        raise UsageError(
            f"{what} needs the lengths of documents in tokens, but {documents.run} was audited without a tokenizer. "
            "Audit again with --tokenizer FILE."
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
