"""Documents joined and cut into samples of one length: ``group_texts`` of the transformers examples, TRL, OLMo."""

import numpy as np
from numpy.typing import NDArray

from dataaudit.errors import UsageError
from dataaudit.order.packing import Packing, PackingOptions, Spans, expanded

ABOUT = "Documents are joined and cut every --seq-len tokens; what is over at the end of each --map-batch is dropped."


class Concat:
    """Samples cut from joined documents.

    Documents are joined in groups of *map_batch* (0: all), *eos* tokens after each; of each group the tokens past the
    last full sample are dropped, as ``group_texts`` does in every batch of ``datasets.map``.
    """

    name = "concat"

    def __init__(self, lengths: NDArray[np.int64], seq_len: int, eos: int, map_batch: int) -> None:
        self._lengths, self._seq_len = lengths, seq_len
        ends = np.cumsum(lengths + eos)
        self._starts = ends - lengths - eos
        size = map_batch or max(len(lengths), 1)
        lasts = np.minimum(np.arange(size, len(lengths) + size, size), len(lengths)) - 1
        group_ends = ends[lasts]
        self._group_starts = np.concatenate([[0], group_ends[:-1]]).astype(np.int64)
        self._firsts = np.concatenate([[0], np.cumsum((group_ends - self._group_starts) // seq_len)]).astype(np.int64)

    @property
    def samples(self) -> int:
        """How many there are."""
        return int(self._firsts[-1])

    def spans(self, samples: NDArray[np.int64]) -> Spans:
        """Returns what samples are made of."""
        group = np.searchsorted(self._firsts, samples, "right") - 1
        begin = self._group_starts[group] + (samples - self._firsts[group]) * self._seq_len
        end = begin + self._seq_len
        first = np.searchsorted(self._starts, begin, "right") - 1
        stop = np.searchsorted(self._starts, end, "left")
        places, documents = expanded(first, stop - first)
        starts = np.maximum(begin[places] - self._starts[documents], 0)
        stops = np.minimum(end[places] - self._starts[documents], self._lengths[documents])
        held = starts < stops
        return Spans(places[held], documents[held], starts[held], stops[held])


def build(lengths: NDArray[np.int64], options: PackingOptions) -> Packing:
    """Returns the packing."""
    if options.seq_len is None:
        raise UsageError("--packing concat needs --seq-len, the tokens of a sample.")
    if options.map_batch < 0:
        raise UsageError(f"--map-batch {options.map_batch}: it is a number of documents, or 0 for all of them.")
    return Concat(lengths, options.seq_len, options.eos, options.map_batch)
