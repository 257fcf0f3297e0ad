"""Follows what a training run reads, sample by sample: what it reads again, after how long, and in the same order."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel

IN_STEP, ACROSS_RANKS, EARLY, AGAIN, REPLAYED, PASSED, DISTINCT, LONGEST, LONGEST_PASS, POSITION = range(10)
"""Places in ``Reads.counts``."""
LEAST_RUN = 16
"""Reads in a row at one distance from the last read of the same content that are listed as a replay."""
KEPT_RUNS = 64
KEPT_PLACES = 10
OFFSETS = 64
_DELTA, _LENGTH, _START, _SEEN = range(4)


class Reads(NamedTuple):
    """What was read so far; 16 bytes a sample, 16 more where samples have copies.

    Attributes:
        counts: int64[10]: samples that were read before in their step; of these, by another rank; samples read again
            before the rest of their group was; samples whose content was read before; those of them in replays, and in
            passes over the whole training set in the order of the last; different samples; the longest run of each of
            the two; reads.
        gaps: int64[64], at k the reads whose content was read 2**k to 2**(k + 1) - 1 reads before.
        runs: int64[64, 3], the longest replays: first read, reads, distance; unused rows are 0.
        in_step: int64[10, 4], the first of its kind: step, rank, sample, the rank that read it before.
        early: int64[10, 4], the first of its kind: step, rank, sample, the read before.
        last, last_content: int64, the last read of each sample, of each content; -1 for none.
        times: int32[samples], how often it was read; twice in a step counts once.
        content: int64[samples], a number that copies share; empty when there are none.
        groups: int32[samples], the group (source) of each.
        passes: int64[groups, 5]: samples; times that all of them were read (but for the slack); samples read once more
            than that; twice; reads since then of samples that had been read once more already.
        run: int64[4], the run that goes on: distance, reads, first read, different samples then.
    """

    counts: NDArray[np.int64]
    gaps: NDArray[np.int64]
    runs: NDArray[np.int64]
    in_step: NDArray[np.int64]
    early: NDArray[np.int64]
    last: NDArray[np.int64]
    last_content: NDArray[np.int64]
    times: NDArray[np.int32]
    content: NDArray[np.int64]
    groups: NDArray[np.int32]
    passes: NDArray[np.int64]
    run: NDArray[np.int64]


def new_reads(groups: NDArray[np.int32], content: NDArray[np.int64] | None) -> Reads:
    """Returns the state before the first read.

    Args:
        groups: int32[samples], from 0; samples of a group are read equally often.
        content: int64[samples], the same number for samples with the same content, 0 to samples - 1; None when no two
            samples have.
    """
    samples = len(groups)
    last = np.full(samples, -1, np.int64)
    sizes = np.bincount(groups)
    passes = np.zeros((len(sizes), 5), np.int64)
    passes[:, 0] = sizes
    return Reads(
        np.zeros(10, np.int64),
        np.zeros(OFFSETS, np.int64),
        np.zeros((KEPT_RUNS, 3), np.int64),
        np.full((KEPT_PLACES, 4), -1, np.int64),
        np.full((KEPT_PLACES, 4), -1, np.int64),
        last,
        last if content is None else np.full(samples, -1, np.int64),
        np.zeros(samples, np.int32),
        np.zeros(0, np.int64) if content is None else content,
        groups,
        passes,
        np.zeros(4, np.int64),
    )


def follow(
    reads: Reads,
    steps: NDArray[np.int64],
    offsets: NDArray[np.int64],
    samples: NDArray[np.int64],
    ranks: NDArray[np.int32],
    slack: int,
) -> None:
    """Reads some steps; changes *reads*.

    Args:
        reads: the state.
        steps: int64[k], their numbers.
        offsets: int64[k + 1], where each starts in the next two.
        samples: int64, in the order they are read.
        ranks: int32, who reads each.
        slack: samples that an epoch may leave out, or read again at its end to fill the last step.
    """
    _follow(*reads, steps, offsets, samples, ranks, slack)


def finish(reads: Reads, slack: int) -> None:
    """Closes the run that still goes on."""
    _close(reads.run, reads.counts, reads.runs, len(reads.times), slack)


@kernel
def _follow(
    counts: NDArray[np.int64],
    gaps: NDArray[np.int64],
    runs: NDArray[np.int64],
    in_step: NDArray[np.int64],
    early: NDArray[np.int64],
    last: NDArray[np.int64],
    last_content: NDArray[np.int64],
    times: NDArray[np.int32],
    content: NDArray[np.int64],
    groups: NDArray[np.int32],
    passes: NDArray[np.int64],
    run: NDArray[np.int64],
    steps: NDArray[np.int64],
    offsets: NDArray[np.int64],
    samples: NDArray[np.int64],
    ranks: NDArray[np.int32],
    slack: int,
) -> None:
    first = counts[POSITION] - offsets[0]
    for step in range(len(steps)):
        start = first + offsets[step]
        for at in range(offsets[step], offsets[step + 1]):
            sample, position = samples[at], first + at
            number = content[sample] if len(content) > 0 else sample
            before, same = last[sample], last_content[number]
            if before >= start:
                other = ranks[before - first]
                _keep(in_step, counts[IN_STEP], steps[step], ranks[at], sample, other)
                counts[IN_STEP] += 1
                counts[ACROSS_RANKS] += other != ranks[at]
            elif _is_early(times, groups, passes, sample, slack):
                _keep(early, counts[EARLY], steps[step], ranks[at], sample, before)
                counts[EARLY] += 1
            counts[DISTINCT] += before < 0
            if same >= 0:
                counts[AGAIN] += 1
                gaps[_log2(position - same)] += 1
            own = position - before if 0 <= before < start else 0
            copy = position - same if 0 <= same < start else 0
            if own > 0 or copy > 0 or same < 0:
                _go_on(run, counts, runs, position, own, copy, len(times), slack)
            last[sample] = position
            last_content[number] = position
    counts[POSITION] += offsets[-1] - offsets[0]


@kernel
def _is_early(
    times: NDArray[np.int32], groups: NDArray[np.int32], passes: NDArray[np.int64], sample: int, slack: int
) -> bool:
    """Counts a read, and says whether others of the group still wait for theirs.

    Samples that filled the last step of an epoch are ahead of the others from then on; so many are forgiven.
    """
    times[sample] += 1
    group = groups[sample]
    done = passes[group, 1]
    ahead = times[sample] - done
    if ahead == 1:
        passes[group, 2] += 1
    elif ahead == 2:
        passes[group, 3] += 1
    passes[group, 4] += ahead >= 2
    is_early = ahead >= 2 and passes[group, 4] > done * slack
    if passes[group, 2] >= passes[group, 0] - (done + 1) * slack:
        passes[group, 1] = done + 1
        passes[group, 2] = passes[group, 3]
        passes[group, 3] = 0
        passes[group, 4] = 0
    return bool(is_early)


@kernel
def _go_on(
    run: NDArray[np.int64],
    counts: NDArray[np.int64],
    runs: NDArray[np.int64],
    position: int,
    own: int,
    copy: int,
    samples: int,
    slack: int,
) -> None:
    """Prolongs the run of reads at one distance, or begins another.

    *own* and *copy* are the distances from the last read of the sample and of its content, 0 for none: what is replayed
    may have a copy that was read since.
    """
    if run[_DELTA] > 0 and (own == run[_DELTA] or copy == run[_DELTA]):
        run[_LENGTH] += 1
        return
    _close(run, counts, runs, samples, slack)
    run[_DELTA] = own if own > 0 else copy
    run[_LENGTH] = 1 if run[_DELTA] > 0 else 0
    run[_START] = position
    run[_SEEN] = counts[DISTINCT]


@kernel
def _close(
    run: NDArray[np.int64], counts: NDArray[np.int64], runs: NDArray[np.int64], samples: int, slack: int
) -> None:
    """Files the run: a pass when everything was read, and nothing is read again before all the rest; else a replay."""
    length, whole = run[_LENGTH], samples - slack
    is_pass = run[_DELTA] >= whole and run[_SEEN] >= whole
    longest = LONGEST_PASS if is_pass else LONGEST
    counts[longest] = max(counts[longest], length)
    run[_LENGTH] = 0
    if length < LEAST_RUN:
        return
    counts[PASSED if is_pass else REPLAYED] += length
    if is_pass:
        return
    shortest = np.argmin(runs[:, 1])
    if runs[shortest, 1] < length:
        runs[shortest, 0] = run[_START]
        runs[shortest, 1] = length
        runs[shortest, 2] = run[_DELTA]


@kernel
def _keep(places: NDArray[np.int64], count: int, step: int, rank: int, sample: int, other: int) -> None:
    if count < len(places):
        places[count, 0] = step
        places[count, 1] = rank
        places[count, 2] = sample
        places[count, 3] = other


@kernel
def _log2(value: int) -> int:
    found = 0
    while value > 1:
        value >>= 1
        found += 1
    return found
