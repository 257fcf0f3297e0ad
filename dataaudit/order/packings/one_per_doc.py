"""Every document is a sample of its own."""

import numpy as np
from numpy.typing import NDArray

from dataaudit.order.packing import Packing, PackingOptions, Spans

ABOUT = "Every document is a sample, cut at --seq-len."


class OnePerDoc:
    """Samples that are documents."""

    name = "one-per-doc"

    def __init__(self, lengths: NDArray[np.int64], seq_len: int | None) -> None:
        self._lengths, self._seq_len = lengths, seq_len

    @property
    def samples(self) -> int:
        """How many there are."""
        return len(self._lengths)

    def spans(self, samples: NDArray[np.int64]) -> Spans:
        """Returns what samples are made of: an empty document's sample has an empty span."""
        stops = self._lengths[samples]
        if self._seq_len is not None:
            stops = np.minimum(stops, self._seq_len)
        return Spans(np.arange(len(samples)), samples, np.zeros(len(samples), np.int64), stops)


def build(lengths: NDArray[np.int64], options: PackingOptions) -> Packing:
    """Returns the packing."""
    return OnePerDoc(lengths, options.seq_len)
