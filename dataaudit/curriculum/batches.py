"""Batches of samples under a curriculum: the same for a seed, on every rank, and after a resume."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dataaudit.curriculum.curriculum import Curriculum
from dataaudit.errors import UsageError

FORMAT = 1


class CurriculumBatches:
    """Gives the samples of one step after the other, without end; a sample is read only at steps that admit it.

    An epoch is a shuffle of all samples, of which those with a weight below 1 are left out by chance. A step takes the
    next ones that are admitted; the others keep their place and are read when they are, or not in this epoch. When no
    sample that is left is admitted, the next epoch begins.

    Args:
        curriculum: what is admitted when.
        batch_size: samples a step and rank.
        seed: of shuffles and chances.
        rank, world_size: each rank gets its part of the step's samples.
        refresh_steps: so many steps at most pass before a sample that has become admitted is read in its place.

    Raises:
        UsageError: a setting cannot be used.
    """

    def __init__(
        self,
        curriculum: Curriculum,
        batch_size: int,
        *,
        seed: int = 0,
        rank: int = 0,
        world_size: int = 1,
        refresh_steps: int = 100,
    ) -> None:
        least = {"batch_size": (batch_size, 1), "world_size": (world_size, 1), "refresh_steps": (refresh_steps, 1)}
        for name, (value, bound) in (least | {"seed": (seed, 0), "rank": (rank, 0)}).items():
            if value < bound:
                raise UsageError(f"{name} is {value}. Expected a whole number from {bound} on.")
        if rank >= world_size:
            raise UsageError(f"rank is {rank}, world_size {world_size}. Expected a rank from 0 to {world_size - 1}.")
        self._curriculum = curriculum
        self._size, self._seed, self._rank, self._ranks = batch_size, seed, rank, world_size
        self._refresh_steps = refresh_steps
        self._start()

    def _start(self) -> None:
        self.step = 0
        self.epoch = -1
        self._order = np.zeros(0, np.int64)
        self._is_read = np.zeros(len(self._curriculum), np.bool_)
        self._queue = np.zeros(0, np.int64)
        self._at = 0
        self._refreshed = 0

    def __iter__(self) -> Iterator[NDArray[np.int64]]:
        return self

    def __next__(self) -> NDArray[np.int64]:
        """Returns int64[batch_size]: this rank's samples of the step.

        Raises:
            UsageError: no sample is admitted at the step.
        """
        wanted = self._size * self._ranks
        if self.step - self._refreshed >= self._refresh_steps:
            self._refresh()
        found = self._take(wanted)
        if len(found) < wanted:
            self._refresh()
            found = np.concatenate([found, self._take(wanted - len(found))])
        while len(found) < wanted:
            self._begin_epoch()
            found = np.concatenate([found, self._take(wanted - len(found))])
        self.step += 1
        mine: NDArray[np.int64] = found[self._rank * self._size : (self._rank + 1) * self._size]
        return mine

    def _take(self, wanted: int) -> NDArray[np.int64]:
        """Takes the next samples of the queue that are still admitted; fewer at its end."""
        parts: list[NDArray[np.int64]] = []
        while wanted and self._at < len(self._queue):
            part = self._queue[self._at : self._at + wanted]
            self._at += len(part)
            part = part[self._curriculum.last_steps(part) >= self.step]
            parts.append(part)
            wanted -= len(part)
        found: NDArray[np.int64] = np.concatenate([np.zeros(0, np.int64), *parts])
        self._is_read[found] = True
        return found

    def _refresh(self) -> None:
        """Makes the queue anew of what is left of the epoch and admitted now."""
        self._refreshed = self.step
        is_next = self._curriculum.admitted(self.step) & ~self._is_read
        self._queue, self._at = self._order[is_next[self._order]], 0

    def _begin_epoch(self) -> None:
        is_admitted = self._curriculum.admitted(self.step)
        if not is_admitted.any():
            raise UsageError(
                f"no sample is admitted at step {self.step}. Loosen the initial limit, or begin with another one."
            )
        self.epoch += 1
        self._is_read[:] = False
        self._order = self._drawn()
        while not is_admitted[self._order].any():
            self.epoch += 1
            self._order = self._drawn()
        self._refresh()

    def _drawn(self) -> NDArray[np.int64]:
        """Returns the epoch's samples in order. Raw bits are the same in every version of NumPy."""
        bits = np.random.PCG64(np.random.SeedSequence([self._seed, self.epoch]))
        count = len(self._curriculum)
        order = np.argsort(bits.random_raw(count), kind="stable").astype(np.int64)
        chance = (bits.random_raw(count) >> np.uint64(11)) / float(1 << 53)
        drawn: NDArray[np.int64] = order[(chance < self._curriculum.weights)[order]]
        return drawn

    def state_dict(self, step: int | None = None) -> dict[str, Any]:
        """Returns what a resume needs, as plain data.

        Args:
            step: the number of steps that the trainer has done, where batches were drawn ahead of it (by the workers of
                a data loader); as many as were drawn when None.
        """
        return {"format": FORMAT, "step": self.step if step is None else step, "key": self._key}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes to the step of a state, by drawing all steps before it again, so that it is exact.

        Raises:
            UsageError: it is of another curriculum, or of other settings.
        """
        step = state.get("step")
        if state.get("format") != FORMAT or not isinstance(step, int) or step < 0:
            raise UsageError("this is no state of CurriculumBatches of this version. Start without it.")
        if state.get("key") != self._key:
            raise UsageError(
                f"the state is of another curriculum or of other settings ({state.get('key')}, here {self._key}): "
                "seed, samples a step, refresh_steps, steps and weights must be the same."
            )
        self._start()
        for _ in range(step):
            next(self)

    @property
    def _key(self) -> str:
        return f"{self._curriculum.digest}-{self._seed}-{self._size * self._ranks}-{self._refresh_steps}"
