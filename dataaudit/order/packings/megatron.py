"""Megatron's windows: seq_len + 1 tokens, each starting at the last token of the one before."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dataaudit.errors import ReadError, UsageError
from dataaudit.order.packing import Packing, PackingOptions, Spans, expanded

ABOUT = "Windows of --seq-len + 1 tokens over joined documents, one token shared, as Megatron's sample index."
PROBED = 64
"""Samples whose length is checked against the documents before the files are believed."""


class MegatronWindows:
    """Windows that start where a sample index says, over documents in the order of a document index."""

    name = "megatron"

    def __init__(
        self,
        lengths: NDArray[np.int64],
        eos: int,
        documents: NDArray[Any],
        samples: NDArray[Any],
        path: Path | None = None,
    ) -> None:
        self._lengths, self._eos, self._documents, self._samples = lengths, eos, documents, samples
        if path is not None:
            self._refuse_other_documents(path)

    @property
    def samples(self) -> int:
        """How many there are."""
        return len(self._samples) - 1

    def spans(self, samples: NDArray[np.int64]) -> Spans:
        """Returns what samples are made of."""
        spans = self._pieces(samples)
        stops = np.minimum(spans.stops, self._lengths[spans.documents])
        held = spans.starts < stops
        return Spans(spans.places[held], spans.documents[held], spans.starts[held], stops[held])

    def _pieces(self, samples: NDArray[np.int64]) -> Spans:
        """Returns spans that count the tokens after each document too."""
        begin = np.asarray(self._samples[samples], np.int64)
        end = np.asarray(self._samples[samples + 1], np.int64)
        places, index = expanded(begin[:, 0], end[:, 0] - begin[:, 0] + 1)
        documents = np.asarray(self._documents[index], np.int64)
        starts = np.where(index == begin[places, 0], begin[places, 1], 0)
        stops = np.where(index == end[places, 0], end[places, 1] + 1, self._lengths[documents] + self._eos)
        return Spans(places, documents, starts, stops)

    def _refuse_other_documents(self, path: Path) -> None:
        """Makes sure that the index files are about documents of these lengths."""
        last = int(self._documents.max())
        if last >= len(self._lengths) or int(self._documents.min()) < 0:
            raise ReadError(
                f"{path}: its document index names document {last:,}, but the training set has "
                f"{len(self._lengths):,} documents. The files are of another corpus, or --documents is wrong."
            )
        probed = np.linspace(0, self.samples - 1, min(PROBED, self.samples)).astype(np.int64)
        pieces = self._pieces(probed)
        tokens = np.bincount(pieces.places, pieces.stops - pieces.starts, len(probed)).astype(np.int64)
        beyond = pieces.stops > self._lengths[pieces.documents] + self._eos
        if len(set(tokens.tolist())) > 1 or beyond.any():
            raise ReadError(
                f"{path}: the lengths of its documents are not those of the run: its samples would have "
                f"{tokens.min():,} to {tokens.max():,} tokens. Check the tokenizer, --documents and --eos-tokens "
                "(1 with --append-eod)."
            )


def windows(lengths: NDArray[np.int64], seq_len: int) -> NDArray[np.int64]:
    """Returns a sample index over documents one after the other: [samples + 1, 2], as Megatron builds it."""
    ends = np.cumsum(lengths)
    count = max(int(ends[-1] - 1) // seq_len, 0) if len(lengths) else 0
    begin = np.arange(count + 1) * seq_len
    document = np.searchsorted(ends, begin, "right")
    return np.stack([document, begin - (ends - lengths)[document]], 1) if count else np.zeros((1, 2), np.int64)


def build(lengths: NDArray[np.int64], options: PackingOptions) -> Packing:
    """Returns the packing of documents in their own order, one epoch; index files come with ``megatron:PREFIX``."""
    if options.seq_len is None:
        raise UsageError("--packing megatron needs --seq-len, the tokens of a sample.")
    index = windows(lengths + options.eos, options.seq_len)
    return MegatronWindows(lengths, options.eos, np.arange(len(lengths)), index)
