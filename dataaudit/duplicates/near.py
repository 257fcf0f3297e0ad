"""Near copies: documents that share a band and are verified to share most of their shingles."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.duplicates.records import EDGE, MISS
from dataaudit.kernels.overlap import NO_PARTNER, compare_buckets

CHUNK_HASHES = 1 << 24
"""Hashes of sets that are in memory at a time (128 MB), beyond those of representatives."""
QUERY_PARTNERS = 64
"""Earlier documents of a bucket that a sampled document is compared with."""

Documents = NDArray[np.uint64]


class Sets(NamedTuple):
    """The shingle sets of some documents, one after the other."""

    offsets: NDArray[np.int64]
    hashes: NDArray[np.uint64]


class SetSource(NamedTuple):
    """Where sets come from: their sizes first, so that no more are fetched than fit."""

    sizes: Callable[[Documents], NDArray[np.int64]]
    sets: Callable[[Documents], Sets]


@dataclass
class Found:
    """What comparing gave: EDGE and MISS records, the pairs that were compared, and the largest bucket."""

    edges: list[NDArray[np.void]] = field(default_factory=list)
    misses: list[NDArray[np.void]] = field(default_factory=list)
    comparisons: int = 0
    largest_bucket: int = 0

    def all_edges(self) -> NDArray[np.void]:
        """Returns the distinct edges, by document and then by partner."""
        return distinct(np.concatenate([np.empty(0, EDGE), *self.edges]), "document", "partner")

    def all_misses(self) -> NDArray[np.void]:
        """Returns the distinct misses, by document."""
        return distinct(np.concatenate([np.empty(0, MISS), *self.misses]), "document", "unverified")


def near_copies(
    keys: NDArray[np.uint64],
    documents: Documents,
    source: SetSource,
    threshold: int,
    found: Found,
    sample: Documents | None = None,
) -> None:
    """Compares documents with the same key of one band, and adds what it finds to *found*.

    Args:
        keys: uint64[n].
        documents: uint64[n]; ascending where keys are equal.
        source: gives the sets.
        threshold: in ten-thousandths.
        found: takes the results.
        sample: ascending; then each of these is compared with the first earlier documents of its bucket, and no other.
    """
    order = np.argsort(keys, kind="stable")
    keys, documents = keys[order], documents[order]
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])) if len(keys) else np.empty(0, np.int64)
    counts = np.diff(np.append(starts, len(keys)))
    shared = counts > 1
    if not shared.any():
        return
    found.largest_bucket = max(found.largest_bucket, int(counts.max()))
    members = documents[np.repeat(shared, counts)]
    bounds = np.append(0, np.cumsum(counts[shared]))
    if sample is not None:
        members, bounds = _queries(members, bounds, sample)
    known = np.empty(0, np.uint64)
    for first, last in _chunks(source.sizes(members)):
        starts = bounds[(bounds >= first) & (bounds < last)]
        if len(starts) and starts[0] == first:
            known = known[:0]
        known = _compare(known, members[first:last], starts - first, source, threshold, found)


def _queries(members: Documents, bounds: NDArray[np.int64], sample: Documents) -> tuple[Documents, NDArray[np.int64]]:
    """Returns a bucket of two for each sampled member and each of the earlier members that it is compared with."""
    queries = np.flatnonzero(np.isin(members, sample))
    starts = bounds[np.searchsorted(bounds, queries, side="right") - 1]
    counts = np.minimum(queries - starts, QUERY_PARTNERS)
    total = int(counts.sum())
    within = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    pairs = np.empty(2 * total, np.uint64)
    pairs[0::2] = members[np.repeat(starts, counts) + within]
    pairs[1::2] = members[np.repeat(queries, counts)]
    return pairs, np.arange(0, 2 * total + 1, 2)


def _chunks(sizes: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yields ranges of members whose sets fit in memory together; a range has at least one member."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        before = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + CHUNK_HASHES, side="right")))
        yield first, last
        first = last


def _compare(
    known: Documents, members: Documents, starts: NDArray[np.int64], source: SetSource, threshold: int, found: Found
) -> Documents:
    """Compares a range of members; returns the representatives of its last bucket.

    *known* are those of the bucket that the range begins in the middle of; *starts* is where buckets start in it.
    """
    documents = np.concatenate([known, members])
    starts = starts + len(known)
    begins = np.zeros(len(documents), np.bool_)
    begins[starts] = True
    begins[: len(known)] = True
    bounds = np.unique(np.concatenate([[0], starts, [len(documents)]])).astype(np.int64)
    sets = source.sets(documents)
    result = compare_buckets(bounds, sets.offsets, sets.hashes, threshold, len(known))
    found.comparisons += int(result.comparisons)
    matched = np.flatnonzero(result.partners != NO_PARTNER)
    edges = np.empty(len(matched), EDGE)
    edges["document"], edges["partner"] = documents[matched], documents[result.partners[matched]]
    edges["shared"], edges["united"] = result.shared[matched], result.united[matched]
    found.edges.append(edges)
    missed = np.flatnonzero((result.partners == NO_PARTNER) & ~begins)
    misses = np.empty(len(missed), MISS)
    misses["document"], misses["unverified"] = documents[missed], ~result.represents[missed]
    found.misses.append(misses)
    last = bounds[-2]
    return documents[last:][result.represents[last:]]


def distinct(records: NDArray[np.void], *fields: str) -> NDArray[np.void]:
    """Returns the records in order of these fields, one of each combination of their values."""
    order = np.lexsort([records[name] for name in reversed(fields)])
    records = records[order]
    is_new = np.ones(len(records), np.bool_)
    is_new[1:] = np.logical_or.reduce([records[name][1:] != records[name][:-1] for name in fields])
    return records[is_new]
