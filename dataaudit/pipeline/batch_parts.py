"""Which documents make a batch unusual, and by how much."""

import numpy as np
from numpy.typing import NDArray

from dataaudit.pipeline.batch_families import DUPLICATES
from dataaudit.pipeline.batch_risk import BatchRisks, Held, Measure
from dataaudit.pipeline.training_set import TrainingSet


class BatchParts:
    """Attributes what is unusual about a batch to its documents.

    Each family of measures counts by the square of log10 of its least share, as in ``BatchRisk.unusual``. Of a maximum,
    all goes to the documents that reach it; of a mean, each document's part is what it holds of the batch times how far
    its value lies above the training set's median; of duplicates, to the documents of a cluster that is there more than
    once; of sources, to the documents of those that the batch holds more of than the training set does.
    """

    def __init__(self, documents: TrainingSet, risks: BatchRisks) -> None:
        self._documents, self._risks = documents, risks
        self._medians = np.array([_median(documents.values[:, at]) for at in range(len(documents.signals))])
        weights = np.bincount(documents.sources, documents.lengths, len(documents.source_names))
        self._shares = weights / max(weights.sum(), 1)

    def of_batch(self, row: int, held: Held) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Returns the documents of one batch, how much of each it holds, and their parts; largest part first.

        Parts sum to 1; they are equal where nothing is unusual. Ties go to the document that comes first.
        """
        found, place = np.unique(held.spans.documents, return_inverse=True)
        sizes = np.bincount(place, held.sizes, len(found)).astype(np.int64)
        parts = np.zeros(len(found))
        for measure, reason in self._risks.reasons(row):
            weight = np.log10(reason.share) ** 2
            if weight > 0:
                parts += weight * self._of_measure(measure, found, sizes, held)
        total = parts.sum()
        parts = parts / total if total > 0 else np.full(len(found), 1 / max(len(found), 1))
        order = np.lexsort((found, -parts))
        return found[order], sizes[order], parts[order]

    def _of_measure(
        self, measure: Measure, found: NDArray[np.int64], sizes: NDArray[np.int64], held: Held
    ) -> NDArray[np.float64]:
        if measure.signal is not None:
            values = self._documents.values[found, measure.signal].astype(np.float64)
            if measure.is_maximum:
                raw = (values == np.nanmax(values)).astype(np.float64)
            else:
                raw = sizes * np.nan_to_num(np.maximum(values - self._medians[measure.signal], 0))
        elif measure.family == DUPLICATES:
            raw = self._repeated(found, held)
        else:
            raw = self._over_represented(found, sizes)
        total = raw.sum()
        return np.asarray(raw / total if total > 0 else raw)

    def _repeated(self, found: NDArray[np.int64], held: Held) -> NDArray[np.float64]:
        begun = held.spans.documents[held.spans.starts == 0]
        clusters, counts = np.unique(self._documents.clusters[begun], return_counts=True)
        return np.isin(self._documents.clusters[found], clusters[counts > 1]).astype(np.float64)

    def _over_represented(self, found: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        sources = self._documents.sources[found]
        in_batch = np.bincount(sources, sizes, len(self._shares)) / max(sizes.sum(), 1)
        return np.asarray(sizes * np.maximum(in_batch - self._shares, 0)[sources])


def _median(values: NDArray[np.float32]) -> float:
    defined = values[~np.isnan(values)]
    return float(np.median(defined)) if len(defined) else 0.0


def document_shares(documents: TrainingSet, wanted: NDArray[np.int64]) -> NDArray[np.float64]:
    """Returns for documents and each signal the share of the training set with this value or a larger one.

    float64[wanted, signals]; NaN where undefined.
    """
    shares = np.full((len(wanted), len(documents.signals)), np.nan)
    for at in range(len(documents.signals)):
        column = documents.values[:, at]
        ascending = np.sort(column[~np.isnan(column)])
        mine = column[wanted]
        defined = ~np.isnan(mine)
        below = np.searchsorted(ascending, mine[defined], "left")
        shares[defined, at] = (len(ascending) - below) / len(column)
    return shares
