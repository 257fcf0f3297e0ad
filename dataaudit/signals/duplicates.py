"""Which earlier document a document repeats; found by comparing all documents, after the first pass."""

import pyarrow as pa

from dataaudit.signals.batch import DocumentBatch
from dataaudit.signals.signal import signal

COMPARED = "Broder 1997 (resemblance); Lee et al. 2022, arXiv:2107.06499"
COUNTED = "exact count"
NEEDS = ("duplicates",)


def _column(batch: DocumentBatch, name: str) -> pa.Array:
    assert batch.duplicates is not None, "a signal of duplicates was measured before documents were compared"
    return batch.duplicates.column(name)


@signal(
    unit="doc_id",
    source=COUNTED,
    needs="duplicates",
    requires=NEEDS,
    minimum=None,
    null="no earlier document has the same text",
)
def exact_duplicate_of(batch: DocumentBatch) -> pa.Array:
    """The first document with the same text in normal form (NFKC, case folding, white space).

    Of documents that came as token ids, the first with the same ids. Documents that are empty in normal form are copies
    of nothing.
    """
    return _column(batch, "exact_duplicate_of")


@signal(unit="doc_id", source=COMPARED, needs="duplicates", requires=NEEDS, null="no kept document is verified like it")
def near_duplicate_of(batch: DocumentBatch) -> pa.Array:
    """The earlier document, itself kept, that shares most shingles with it: verified, not estimated.

    Null for exact copies, which name their first document in exact_duplicate_of.
    """
    return _column(batch, "near_duplicate_of")


@signal(unit="ratio", source=COMPARED, needs="duplicates", requires=NEEDS, null="near_duplicate_of is null")
def near_duplicate_jaccard(batch: DocumentBatch) -> pa.Array:
    """Jaccard similarity to near_duplicate_of: shingles that both have / shingles that either has."""
    return _column(batch, "near_duplicate_jaccard")


@signal(unit="doc_id", source=COMPARED, needs="duplicates", requires=NEEDS, null="it is like no other document")
def duplicate_cluster(batch: DocumentBatch) -> pa.Array:
    """The first document of its cluster: all documents joined by exact copies and verified pairs.

    Two documents of a cluster need not be like each other; each is like some other one of it.
    """
    return _column(batch, "duplicate_cluster")


@signal(unit="documents", source=COMPARED, needs="duplicates", requires=NEEDS, null="it is like no other document")
def duplicate_cluster_size(batch: DocumentBatch) -> pa.Array:
    """Number of documents in its cluster."""
    return _column(batch, "duplicate_cluster_size")


@signal(
    unit="documents", source=COUNTED, needs="duplicates", requires=NEEDS, null="no other document has the same text"
)
def duplicate_count(batch: DocumentBatch) -> pa.Array:
    """Number of documents with the same text in normal form, itself included."""
    return _column(batch, "duplicate_count")
