"""The samples that were seen last, as sums: panes of a tenth of a window, of which the oldest goes as one comes."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec
import numpy as np
import xxhash
from numpy.typing import NDArray

from dataaudit.errors import UsageError
from dataaudit.monitor.measuring import Measured
from dataaudit.monitor.packed import packed, unpacked
from dataaudit.monitor.result import SampleExample

PANES = 10
EXAMPLES = 8
"""Samples that are named for each measure of a pane."""
SHOWN = ("control_characters", "unknown_tokens", "out_of_range", "masked", "labels_out_of_range", "padding_labels")

Integers = NDArray[np.int64]


class PaneState(msgspec.Struct, frozen=True):
    """A pane as plain data; arrays are packed."""

    first: int
    sums: dict[str, int]
    ids: str
    first_half: str
    second_half: str
    lengths: str
    digests: str
    examples: dict[str, list[SampleExample]]


class Counts(msgspec.Struct, frozen=True):
    """Occurrences of the ids that occur.

    Attributes:
        ids: int64[k], ascending.
        halves: int64[2, k], in the samples of either half.
    """

    ids: Integers
    halves: Integers


@dataclass(slots=True)
class Pane:
    """Some samples in a row.

    Attributes:
        first: number of the first.
        sums: ``samples``, ``batches``, ``masked_batches``, ``duplicates``, and those of ``COUNTED``.
        counts: of ids, of a pane that has its samples together.
        lengths, digests: of each sample.
        examples: by measure.
    """

    first: int
    sums: dict[str, int] = field(default_factory=dict)
    counts: Counts | None = None
    lengths: list[Integers] = field(default_factory=list)
    digests: list[NDArray[np.uint64]] = field(default_factory=list)
    examples: dict[str, list[SampleExample]] = field(default_factory=dict)

    @property
    def samples(self) -> int:
        """How many."""
        return self.sums.get("samples", 0)


class Window:
    """The last samples, at least *size* of them once there are so many, and less than a tenth and a batch more.

    Memory: 24 bytes for each different id of each of up to 11 closed panes, 16 bytes for each id of the vocabulary, and
    some 150 bytes a sample of the window.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.panes: list[Pane] = [Pane(0)]
        self.seen_samples = 0
        self.seen_batches = 0
        self._open = np.zeros((2, 0), np.int64)
        self._seen: dict[int, int] = {}

    def add(self, measured: Measured, names: tuple[str | int, ...] | None, space: int) -> None:
        """Adds a batch; *space* is one past the largest id that there can be."""
        if self._open.shape[1] != space:
            self._open = np.zeros((2, space), np.int64)
        if self.panes[-1].samples * PANES >= self.size:
            self._close()
        pane, first = self.panes[-1], self.seen_samples
        count = len(measured.lengths)
        halves = np.array([_half(first + row) for row in range(count)], np.int64)
        flat = self._open.reshape(-1)
        np.add.at(flat, measured.ids + space * halves[measured.owners], 1)
        copies = self._copies(measured.digests, first)
        sums = {name: int(values.sum()) for name, values in measured.counts.items()}
        labelled = sums["labelled"]
        sums |= {
            "samples": count,
            "batches": 1,
            "duplicates": len(copies),
            "masked_batches": int(labelled > 0 and sums["masked"] == labelled),
        }
        for name, value in sums.items():
            pane.sums[name] = pane.sums.get(name, 0) + value
        pane.lengths.append(measured.lengths)
        pane.digests.append(measured.digests)
        self._show(pane, "duplicates", copies, first, names)
        for name in SHOWN:
            if sums[name]:
                values = measured.counts[name]
                rows = np.flatnonzero(values)[:EXAMPLES].tolist()
                self._show(pane, name, {row: float(values[row]) for row in rows}, first, names)
        self.seen_samples += count
        self.seen_batches += 1
        self._drop()

    def forget_samples(self) -> None:
        """Lets go of which samples were seen, so that none of the next counts as their copy."""
        self._seen.clear()
        for pane in self.panes:
            pane.digests = [np.zeros(pane.samples, np.uint64)]

    @property
    def samples(self) -> int:
        """Samples in the window."""
        return sum(pane.samples for pane in self.panes)

    @property
    def first_sample(self) -> int:
        """Number of the window's first sample."""
        return self.panes[0].first

    def sum(self, name: str) -> int:
        """Returns the sum of what is counted under a name."""
        return sum(pane.sums.get(name, 0) for pane in self.panes)

    def examples(self, name: str) -> tuple[SampleExample, ...]:
        """Returns the first samples of the window that show what is counted under a name."""
        return tuple(each for pane in self.panes for each in pane.examples.get(name, ()))[:EXAMPLES]

    def counts(self, since: int = 0) -> Counts:
        """Returns the occurrences of ids in the panes that begin at sample *since* or later."""
        total = np.zeros_like(self._open)
        for pane in self._since(since):
            if pane.counts is not None:
                total[:, pane.counts.ids] += pane.counts.halves
            else:
                total += self._open
        ids = np.flatnonzero(total.any(axis=0))
        return Counts(ids, total[:, ids])

    def lengths(self, since: int = 0) -> Integers:
        """Returns the length of each sample of the panes that begin at sample *since* or later."""
        return np.concatenate([np.zeros(0, np.int64), *(each for pane in self._since(since) for each in pane.lengths)])

    def begin_pane(self) -> None:
        """Makes the next sample begin a pane."""
        if self.panes[-1].samples:
            self._close()

    def _since(self, since: int) -> Iterator[Pane]:
        return (pane for pane in self.panes if pane.first >= since and pane.samples)

    def _close(self) -> None:
        self.panes[-1].counts = self._sparse()
        self._open[:] = 0
        self.panes.append(Pane(self.seen_samples))

    def _sparse(self) -> Counts:
        ids = np.flatnonzero(self._open.any(axis=0))
        return Counts(ids, self._open[:, ids])

    def _copies(self, digests: NDArray[np.uint64], first: int) -> dict[int, float]:
        """Returns which samples repeat an earlier one, with the number of that one; and remembers them."""
        copies = {}
        for row, digest in enumerate(digests.tolist()):
            if not digest:
                continue
            earlier = self._seen.setdefault(digest, first + row)
            if earlier != first + row:
                copies[row] = float(earlier)
                self._seen[digest] = first + row
        return copies

    def _show(
        self, pane: Pane, name: str, values: dict[int, float], first: int, names: tuple[str | int, ...] | None
    ) -> None:
        shown = pane.examples.setdefault(name, []) if values else []
        for row, value in list(values.items())[: EXAMPLES - len(shown)]:
            shown.append(SampleExample(sample=first + row, id=names[row] if names else None, value=value))

    def _drop(self) -> None:
        while self.samples - self.panes[0].samples >= self.size:
            gone = self.panes.pop(0)
            self._forget(gone, self.panes[0].first)

    def _forget(self, pane: Pane, kept_from: int) -> None:
        for digest in (each for part in pane.digests for each in part.tolist()):
            if self._seen.get(digest, kept_from) < kept_from:
                del self._seen[digest]

    def state(self) -> list[PaneState]:
        """Returns the panes as plain data."""
        return [_state_of(pane, pane.counts or self._sparse()) for pane in self.panes]

    def restore(self, states: list[PaneState], space: int) -> None:
        """Takes over panes from ``state``."""
        panes = [_pane_of(each) for each in states] or [Pane(self.seen_samples)]
        for counts in (pane.counts for pane in panes):
            if counts is not None and len(counts.ids) and not 0 <= counts.ids.min() <= counts.ids.max() < space:
                raise UsageError(f"the monitor's state has ids that are not from 0 to {space - 1:,}. Start without it.")
        self.panes = panes
        counts = panes[-1].counts
        self._open = np.zeros((2, space), np.int64)
        if counts is not None:
            self._open[:, counts.ids] = counts.halves
        self.panes[-1].counts = None
        self._seen = {}
        for pane in self.panes:
            numbers = enumerate((each for part in pane.digests for each in part.tolist()), pane.first)
            self._seen |= {digest: number for number, digest in numbers if digest}


def _half(sample: int) -> int:
    """Returns which half a sample is in, by chance but always the same."""
    return xxhash.xxh64_intdigest(sample.to_bytes(8, "little")) & 1


def _state_of(pane: Pane, counts: Counts) -> PaneState:
    nothing: NDArray[np.uint64] = np.zeros(0, np.uint64)
    return PaneState(
        pane.first,
        pane.sums,
        packed(counts.ids),
        packed(counts.halves[0]),
        packed(counts.halves[1]),
        packed(np.concatenate([np.zeros(0, np.int64), *pane.lengths])),
        packed(np.concatenate([nothing, *pane.digests])),
        pane.examples,
    )


def _pane_of(state: PaneState) -> Pane:
    ids, first, second, lengths = map(unpacked, (state.ids, state.first_half, state.second_half, state.lengths))
    digests = unpacked(state.digests, np.uint64)
    pane = Pane(state.first, state.sums, None, [lengths], [digests], state.examples)
    if not (len(ids) == len(first) == len(second) and len(lengths) == len(digests) == pane.samples):
        raise UsageError("the monitor's state is damaged (its arrays do not fit each other). Start without it.")
    pane.counts = Counts(ids, np.stack([first, second]))
    return pane
