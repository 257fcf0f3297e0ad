"""Clusters, and which of their documents are kept: what all partitions found, put together."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.duplicates.near import distinct
from dataaudit.duplicates.records import EDGE, MEMBER, NONE
from dataaudit.kernels.overlap import NO_PARTNER, join_clusters, keep_first


class Candidates(NamedTuple):
    """How many documents shared a band with an earlier one, and what became of them.

    Attributes:
        candidates: documents that share a band with an earlier one.
        verified: of these, documents with a verified edge to an earlier one.
        unverified: of these, documents without one that were not compared with every representative of a bucket.
    """

    candidates: int
    verified: int
    unverified: int


def merge_edges(parts: Sequence[NDArray[np.void]]) -> NDArray[np.void]:
    """Returns the distinct edges of all partitions, by document and then by partner."""
    return distinct(np.concatenate([np.empty(0, EDGE), *parts]), "document", "partner")


def count_candidates(edges: NDArray[np.void], misses: Sequence[NDArray[np.void]]) -> Candidates:
    """Counts candidates; *misses* are those of all partitions."""
    verified = np.unique(edges["document"])
    missed, unverified = np.empty(0, np.uint64), np.empty(0, np.uint64)
    for part in misses:
        missed = np.union1d(missed, part["document"])
        unverified = np.union1d(unverified, part["document"][part["unverified"] != 0])
    return Candidates(
        len(np.union1d(verified, missed)),
        len(verified),
        len(np.setdiff1d(unverified, verified, assume_unique=True)),
    )


def clusters(edges: NDArray[np.void], copies: NDArray[np.void]) -> NDArray[np.void]:
    """Returns the MEMBER records of all clusters of two or more, in order of the documents.

    Args:
        edges: what *merge_edges* gave; no document that is an exact copy of an earlier one has an edge.
        copies: COPY records in order of the documents.
    """
    documents = np.unique(np.concatenate([edges["document"], edges["partner"], copies["document"]]))
    members = np.zeros(len(documents), MEMBER)
    members["document"], members["copies"] = documents, 1
    members["copy_of"] = members["near"] = NONE
    copy = np.searchsorted(documents, copies["document"])
    first = np.searchsorted(documents, copies["first"])
    members["copies"][copy] = copies["count"]
    members["copy_of"][copy] = np.where(copies["document"] == copies["first"], NONE, copies["first"])
    late = np.searchsorted(documents, edges["document"])
    early = np.searchsorted(documents, edges["partner"])
    through = keep_first(late, early, len(documents))
    removed = np.flatnonzero(through != NO_PARTNER)
    for name, field in (("near", "partner"), ("shared", "shared"), ("united", "united")):
        members[name][removed] = edges[field][through[removed]]
    roots = join_clusters(np.concatenate([late, copy]), np.concatenate([early, first]), len(documents))
    members["root"] = documents[roots]
    members["size"] = np.bincount(roots, minlength=len(documents))[roots]
    return members
