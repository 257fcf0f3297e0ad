"""A curriculum for torch's data loaders."""

from collections.abc import Iterator, Mapping
from typing import Any

from torch.utils.data import IterableDataset, Sampler

from dataaudit.curriculum import CurriculumBatches, CurriculumStream
from dataaudit.errors import UsageError


class CurriculumBatchSampler(Sampler[list[int]]):
    """For ``DataLoader(dataset, batch_sampler=CurriculumBatchSampler(batches, steps))``: the batches of so many steps.

    The workers of a data loader draw batches ahead of the trainer: save ``state_dict(step)`` with the steps that the
    trainer has done.
    """

    def __init__(self, batches: CurriculumBatches, steps: int) -> None:
        if steps < 0:
            raise UsageError(f"steps is {steps}. Expected a whole number from 0 on.")
        self._batches, self._steps = batches, steps

    def __iter__(self) -> Iterator[list[int]]:
        while self._batches.step < self._steps:
            yield next(self._batches).tolist()

    def __len__(self) -> int:
        return max(0, self._steps - self._batches.step)

    def state_dict(self, step: int | None = None) -> dict[str, Any]:
        """Returns what a resume needs; see ``CurriculumBatches.state_dict``."""
        return self._batches.state_dict(step)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes to the step of a state; see ``CurriculumBatches.load_state_dict``."""
        self._batches.load_state_dict(state)


class CurriculumDataset(IterableDataset[Mapping[str, Any]]):
    """A ``CurriculumStream`` as a dataset of torch; for one worker, since each would count steps of its own."""

    def __init__(self, stream: CurriculumStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self._stream)
