"""What an order reads again."""

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels import reads as kernel
from dataaudit.order import Block, Packing
from dataaudit.order_quality.facts import Place, Repeats, Replay
from dataaudit.order_quality.positions import Positions
from dataaudit.order_quality.samples import Samples

LISTED_DOCUMENTS = 3


class RepeatFollower:
    """Follows an order and says what it reads again; about 16 bytes a sample, 32 where samples have copies."""

    def __init__(self, samples: Samples, packing: Packing, slack: int) -> None:
        self._packing, self._slack = packing, slack
        # Samples without a document are a group of their own.
        self._reads = kernel.new_reads(samples.sources + np.int32(1), samples.content)

    def add(self, block: Block) -> None:
        """Reads the next steps."""
        kernel.follow(self._reads, block.steps, block.offsets, block.samples, block.ranks, self._slack)

    def result(self, positions: Positions) -> Repeats:
        """Returns what was found; *positions* has streamed over the same order."""
        kernel.finish(self._reads, self._slack)
        counts = self._reads.counts.tolist()
        return Repeats(
            reads=counts[kernel.POSITION],
            samples=len(self._reads.times),
            distinct=counts[kernel.DISTINCT],
            in_step=counts[kernel.IN_STEP],
            across_ranks=counts[kernel.ACROSS_RANKS],
            early=counts[kernel.EARLY],
            again=counts[kernel.AGAIN],
            gaps=np.trim_zeros(self._reads.gaps, "b").tolist(),
            replayed=counts[kernel.REPLAYED],
            passed=counts[kernel.PASSED],
            longest=counts[kernel.LONGEST],
            longest_pass=counts[kernel.LONGEST_PASS],
            replays=self._replays(positions),
            in_step_places=[
                Place(step, rank, sample, self._documents(sample), step, other)
                for step, rank, sample, other in _filled(self._reads.in_step)
            ],
            early_places=[
                Place(step, rank, sample, self._documents(sample), *positions.read(before)[:2])
                for step, rank, sample, before in _filled(self._reads.early)
            ],
        )

    def _replays(self, positions: Positions) -> list[Replay]:
        found = []
        for start, reads, distance in sorted(self._reads.runs[self._reads.runs[:, 1] > 0].tolist()):
            here, before = positions.read(start), positions.read(start - distance)
            documents = self._documents(here.sample)
            found.append(Replay(here.step, reads, distance, before.step, here.sample != before.sample, documents))
        return found

    def _documents(self, sample: int) -> list[int]:
        return first_documents(self._packing, sample)


def first_documents(packing: Packing, sample: int) -> list[int]:
    """Returns the first documents that a sample holds."""
    held = packing.spans(np.array([sample])).documents
    return list(dict.fromkeys(held.tolist()))[:LISTED_DOCUMENTS]


def _filled(places: NDArray[np.int64]) -> list[list[int]]:
    found: list[list[int]] = places[places[:, 0] >= 0].tolist()
    return found
