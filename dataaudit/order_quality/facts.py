"""What is known of the documents of an order, and what was measured of it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.drift.mixture import RunsTest


class Documents(NamedTuple):
    """The documents of a training set, in its order.

    Attributes:
        lengths: int64, in tokens (characters without a tokenizer).
        sources: int32, places in *source_names*.
        source_names: by place.
        files: int32, the file of each, numbered from 0.
        copies: int32, a number that exact copies share; -1 for a document without one.
        alike: int32, a number that near copies share; -1 for a document without one. Both from 0 without a gap.
    """

    lengths: NDArray[np.int64]
    sources: NDArray[np.int32]
    source_names: list[str]
    files: NDArray[np.int32]
    copies: NDArray[np.int32]
    alike: NDArray[np.int32]


class Settings(NamedTuple):
    """How an order is measured.

    Attributes:
        step_samples: samples of a full step; an epoch may leave out fewer.
        world_size: ranks that read different data.
        window_samples: samples of a window.
        near_steps: near copies that are read within so many steps are close.
        plan: planned share of each source; empty for the training set's own.
    """

    step_samples: int
    world_size: int
    window_samples: int
    near_steps: int
    plan: dict[str, float]


class Place(NamedTuple):
    """A read that a finding is about.

    Attributes:
        step, rank: who reads it; rank is None where it does not matter.
        sample: its number in the training set, or None for a document.
        documents: the first documents in it, as numbers in the training set.
        other_step, other_rank: where it, or what it is like, was read before; None where not known.
    """

    step: int
    rank: int | None
    sample: int | None
    documents: list[int]
    other_step: int | None
    other_rank: int | None


class Replay(NamedTuple):
    """Reads in a row that repeat earlier ones at a constant distance.

    Attributes:
        step: in which they start.
        reads: how many.
        distance: reads between each and the same content before.
        from_step: in which that was read.
        is_copy: the samples have the same content but are not the same samples.
        documents: the first documents of the first sample.
    """

    step: int
    reads: int
    distance: int
    from_step: int
    is_copy: bool
    documents: list[int]


class Repeats(NamedTuple):
    """What is read again.

    Attributes:
        reads, samples, distinct: samples read, different ones that there are, different ones that were read.
        in_step: reads of a sample that its step has read before; *across_ranks* of them by another rank.
        early: other reads of a sample before the rest of its source was read as often; an epoch may leave out less
            than a step of samples, or read them again to fill its last step.
        again: reads of content that was read before.
        gaps: of those, how many lie 2**k to 2**(k + 1) - 1 reads after the last, by k.
        replayed, passed: reads in runs of 16 or more at a constant distance; those of a pass over the whole training
            set in the order of the last.
        longest, longest_pass: the longest run of each, however short.
        replays: the longest ones, in order, at most 64.
        in_step_places, early_places: the first ones, at most 10.
    """

    reads: int
    samples: int
    distinct: int
    in_step: int
    across_ranks: int
    early: int
    again: int
    gaps: list[int]
    replayed: int
    passed: int
    longest: int
    longest_pass: int
    replays: list[Replay]
    in_step_places: list[Place]
    early_places: list[Place]


class Copies(NamedTuple):
    """Documents that are read close to others that are like them.

    Attributes:
        begun: documents that were begun.
        found: of these, how many follow another one of their group closely.
        by_chance: how many would in a random order.
        places: the first ones, at most 10.
    """

    begun: int
    found: int
    by_chance: float
    places: list[Place]


class Shuffle(NamedTuple):
    """How well labels are mixed.

    Attributes:
        label: what a sample is labelled with: its source, or its file where there is one source.
        labels: different ones.
        whole: the runs test over the whole order; None where too few runs are expected to judge it.
        z: float64[windows], that of each window; NaN where too few runs are expected to judge it.
    """

    label: str
    labels: int
    whole: RunsTest | None
    z: NDArray[np.float64]


class Mixture(NamedTuple):
    """Shares of sources by window.

    Attributes:
        names: of the sources; those that are only planned last.
        expected: float64, shares planned or of the training set.
        is_planned: whether there is a plan.
        drawn, held: int64, tokens of each that the order reads, and that its samples hold.
        source, share: int64 and float64[windows], the source whose share chance explains least, and its share.
        difference: float64[windows], of that share from the one expected.
        p: float64[windows], a bound of the chance of any source's share so far off, sources of a window taken together.
    """

    names: list[str]
    expected: NDArray[np.float64]
    is_planned: bool
    drawn: NDArray[np.int64]
    held: NDArray[np.int64]
    difference: NDArray[np.float64]
    source: NDArray[np.int64]
    share: NDArray[np.float64]
    p: NDArray[np.float64]


class OrderFacts(NamedTuple):
    """An order, measured.

    Attributes:
        steps, last_step: how many steps it has, and the number of the last.
        step_samples, world_size: samples of a full step, and ranks.
        window_samples, window_steps: samples of a window, and int64[windows] the step in which each starts.
        near_samples: how close near copies are close.
        autocorrelation, lengths: of the log length, lag 1, and of how many samples; None without variance.
    """

    steps: int
    last_step: int
    step_samples: int
    world_size: int
    window_samples: int
    window_steps: NDArray[np.int64]
    near_samples: int
    repeats: Repeats
    copies: Copies
    near: Copies
    shuffle: Shuffle
    mixture: Mixture
    autocorrelation: float | None
    lengths: int

    def steps_of(self, first: int, last: int) -> tuple[int, int]:
        """Returns the first and the last step of the windows *first* to *last*."""
        start = int(self.window_steps[first])
        if last + 1 == len(self.window_steps):
            return start, self.last_step
        return start, max(start, int(self.window_steps[last + 1]) - 1)

    def documents(self) -> list[int]:
        """Returns the documents that are named, as numbers in the training set, ascending."""
        found = {each for replay in self.repeats.replays for each in replay.documents}
        for places in (
            self.repeats.in_step_places,
            self.repeats.early_places,
            self.copies.places,
            self.near.places,
        ):
            found.update(each for place in places for each in place.documents)
        return sorted(found)
