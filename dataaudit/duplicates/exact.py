"""Exact copies: documents with the same normal form."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from dataaudit.duplicates.records import COPY


def exact_copies(digests: NDArray[np.uint64], documents: NDArray[np.uint64]) -> NDArray[np.void]:
    """Returns the COPY records of all groups of two or more, in order of the documents.

    Args:
        digests: uint64[n, 2].
        documents: uint64[n], which document each belongs to; in any order.
    """
    order = np.lexsort((documents, digests[:, 1], digests[:, 0]))
    digests, documents = digests[order], documents[order]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = (digests[1:] != digests[:-1]).any(axis=1)
    starts = np.flatnonzero(is_new)
    counts = np.diff(np.append(starts, len(order)))
    several = np.repeat(counts, counts) > 1
    found = np.empty(int(several.sum()), COPY)
    found["document"] = documents[several]
    found["first"] = np.repeat(documents[starts], counts)[several]
    found["count"] = np.repeat(counts, counts)[several]
    return _in_order(found)


def merge_copies(parts: Iterable[NDArray[np.void]]) -> NDArray[np.void]:
    """Returns the records of all partitions in order of the documents."""
    return _in_order(np.concatenate([np.empty(0, COPY), *parts]))


def _in_order(records: NDArray[np.void]) -> NDArray[np.void]:
    ordered: NDArray[np.void] = records[np.argsort(records["document"], kind="stable")]
    return ordered
