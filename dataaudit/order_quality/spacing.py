"""Copies and near copies that an order reads close together."""

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.spacing import BEGUN, CLOSE, IN_STEP, Spacing, follow_groups, new_spacing
from dataaudit.order import Block, Spans
from dataaudit.order_quality.chance import expected_close, expected_in_step
from dataaudit.order_quality.facts import Copies, Documents, Place


class SpacingFollower:
    """Follows an order and says which documents begin near others that are like them; 24 bytes a group."""

    def __init__(self, documents: Documents, near_samples: int) -> None:
        self._copies, self._alike, self._near_samples = documents.copies, documents.alike, near_samples
        self._of_copies, self._of_alike = _state(documents.copies), _state(documents.alike)

    def add(self, block: Block, spans: Spans, first: int) -> None:
        """Reads the next steps; *first* is the number of their first read."""
        begins = spans.starts == 0
        places, documents = spans.places[begins], spans.documents[begins]
        for state, groups in ((self._of_copies, self._copies), (self._of_alike, self._alike)):
            follow_groups(
                state,
                groups,
                block.steps,
                block.offsets,
                block.ranks,
                places,
                documents,
                first,
                self._near_samples,
            )

    def copies(self, steps: int, passes: float) -> Copies:
        """Returns the copies that begin in one step; the training set was read so many times (*passes*)."""
        counts = self._of_copies.counts.tolist()
        by_chance = passes * expected_in_step(self._of_copies.begun / passes, counts[BEGUN] / passes, steps / passes)
        return Copies(counts[BEGUN], counts[IN_STEP], by_chance, _places(self._of_copies.in_step))

    def near(self, reads: int, passes: float) -> Copies:
        """Returns the near copies that are close; likewise."""
        counts = self._of_alike.counts.tolist()
        documents_within = self._near_samples * counts[BEGUN] / max(reads, 1)
        by_chance = passes * expected_close(self._of_alike.begun / passes, counts[BEGUN] / passes, documents_within)
        return Copies(counts[BEGUN], counts[CLOSE], by_chance, _places(self._of_alike.close))


def _state(groups: NDArray[np.int32]) -> Spacing:
    return new_spacing(int(groups.max(initial=-1)) + 1)


def _places(kept: NDArray[np.int64]) -> list[Place]:
    return [
        Place(step, rank, None, [document, other], None, None)
        for step, rank, document, other in kept[kept[:, 0] >= 0].tolist()
    ]
