"""Token ids of a batch of documents."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class TokenBatch(NamedTuple):
    """Token ids of all documents one after the other.

    Attributes:
        ids: uint32, the ids.
        offsets: int64, one more than there are documents; document i has ``ids[offsets[i]:offsets[i + 1]]``.
    """

    ids: NDArray[np.uint32]
    offsets: NDArray[np.int64]
