"""Parts of a file of ids whose sequences stand in an index."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from dataaudit.corpus.documents import CorpusFile
from dataaudit.corpus.readers import Span
from dataaudit.corpus.token_arrays.source import open_tokens
from dataaudit.corpus.token_layout import TokenLayout


class _Cut(NamedTuple):
    """An end of a part: sequences up to there, and ids."""

    sequences: int
    tokens: int


def cut_index(
    file: CorpusFile, layout: TokenLayout, target_bytes: int, ends: Iterable[NDArray[np.int64]]
) -> list[Span]:
    """Returns runs of sequences of about *target_bytes*.

    Args:
        file: the file of ids.
        layout: how its ids are stored; ``declared`` is filled in where it is None.
        target_bytes: about how large a part is.
        ends: for each sequence, in blocks, the id before which it ends.
    """
    with open_tokens(file.path, layout) as source:
        tokens, size, itemsize = source.tokens, source.size, source.itemsize
    walk = _Walk(max(1, target_bytes // itemsize), tokens)
    cuts = [cut for block in ends for cut in walk.cuts(block)]
    if layout.declared is None:
        layout = msgspec.structs.replace(layout, declared=walk.reached)
    spans: list[Span] = []
    before = _Cut(0, 0)
    for cut in cuts:
        part = msgspec.structs.replace(layout, sequences=cut.sequences - before.sequences)
        spans.append(Span(before.tokens, cut.tokens, before.sequences, (cut.tokens - before.tokens) * itemsize, part))
        before = cut
    rest = msgspec.structs.replace(layout, sequences=walk.sequences - before.sequences)
    bytes_left = size - layout.header - before.tokens * itemsize if spans else size
    spans.append(Span(before.tokens, None, before.sequences, bytes_left, rest))
    return spans


class _Walk:
    """Walks over the ends of sequences.

    Attributes:
        sequences: how many there were.
        reached: the furthest end.
    """

    def __init__(self, step: int, tokens: int) -> None:
        self._step, self._goal, self._tokens = step, step, tokens
        self.sequences = self.reached = 0

    def cuts(self, ends: NDArray[np.int64]) -> Iterator[_Cut]:
        """Yields where parts end: with the first sequence that reaches a multiple of the step, inside the file."""
        if not len(ends):
            return
        peaks = np.maximum.accumulate(np.maximum(ends, self.reached))
        at = int(np.searchsorted(peaks, self._goal))
        while at < len(peaks) and peaks[at] < self._tokens:
            yield _Cut(self.sequences + at + 1, int(peaks[at]))
            self._goal = (int(peaks[at]) // self._step + 1) * self._step
            at = int(np.searchsorted(peaks, self._goal))
        self.sequences += len(ends)
        self.reached = int(peaks[-1])
