"""Measures the order of training that a config names, for the checks."""

from typing import NamedTuple

from dataaudit.config.schema import Config
from dataaudit.config.schema import Order as OrderConfig
from dataaudit.errors import UsageError
from dataaudit.order_quality.facts import OrderFacts, Settings
from dataaudit.order_quality.measure import measure_order
from dataaudit.pipeline.order_documents import order_documents
from dataaudit.pipeline.store import RunFolder
from dataaudit.pipeline.trace_documents import rows_of
from dataaudit.pipeline.training import ReadingOptions, Training, training_on
from dataaudit.pipeline.training_set import TrainingSet
from dataaudit.result import Example


class MeasuredOrder(NamedTuple):
    """An order of training.

    Attributes:
        training: what is read.
        facts: what was measured.
        examples: the documents that *facts* name, by their number in the training set.
        columns: columns about duplicates that the run has.
    """

    training: Training
    facts: OrderFacts
    examples: dict[int, Example]
    columns: frozenset[str]


def measure(documents: TrainingSet, config: Config) -> MeasuredOrder:
    """Measures the order that a config names.

    Raises:
        UsageError: an option does not fit.
        ReadError: a file of the order cannot be read.
    """
    order = config.order
    training = training_on(documents, _options(order))
    known = order_documents(documents)
    settings = Settings(
        step_samples=(order.batch_size or 1) * order.grad_accum * order.world_size,
        world_size=order.world_size,
        window_samples=order.window_samples,
        near_steps=order.near_steps,
        plan=dict(config.mixture),
    )
    facts = measure_order(training.order, training.packing, known.documents, settings)
    return MeasuredOrder(training, facts, _examples(documents, facts), known.columns)


def _options(order: OrderConfig) -> ReadingOptions:
    if order.name is None:
        raise UsageError("no order: say how the trainer reads with --order, or order.name in the config.")
    if order.batch_size is None:
        raise UsageError("no batch size: say how many samples a rank reads with --batch-size, or order.batch_size.")
    return ReadingOptions(
        order=order.name,
        batch_size=order.batch_size,
        grad_accum=order.grad_accum,
        world_size=order.world_size,
        drop_last=order.drop_last,
        epochs=order.epochs,
        packing=order.packing,
        seq_len=order.seq_len,
        eos_tokens=order.eos_tokens,
        map_batch=order.map_batch,
    )


def _examples(documents: TrainingSet, facts: OrderFacts) -> dict[int, Example]:
    numbers = facts.documents()
    doc_ids = [int(documents.doc_ids[number]) for number in numbers]
    rows = rows_of(RunFolder(documents.run), doc_ids)
    return {
        number: Example(**{name: rows[doc_id][name] for name in ("doc_id", "id", "file", "record", "source")})
        for number, doc_id in zip(numbers, doc_ids, strict=True)
    }
