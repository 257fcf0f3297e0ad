"""How documents become samples: what a packing gives, and what it can be told."""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class PackingOptions(NamedTuple):
    """How samples are cut.

    Attributes:
        seq_len: tokens a sample; None where samples are not cut.
        eos: tokens that the trainer puts after each document and that its length does not count.
        map_batch: documents that are joined at a time (``datasets.map``'s batch_size); 0 joins all of them.
    """

    seq_len: int | None = None
    eos: int = 1
    map_batch: int = 1000


class Spans(NamedTuple):
    """Pieces of documents, sample by sample in the order asked for; samples without a token of a document have none.

    Attributes:
        places: int64, which of the samples that were asked for (from 0).
        documents: int64, which document of the training set (from 0).
        starts, stops: int64, which of its tokens.
    """

    places: NDArray[np.int64]
    documents: NDArray[np.int64]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]


class Packing(Protocol):
    """Samples made of documents.

    Attributes:
        name: as the user chooses it.
        samples: how many there are.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def samples(self) -> int: ...  # noqa: D102

    def spans(self, samples: NDArray[np.int64]) -> Spans:
        """Returns what samples are made of; *samples* are numbers from 0 to ``samples`` - 1."""
        ...


def expanded(firsts: NDArray[np.int64], counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns for runs of consecutive numbers (first and count) which run each number is of, and the numbers."""
    places = np.repeat(np.arange(len(counts)), counts)
    before = np.cumsum(counts) - counts
    return places, np.arange(len(places)) - before[places] + firsts[places]
