"""A training run as far as its data go: its documents, how they are packed, and the order they are read in."""

from dataclasses import dataclass
from typing import NamedTuple

from dataaudit.errors import UsageError
from dataaudit.order import Order, Packing, PackingOptions, Setup, kind_of, pack, parse_order
from dataaudit.order.spelling import spelled
from dataaudit.pipeline.training_set import TrainingSet

MOST_EOS = 1000
MOST_STEPS = 1 << 23
"""Steps of an order that is measured: a trace holds some 200 bytes of each."""
MOST_EPOCHS = 100
"""Epochs that are read to reach a step, unless the user says how many there are."""


@dataclass(frozen=True)
class ReadingOptions:
    """How a training run reads its data.

    Attributes:
        order: such as ``hf-trainer:42``.
        batch_size, grad_accum, world_size, drop_last: see ``Setup``.
        epochs: None for one, or as many as reach a step.
        packing: such as ``one-per-doc``; None takes what the order brings, else one document a sample.
        seq_len, eos_tokens, map_batch: see ``PackingOptions``.
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


class Training(NamedTuple):
    """A training run, as far as its data go."""

    documents: TrainingSet
    packing: Packing
    order: Order


def training_on(documents: TrainingSet, options: ReadingOptions, reach: int = 1) -> Training:
    """Returns how documents are packed and read; enough epochs to have the step *reach*.

    Raises:
        UsageError: an option does not fit.
        ReadError: a file of the order cannot be read.
    """
    kind = kind_of(options.order)
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
    if order.repeats and order.last > MOST_STEPS:
        raise UsageError(
            f"order {order.name} has {order.last:,} steps; at most {MOST_STEPS:,} are measured. "
            "Check --epochs, --batch-size, --grad-accum and --world-size."
        )
    return Training(documents, packing, order)


def _packing(options: ReadingOptions, documents: TrainingSet) -> Packing:
    kind = kind_of(options.order)
    if not 0 <= options.eos_tokens <= MOST_EOS:
        raise UsageError(f"--eos-tokens {options.eos_tokens}: it is a number from 0 to {MOST_EOS}.")
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
