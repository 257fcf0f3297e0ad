"""Compares documents that share a band: the exact Jaccard similarity of their sets, a bounded number of times each."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel

REPRESENTATIVES = 8
"""Documents of a bucket that later ones are compared with."""
NO_PARTNER = -1
SCALE = 10_000
"""A threshold is a whole number of ten-thousandths."""


class Compared(NamedTuple):
    """What comparing the members of buckets gave; arrays are as long as the list of members.

    Attributes:
        partners: int64, the place of the earlier member that it is verified to be like, or NO_PARTNER.
        shared: int64, shingles that both have; 0 without a partner.
        united: int64, shingles that either has; 0 without a partner.
        represents: bool, whether later members of the bucket are compared with it.
        comparisons: int64, how many pairs of sets were compared.
    """

    partners: NDArray[np.int64]
    shared: NDArray[np.int64]
    united: NDArray[np.int64]
    represents: NDArray[np.bool_]
    comparisons: int


def compare_buckets(
    buckets: NDArray[np.int64], offsets: NDArray[np.int64], hashes: NDArray[np.uint64], threshold: int, known: int
) -> Compared:
    """Compares each member of a bucket with the bucket's representatives, in order, until one is like it.

    Members are alike when ``shared * SCALE >= threshold * united``. A member like none becomes a representative while
    there are fewer than REPRESENTATIVES; later ones are left unverified.

    Args:
        buckets: where each bucket starts in the members, and the end.
        offsets: where each member's set starts, and the end.
        hashes: the members' sets, each ascending, one after the other.
        threshold: in ten-thousandths.
        known: how many members of the first bucket are known to be representatives, when the bucket began elsewhere.
    """
    return Compared(*_compare(buckets, offsets, hashes, threshold, known))


@kernel
def _compare(
    buckets: NDArray[np.int64], offsets: NDArray[np.int64], hashes: NDArray[np.uint64], threshold: int, known: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_], int]:
    members = len(offsets) - 1
    partners = np.full(members, NO_PARTNER, np.int64)
    shared, united = np.zeros(members, np.int64), np.zeros(members, np.int64)
    represents, comparisons = np.zeros(members, np.bool_), 0
    chosen = np.empty(REPRESENTATIVES, np.int64)
    for bucket in range(len(buckets) - 1):
        count = 0
        for member in range(buckets[bucket], buckets[bucket + 1]):
            here = hashes[offsets[member] : offsets[member + 1]]
            is_known = bucket == 0 and member < known
            for k in range(0 if is_known else count):
                other = chosen[k]
                there = hashes[offsets[other] : offsets[other + 1]]
                # Not even a subset of such a size could be like it.
                if min(len(here), len(there)) * SCALE < threshold * max(len(here), len(there)):
                    continue
                comparisons += 1
                both = _intersection(here, there)
                either = len(here) + len(there) - both
                if both * SCALE >= threshold * either:
                    partners[member], shared[member], united[member] = other, both, either
                    break
            if partners[member] == NO_PARTNER and count < REPRESENTATIVES:
                chosen[count], represents[member] = member, True
                count += 1
    return partners, shared, united, represents, comparisons


@kernel
def _intersection(left: NDArray[np.uint64], right: NDArray[np.uint64]) -> int:
    """Returns how many hashes two ascending sets share."""
    i, j, both = 0, 0, 0
    while i < len(left) and j < len(right):
        a, b = left[i], right[j]
        both += a == b
        i += a <= b
        j += b <= a
    return both


def gather(
    hashes: NDArray[np.uint64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    out: NDArray[np.uint64],
    places: NDArray[np.int64],
) -> None:
    """Copies sets, each to its place in *out*."""
    _gather(hashes, starts, stops, out, places)


@kernel
def _gather(
    hashes: NDArray[np.uint64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    out: NDArray[np.uint64],
    places: NDArray[np.int64],
) -> None:
    for k in range(len(starts)):
        at = places[k]
        for i in range(starts[k], stops[k]):
            out[at] = hashes[i]
            at += 1


@kernel
def join_clusters(left: NDArray[np.int64], right: NDArray[np.int64], nodes: int) -> NDArray[np.int64]:
    """Returns the least node of each node's component; the order of the edges does not matter."""
    root = np.arange(nodes)
    for edge in range(len(left)):
        a, b = left[edge], right[edge]
        while root[a] != a:
            root[a] = root[root[a]]
            a = root[a]
        while root[b] != b:
            root[b] = root[root[b]]
            b = root[b]
        if a < b:
            root[b] = a
        else:
            root[a] = b
    for node in range(nodes):
        root[node] = root[root[node]]
    return root


@kernel
def keep_first(members: NDArray[np.int64], partners: NDArray[np.int64], nodes: int) -> NDArray[np.int64]:
    """Returns for each node the edge to the first kept partner, or NO_PARTNER for a node that is kept.

    Edges are sorted by member and then by partner, and a partner comes before its member. A node is removed when it
    has an edge to a node that is kept, and for no other reason.
    """
    through = np.full(nodes, NO_PARTNER, np.int64)
    for edge in range(len(members)):
        member = members[edge]
        if through[member] == NO_PARTNER and through[partners[edge]] == NO_PARTNER:
            through[member] = edge
    return through
