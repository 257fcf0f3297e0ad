"""Corpus counts of every token id, kept up batch by batch."""

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel

COUNT, DOCUMENTS, LARGEST, LARGEST_IN = 0, 1, 2, 3
"""Columns of the totals: occurrences, documents, most occurrences in one document, and that document's id."""


def add_documents(
    totals: NDArray[np.int64], offsets: NDArray[np.int64], ids: NDArray[np.int64], doc_ids: NDArray[np.int64]
) -> None:
    """Adds a batch to *totals* in place; ids outside its rows are passed over.

    Args:
        totals: int64[ids, 4], the columns above.
        offsets: int64[docs + 1], where each document starts in *ids*.
        ids: int64[tokens].
        doc_ids: int64[docs]; on ties for the most occurrences the smallest is kept.
    """
    _add_documents(totals, offsets, ids, doc_ids)


@kernel
def _add_documents(
    totals: NDArray[np.int64], offsets: NDArray[np.int64], ids: NDArray[np.int64], doc_ids: NDArray[np.int64]
) -> None:
    here = np.zeros(len(totals), np.int32)
    touched = np.empty(len(totals), np.int32)
    for doc in range(len(offsets) - 1):
        distinct = 0
        for i in range(offsets[doc], offsets[doc + 1]):
            token = ids[i]
            if 0 <= token < len(totals):
                if here[token] == 0:
                    touched[distinct] = token
                    distinct += 1
                here[token] += 1
        for j in range(distinct):
            token = touched[j]
            count = here[token]
            here[token] = 0
            row = totals[token]
            row[COUNT] += count
            row[DOCUMENTS] += 1
            if count > row[LARGEST] or (count == row[LARGEST] and doc_ids[doc] < row[LARGEST_IN]):
                row[LARGEST], row[LARGEST_IN] = count, doc_ids[doc]
