"""What each sample of a training set holds, as far as measures of its order need it."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.sample_hash import hash_samples
from dataaudit.order import Packing, Spans
from dataaudit.order_quality.facts import Documents

BLOCK = 1 << 20
"""Samples that are looked at together."""


class Samples(NamedTuple):
    """The samples of a training set; 12 bytes each, 8 more where some have the same content.

    Attributes:
        sources, files: int32, of the first document in each; -1 where it holds none.
        log_lengths: float32, ln(1 + length) of the first document in each; NaN where it holds none.
        content: int64, the first sample with the same content; None when all differ.
        held: int64[sources], tokens of each source in all samples.
        parts, squares, largest: float64[sources], samples that hold some of the source, the sum of squares of their
            tokens of it, and the most that one has.
    """

    sources: NDArray[np.int32]
    files: NDArray[np.int32]
    log_lengths: NDArray[np.float32]
    content: NDArray[np.int64] | None
    held: NDArray[np.int64]
    parts: NDArray[np.float64]
    squares: NDArray[np.float64]
    largest: NDArray[np.float64]


def samples_of(packing: Packing, documents: Documents) -> Samples:
    """Looks at every sample once."""
    count = packing.samples
    sources, files = np.full(count, -1, np.int32), np.full(count, -1, np.int32)
    logs = np.full(count, np.nan, np.float32)
    held, parts, squares, largest = (np.zeros(len(documents.source_names)) for _ in range(4))
    for first, spans in _blocks(packing):
        at = np.flatnonzero(np.diff(spans.places, prepend=-1))
        places, leading = spans.places[at], spans.documents[at]
        sources[first + places] = documents.sources[leading]
        files[first + places] = documents.files[leading]
        logs[first + places] = np.log1p(documents.lengths[leading])
        owners, tokens = _tokens_by_source(spans, documents.sources)
        held += np.bincount(owners, tokens, len(held))
        parts += np.bincount(owners, minlength=len(held))
        squares += np.bincount(owners, tokens.astype(np.float64) ** 2, len(held))
        np.maximum.at(largest, owners, tokens)
    return Samples(sources, files, logs, _content(packing, documents), held.astype(np.int64), parts, squares, largest)


def _tokens_by_source(spans: Spans, sources: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Returns for each sample and each source in it the source and its tokens, where there are any."""
    places, owners, sizes = spans.places, sources[spans.documents], spans.stops - spans.starts
    if (np.diff(places) == 0).any():
        order = np.lexsort((owners, places))
        places, owners, sizes = places[order], owners[order], sizes[order]
    tokens = np.concatenate([[0], np.cumsum(sizes)])
    changes = np.flatnonzero((np.diff(places) != 0) | (np.diff(owners) != 0)) + 1
    bounds = np.concatenate([[0], changes, [len(places)]]) if len(places) else np.zeros(1, np.int64)
    found = np.diff(tokens[bounds])
    has = found > 0
    return owners[bounds[:-1]][has], found[has]


def _blocks(packing: Packing) -> Iterator[tuple[int, Spans]]:
    for first in range(0, packing.samples, BLOCK):
        yield first, packing.spans(np.arange(first, min(first + BLOCK, packing.samples)))


def _content(packing: Packing, documents: Documents) -> NDArray[np.int64] | None:
    """Returns for each sample the first with the same content; None when no document has a copy."""
    if not (documents.copies >= 0).any():
        return None
    stands_for = _originals(documents.copies)
    hashes = np.concatenate(
        [
            hash_samples(
                min(BLOCK, packing.samples - first),
                spans.places,
                stands_for[spans.documents],
                spans.starts,
                spans.stops,
            )
            for first, spans in _blocks(packing)
        ]
    )
    hollow = np.flatnonzero(hashes == hash_samples(1, *(np.zeros(0, np.int64),) * 4)[0])
    order = np.argsort(hashes, kind="stable")
    starts = np.concatenate([[True], hashes[order][1:] != hashes[order][:-1]])
    content = np.empty(packing.samples, np.int64)
    content[order] = order[starts][np.cumsum(starts) - 1]
    content[hollow] = hollow
    return None if (content == np.arange(packing.samples)).all() else content


def _originals(copies: NDArray[np.int32]) -> NDArray[np.int64]:
    """Returns for each document the first of its copies, or itself."""
    found = np.arange(len(copies))
    has = np.flatnonzero(copies >= 0)
    first = np.full(int(copies.max()) + 1, len(copies), np.int64)
    np.minimum.at(first, copies[has], has)
    found[has] = first[copies[has]]
    return found
