"""How unusual each batch of a training run is among all of them. It says where to look, not what the cause is."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.batches import measure_batches
from dataaudit.order import Block, Order, Packing, Spans
from dataaudit.pipeline.batch_families import DUPLICATE_RATIO, DUPLICATES, FAMILY_OF, SOURCE_DISTANCE, SOURCES
from dataaudit.pipeline.training_set import TrainingSet
from dataaudit.trace_result import Reason


class Measure(NamedTuple):
    """A measure of batches: its name and family, the signal's column, and whether it is the maximum (or the mean)."""

    name: str
    family: str
    signal: int | None = None
    is_maximum: bool = False


class Held(NamedTuple):
    """What batches hold: pieces of documents.

    Attributes:
        offsets: int64[batches + 1], where each batch starts in the rest.
        spans: pieces; their places count samples from the first of the first batch.
    """

    offsets: NDArray[np.int64]
    spans: Spans

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Tokens of each piece."""
        return self.spans.stops - self.spans.starts


class BatchRisks(NamedTuple):
    """Every batch of a run, measured; about 8 bytes a step and measure.

    Attributes:
        steps: int64[n].
        measures: the columns of the next two.
        values: float32[n, measures], NaN where no document of the batch has a value.
        shares: float32[n, measures], share of all batches with this value or a larger one; 1 where NaN.
        unusual: float64[n], see ``BatchRisk.unusual``.
    """

    steps: NDArray[np.int64]
    measures: list[Measure]
    values: NDArray[np.float32]
    shares: NDArray[np.float32]
    unusual: NDArray[np.float64]

    def place_of(self, step: int) -> int | None:
        """Returns the row of a step, or None."""
        at = int(np.searchsorted(self.steps, step))
        return at if at < len(self.steps) and self.steps[at] == step else None

    def reasons(self, row: int) -> list[tuple[Measure, Reason]]:
        """Returns the measure with the least share of each family, least share first."""
        best: dict[str, tuple[float, int]] = {}
        for at, measure in enumerate(self.measures):
            share = float(self.shares[row, at])
            if measure.family not in best or share < best[measure.family][0]:
                best[measure.family] = share, at
        found = []
        for share, at in sorted(best.values()):
            measure, value = self.measures[at], float(self.values[row, at])
            if not np.isnan(value):
                found.append((measure, Reason(measure.name, measure.family, value, share)))
        return found


def held_by(block: Block, packing: Packing) -> Held:
    """Returns what the batches of a block hold."""
    spans = packing.spans(block.samples)
    return Held(np.searchsorted(spans.places, block.offsets), spans)


def measure_order(order: Order, packing: Packing, documents: TrainingSet) -> BatchRisks:
    """Measures every batch of an order, a block of steps at a time."""
    measures = _measures(documents)
    weights = np.bincount(documents.sources, documents.lengths, len(documents.source_names))
    shares = weights / weights.sum() if weights.sum() else np.full(len(weights), 1 / len(weights))
    steps, values = [], []
    for block in order.blocks(order.first, order.last):
        held = held_by(block, packing)
        steps.append(block.steps)
        values.append(_values(held, documents, shares, measures))
    all_steps, all_values = np.concatenate(steps), np.concatenate(values)
    tail = _tail_shares(all_values)
    return BatchRisks(all_steps, measures, all_values, tail, _unusual(tail, measures))


def _measures(documents: TrainingSet) -> list[Measure]:
    found = []
    for at, name in enumerate(documents.signals):
        found.append(Measure(f"{name} max", FAMILY_OF[name], at, is_maximum=True))
        found.append(Measure(f"{name} mean", FAMILY_OF[name], at))
    found.append(Measure(DUPLICATE_RATIO, DUPLICATES))
    if len(documents.source_names) > 1:
        found.append(Measure(SOURCE_DISTANCE, SOURCES))
    return found


def _values(
    held: Held, documents: TrainingSet, shares: NDArray[np.float64], measures: list[Measure]
) -> NDArray[np.float32]:
    spans = held.spans
    found = measure_batches(held.offsets, spans.documents, held.sizes, documents.values, documents.sources, shares)
    values = np.empty((len(held.offsets) - 1, len(measures)), np.float32)
    for at, measure in enumerate(measures):
        if measure.signal is not None:
            values[:, at] = (found.maxima if measure.is_maximum else found.means)[:, measure.signal]
        elif measure.family == DUPLICATES:
            values[:, at] = _duplicate_ratios(held, documents)
        else:
            values[:, at] = found.source_distance
    return values


def _duplicate_ratios(held: Held, documents: TrainingSet) -> NDArray[np.float32]:
    """Returns the share of the documents that begin in a batch which are like one that begins there before."""
    batches = np.repeat(np.arange(len(held.offsets) - 1), np.diff(held.offsets))
    begins = held.spans.starts == 0
    batches, clusters = batches[begins], documents.clusters[held.spans.documents[begins]]
    order = np.lexsort((clusters, batches))
    batches, clusters = batches[order], clusters[order]
    again = np.zeros(len(batches), np.bool_)
    again[1:] = (batches[1:] == batches[:-1]) & (clusters[1:] == clusters[:-1])
    count = len(held.offsets) - 1
    begun, copies = np.bincount(batches, minlength=count), np.bincount(batches[again], minlength=count)
    ratios = np.divide(copies, begun, out=np.full(count, np.nan), where=begun > 0)
    return np.asarray(ratios, np.float32)


def _tail_shares(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Returns for each value the share of its column that is at least as large; NaN counts as the smallest."""
    shares = np.ones(values.shape, np.float32)
    for at in range(values.shape[1]):
        column = values[:, at]
        defined = ~np.isnan(column)
        ascending = np.sort(column[defined])
        below = np.searchsorted(ascending, column[defined], "left")
        shares[defined, at] = (len(ascending) - below) / len(column)
    return shares


def _unusual(shares: NDArray[np.float32], measures: list[Measure]) -> NDArray[np.float64]:
    """Returns the root mean square over families, in which one family far out counts more than several that are not."""
    families = list(dict.fromkeys(measure.family for measure in measures))
    total = np.zeros(len(shares))
    for family in families:
        columns = [at for at, measure in enumerate(measures) if measure.family == family]
        total += np.log10(shares[:, columns].min(axis=1)) ** 2
    return np.sqrt(total / len(families))
