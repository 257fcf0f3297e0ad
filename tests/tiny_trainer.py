"""Trains a model of one weight with the real Trainer, and notes the samples that each step received.

As a script it is one rank of a run of several on this machine: ``tiny_trainer.py SETTINGS OUT`` with torch's RANK,
WORLD_SIZE, MASTER_ADDR and MASTER_PORT; SETTINGS is a JSON file with a list of settings, and OUT gets a list of what
was seen.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

import torch
from accelerate.data_loader import prepare_data_loader
from transformers import Trainer, TrainingArguments


class OneWeight(torch.nn.Module):
    """Its loss is no matter."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))

    def forward(self, sample):
        return {"loss": (self.weight * sample.float()).mean()}


class Noting(Trainer):
    """Notes (step, samples) of every micro-batch."""

    def training_step(self, model, inputs, *rest):
        self.noted.append([self.state.global_step + 1, inputs["sample"].tolist()])
        return super().training_step(model, inputs, *rest)


def noted_of(samples, batch_size, accumulation=1, epochs=1, drop_last=False, seed=42, data_seed=None, **more):
    """What the steps of a training run received ([step, samples] each), and what its collator did.

    *samples* are a number of samples that are their own numbers, or a list of token lists of one length.
    """
    collated = []

    def collate(rows):
        collated.append([row["sample"] for row in rows])
        return {"sample": torch.tensor(collated[-1])}

    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder,
            per_device_train_batch_size=batch_size,
            gradient_accumulation_steps=accumulation,
            num_train_epochs=epochs,
            dataloader_drop_last=drop_last,
            seed=seed,
            data_seed=data_seed,
            use_cpu=True,
            dataloader_pin_memory=False,
            remove_unused_columns=False,
            save_strategy="no",
            logging_strategy="no",
            report_to=[],
            disable_tqdm=True,
            **more,
        )
        rows = [{"sample": each} for each in (range(samples) if isinstance(samples, int) else samples)]
        trainer = Noting(OneWeight(), arguments, train_dataset=rows, data_collator=collate)
        trainer.noted = []
        trainer.train()
    return {"steps": trainer.noted, "collated": collated}


def dispatched(samples, batch_size, drop_last, seed):
    """What a rank of an accelerate loader receives whose main process reads for all."""
    generator = torch.Generator()
    loader = torch.utils.data.DataLoader(
        torch.arange(samples), batch_size, shuffle=True, drop_last=drop_last, generator=generator
    )
    loader = prepare_data_loader(
        loader,
        torch.device("cpu"),
        put_on_device=True,
        dispatch_batches=True,
        use_seedable_sampler=True,
        data_seed=seed,
    )
    return [[batch.tolist() for batch in loader] for _ in range(2)]


def main(settings, out):
    """One rank."""
    found = []
    for each in json.loads(Path(settings).read_text()):
        work = dispatched if each.pop("what") == "dispatched" else noted_of
        found.append(work(**each))
    Path(out).write_text(json.dumps(found))


if __name__ == "__main__":
    os.environ["ACCELERATE_USE_CPU"] = "true"
    main(*sys.argv[1:])
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
