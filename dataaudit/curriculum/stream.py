"""Samples of a stream under a curriculum."""

from bisect import insort
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any, NamedTuple

from dataaudit.errors import UsageError

FORMAT = 1


class _Waiting(NamedTuple):
    """A sample that came too early: its first step, and its number among those that did."""

    first: int
    number: int
    sample: Mapping[str, Any]


def _latest_first(waiting: _Waiting) -> tuple[int, int]:
    return -waiting.first, -waiting.number


class CurriculumStream:
    """Gives the samples of a stream at steps that admit them; those that come too early wait.

    Args:
        samples: mappings; gone through anew each time.
        step_samples: samples that a training step reads, by which steps are counted.
        waiting: samples that wait at most. When another one has to, the one that would wait longest is left out.
        from_column, until_column: where a sample has its first and its last step. A first step of None is never, a last
            step of None without end; samples without the columns are always admitted.

    Attributes:
        given, expired, never, left_out: counts of this pass: samples given; those that came after their last step, had
            no step at all, or found no room to wait.
    """

    def __init__(
        self,
        samples: Iterable[Mapping[str, Any]],
        step_samples: int,
        *,
        waiting: int = 10_000,
        from_column: str = "admit_from_step",
        until_column: str = "admit_until_step",
    ) -> None:
        for name, value in (("step_samples", step_samples), ("waiting", waiting)):
            if value < 1:
                raise UsageError(f"{name} is {value}. Expected a whole number from 1 on.")
        self._samples, self._step_samples, self._most = samples, step_samples, waiting
        self._from, self._until = from_column, until_column
        self._skip = 0
        self.given = self.expired = self.never = self.left_out = 0

    @property
    def step(self) -> int:
        """The step that the next sample is given for, from 0."""
        return self.given // self._step_samples

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        skip, self._skip = self._skip, 0
        self.given = self.expired = self.never = self.left_out = 0
        for sample in self._admitted():
            self.given += 1
            if self.given > skip:
                yield sample

    def _admitted(self) -> Iterator[Mapping[str, Any]]:
        waiting: list[_Waiting] = []
        numbers = count()
        for sample in self._samples:
            yield from self._due(waiting)
            first = sample.get(self._from, 0)
            if first is None:
                self.never += 1
            elif first <= self.step:
                yield from self._in_time(sample)
            else:
                insort(waiting, _Waiting(first, next(numbers), sample), key=_latest_first)
                if len(waiting) > self._most:
                    del waiting[0]
                    self.left_out += 1
        yield from self._due(waiting)
        self.left_out += len(waiting)

    def _due(self, waiting: list[_Waiting]) -> Iterator[Mapping[str, Any]]:
        while waiting and waiting[-1].first <= self.step:
            yield from self._in_time(waiting.pop().sample)

    def _in_time(self, sample: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        last = sample.get(self._until)
        if last is not None and last < self.step:
            self.expired += 1
        else:
            yield sample

    def state_dict(self, given: int | None = None) -> dict[str, Any]:
        """Returns what a resume needs; *given* says how many samples were used, where some were given ahead."""
        return {"format": FORMAT, "given": self.given if given is None else given}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Makes the next pass go on after the samples that were given: they are read again and left out.

        Raises:
            UsageError: it is no such state.
        """
        given = state.get("given")
        if state.get("format") != FORMAT or not isinstance(given, int) or given < 0:
            raise UsageError("this is no state of a CurriculumStream of this version. Start without it.")
        self._skip = given
