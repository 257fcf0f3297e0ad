"""Corpus counts of every token id, kept up batch by batch."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import ONE, kernel

COUNT, DOCUMENTS, LARGEST, LARGEST_IN = 0, 1, 2, 3
"""Columns of the totals: occurrences, documents, most occurrences in one document, and that document's id."""


def add_documents(
    totals: NDArray[np.int64], offsets: NDArray[np.int64], ids: NDArray[Any], doc_ids: NDArray[np.int64]
) -> None:
    """Adds a batch to *totals* in place; ids outside its rows are passed over.

    Args:
        totals: int64[ids, 4], the columns above.
        offsets: int64[docs + 1], where each document starts in *ids*.
        ids: whole numbers[tokens].
        doc_ids: int64[docs]; on ties for the most occurrences the smallest is kept.
    """
    _add_documents(totals, offsets, ids, doc_ids)


@kernel
def add_symbols(
    counts: NDArray[np.int64], id_space: int, offsets: NDArray[np.int64], halves: NDArray[np.int8], ids: NDArray[Any]
) -> None:
    """Adds a batch to counts of each half of its documents.

    Args:
        counts: int64[2, n], is changed; place 0 counts the ids outside the id space, place i + 1 the id i.
        id_space: one past the largest id inside; such ids of the batch have to have a place.
        offsets: int64[docs + 1], where each document starts in *ids*.
        halves: int8[docs], 0 or 1.
        ids: whole numbers[tokens].
    """
    size = np.uint64(id_space)
    for doc in range(len(offsets) - 1):
        here = counts[halves[doc]]
        for i in range(np.uint64(offsets[doc]), np.uint64(offsets[doc + 1])):
            token = np.uint64(ids[i])  # a negative id becomes one past any id space
            here[token + ONE if token < size else np.uint64(0)] += 1


@kernel
def _add_documents(
    totals: NDArray[np.int64], offsets: NDArray[np.int64], ids: NDArray[Any], doc_ids: NDArray[np.int64]
) -> None:
    # Indices are unsigned: a signed one costs a look whether it counts from the end.
    size = np.uint64(len(totals))
    here = np.zeros(len(totals), np.int64)
    touched = np.empty(len(totals) + 1, np.uint64)
    for doc in range(len(offsets) - 1):
        distinct = np.uint64(0)
        for i in range(np.uint64(offsets[doc]), np.uint64(offsets[doc + 1])):
            token = np.uint64(ids[i])  # a negative id becomes one past any row
            if token < size:
                before = here[token]
                touched[distinct] = token
                distinct += np.uint64(before == 0)
                here[token] = before + 1
        for j in range(distinct):
            _add_count(totals, touched[j], here[touched[j]], doc_ids[doc])
            here[touched[j]] = 0


@kernel
def _add_count(totals: NDArray[np.int64], token: np.uint64, count: int, doc_id: int) -> None:
    totals[token, COUNT] += count
    totals[token, DOCUMENTS] += 1
    largest = totals[token, LARGEST]
    if count > largest or (count == largest and doc_id < totals[token, LARGEST_IN]):
        totals[token, LARGEST] = count
        totals[token, LARGEST_IN] = doc_id
