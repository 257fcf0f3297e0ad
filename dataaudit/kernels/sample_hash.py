"""A number for what a sample holds: the same for the same pieces of the same documents, or of their copies."""

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.hashing import BASIS, FOLD, PRIME
from dataaudit.kernels.jit import kernel


def hash_samples(
    samples: int,
    places: NDArray[np.int64],
    documents: NDArray[np.int64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
) -> NDArray[np.uint64]:
    """Returns uint64[samples], a hash of each sample's pieces in their order.

    Args:
        samples: how many there are.
        places: int64, the sample of each piece.
        documents: int64, the document of each piece, or that which it is a copy of.
        starts: int64, the first of its tokens.
        stops: int64, the one after the last.
    """
    found = np.full(samples, BASIS, np.uint64)
    _hash(found, places, documents, starts, stops)
    return found


@kernel
def _hash(
    found: NDArray[np.uint64],
    places: NDArray[np.int64],
    documents: NDArray[np.int64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
) -> None:
    for at in range(len(places)):
        value = found[places[at]]
        for part in (documents[at], starts[at], stops[at]):
            value = (value ^ np.uint64(part)) * PRIME
            value ^= value >> FOLD
        found[places[at]] = value
