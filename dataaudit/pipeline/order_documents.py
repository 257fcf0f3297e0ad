"""The documents of a training set as measures of its order need them: files, exact copies, clusters of duplicates."""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.order_quality.facts import Documents
from dataaudit.pipeline.plan import load_plan
from dataaudit.pipeline.signal_tables import signal_tables
from dataaudit.pipeline.store import RunFolder
from dataaudit.pipeline.training_set import TrainingSet

WANTED = ("doc_id", "file", "exact_duplicate_of", "duplicate_cluster")


class Known(NamedTuple):
    """Documents, and the columns of WANTED that the run has."""

    documents: Documents
    columns: frozenset[str]


def order_documents(training: TrainingSet) -> Known:
    """Reads what the training set does not hold from the stored signals."""
    run = RunFolder(training.run)
    files = np.full(len(training.doc_ids), -1, np.int32)
    originals = training.doc_ids.astype(np.int64)
    names: dict[str, int] = {}
    columns: set[str] = set()
    for shard in range(len(load_plan(run.path).shards)):
        for table in signal_tables(run, shard, WANTED):
            columns.update(table.column_names)
            at, rows = _matched(training, table)
            files[at] = _numbered(table.column("file"), names)[rows]
            if "exact_duplicate_of" in table.column_names:
                first = table.column("exact_duplicate_of").cast(pa.int64())
                has = ~first.is_null().to_numpy()[rows]
                originals[at[has]] = first.fill_null(0).to_numpy()[rows][has]
    documents = Documents(
        training.lengths,
        training.sources,
        training.source_names,
        files,
        shared(originals),
        shared(training.clusters),
    )
    return Known(documents, frozenset(columns))


def shared(keys: NDArray[np.int64]) -> NDArray[np.int32]:
    """Returns for each key a number, from 0, that those with the same key share; -1 where no other has it."""
    _, places, counts = np.unique(keys, return_inverse=True, return_counts=True)
    numbers = np.full(len(counts), -1, np.int32)
    several = counts > 1
    numbers[several] = np.arange(int(several.sum()), dtype=np.int32)
    return np.asarray(numbers[places])


def _matched(training: TrainingSet, table: pa.Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the places in the training set of a table's documents, and their rows; doc_ids ascend in both."""
    doc_ids = table.column("doc_id").to_numpy()
    at = np.minimum(np.searchsorted(training.doc_ids, doc_ids), len(training.doc_ids) - 1)
    rows = np.flatnonzero(training.doc_ids[at] == doc_ids)
    return at[rows], rows


def _numbered(files: Any, names: dict[str, int]) -> NDArray[np.int32]:
    encoded = files.combine_chunks().dictionary_encode()
    numbers = np.array([names.setdefault(name, len(names)) for name in encoded.dictionary.to_pylist()], np.int32)
    return np.asarray(numbers[encoded.indices.to_numpy(zero_copy_only=False)])
