"""Which rows of the training set each step of a ``transformers.Trainer`` reads."""

import math
import shlex
from typing import Any

from dataaudit.errors import UsageError
from dataaudit.order import Order, Setup, parse_order

IDS = ("doc_id", "id")


class TrainerOrder:
    """The order of a training run, as far as its arguments and its training set say.

    Args:
        args: the TrainingArguments.
        dataset: what the trainer's data loader reads.
    """

    def __init__(self, args: Any, dataset: Any) -> None:
        self._dataset = dataset
        self._rank = int(args.process_index)
        self._order: Order | None = None
        self._command = ""
        self._setup: Setup | None = None
        name = _name(args)
        try:
            samples = len(dataset)
        except TypeError:
            return
        if name is None or not samples:
            return
        step_samples = args.train_batch_size * args.gradient_accumulation_steps * args.world_size
        epochs = math.ceil(args.num_train_epochs)
        if args.max_steps > 0:
            epochs = max(epochs, args.max_steps * step_samples // samples + 2)
        setup = Setup(
            samples,
            args.train_batch_size,
            args.gradient_accumulation_steps,
            args.world_size,
            args.dataloader_drop_last,
            epochs,
        )
        try:
            self._order = parse_order(name, setup)
        except UsageError:
            return
        self._command = _options(name, setup)

    def rows(self, step: int) -> list[int] | None:
        """Returns the rows that this rank read in a step; None when the order is not known."""
        if self._order is None:
            return None
        try:
            batch = self._order.batch(step)
        except UsageError:
            return None
        found: list[int] = batch.samples[batch.ranks == self._rank].tolist()
        return found

    def ids(self, rows: list[int] | None) -> list[str | int] | None:
        """Returns what the training set calls these rows; None when it has no column for that."""
        names = getattr(self._dataset, "column_names", None)
        column = next((each for each in IDS if isinstance(names, list) and each in names), None)
        if column is None or rows is None:
            return None
        values = (self._dataset[row][column] for row in rows)
        return [each if isinstance(each, str | int) else str(each) for each in values]

    def trace(self, run: str | None, step: int) -> str | None:
        """Returns the command that finds the documents of a step; None when the order is not known."""
        if self._order is None:
            return None
        return f"dataaudit trace {'RUN' if run is None else shlex.quote(run)} --step {step} {self._command}"


def _name(args: Any) -> str | None:
    """Returns the order as ``dataaudit trace`` has it; None for one that the arguments do not tell."""
    sampling = str(getattr(args, "train_sampling_strategy", "random"))
    if getattr(args, "group_by_length", False) or sampling not in ("random", "sequential"):
        return None
    name = f"hf-trainer:{args.seed if args.data_seed is None else args.data_seed}"
    config = getattr(args, "accelerator_config", None)
    parts = [
        name,
        *(["sequential"] if sampling == "sequential" else []),
        *(["split-batches"] if getattr(config, "split_batches", False) else []),
        *(["dispatch-batches"] if getattr(config, "dispatch_batches", False) else []),
    ]
    return ",".join(parts)


def _options(name: str, setup: Setup) -> str:
    options = f"--order {shlex.quote(name)} --batch-size {setup.batch_size}"
    if setup.grad_accum > 1:
        options += f" --grad-accum {setup.grad_accum}"
    if setup.world_size > 1:
        options += f" --world-size {setup.world_size}"
    return options + (" --drop-last" if setup.drop_last else "")
