"""Histograms of the signals, by source, in bins that are the same for every shard."""

from functools import cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.histogram import bins_of, fill
from dataaudit.sketches.grouped import Column, GroupedTable

RATIO_BINS = 60
_KEYS = (pa.field("source", pa.large_string()), pa.field("signal", pa.large_string()), pa.field("bin", pa.int32()))
_COLUMNS = (
    Column("documents", pa.int64(), "sum"),
    Column("weight", pa.int64(), "sum"),
    Column("minimum", pa.float64(), "min"),
    Column("maximum", pa.float64(), "max"),
)


@cache
def bin_edges(signal: str, *, is_integer: bool) -> NDArray[np.float64]:
    """Returns the bin edges of a signal, ascending; bin k holds edges[k] ≤ value < edges[k + 1].

    Values outside the edges are in the first or the last bin.

    - a name that ends in ``_ratio``: 60 equal bins from 0 to 1.
    - other whole numbers: 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, ... to 2**62, and the same below 0.
    - other numbers: 8 equal bins in each doubling from 2**-10 to 2**40, one from 0 to the first, and the same below 0.
    """
    if signal.endswith("_ratio"):
        return np.arange(RATIO_BINS + 1) / RATIO_BINS
    if is_integer:
        doublings = 2.0 ** np.arange(62)
        above = np.unique(np.concatenate([[1.0], 2 * doublings, 1.5 * doublings[1:]]))
    else:
        above = np.outer(2.0 ** np.arange(-10, 40), np.arange(8, 16) / 8).ravel()
    return np.concatenate([-above[::-1], [0.0], above])


class SignalHistograms:
    """Documents, and their weight, by source, signal and bin.

    The weight of a document is its length in tokens (characters without a tokenizer). Undefined values have the bin
    null. Minimum and maximum are kept by bin.
    """

    def __init__(self) -> None:
        self._rows = GroupedTable(_KEYS, _COLUMNS)

    def update(self, sources: pa.Array, weights: NDArray[np.int64], signals: pa.RecordBatch) -> None:
        """Adds a batch: the source and the weight of each document, and a numeric column a signal.

        NaN counts as undefined.
        """
        coded = sources.dictionary_encode()
        codes, names = coded.indices.to_numpy(zero_copy_only=False), coded.dictionary
        parts = [
            _histogram(signal, values, codes, names, weights)
            for signal, values in zip(signals.schema.names, signals.columns, strict=True)
        ]
        if parts:
            self._rows.add(pa.concat_tables(parts))

    def merge(self, other: "SignalHistograms") -> None:
        """Adds the documents of *other*."""
        self._rows.add(other.to_table())

    def to_table(self) -> pa.Table:
        """Returns a row a source, signal and bin that holds documents; sorted, the bin null last.

        Columns ``source``, ``signal``, ``bin``, ``documents``, ``weight``, ``minimum``, ``maximum``.
        """
        return self._rows.table()

    @classmethod
    def from_table(cls, table: pa.Table) -> "SignalHistograms":
        """Reads what ``to_table`` gave; several such tables one after the other are merged."""
        found = cls()
        found._rows.add(table)
        return found


def _histogram(
    signal: str, values: pa.Array, codes: NDArray[np.int32], names: pa.Array, weights: NDArray[np.int64]
) -> pa.Table:
    edges = bin_edges(signal, is_integer=pa.types.is_integer(values.type))
    undefined = len(edges) - 1
    numbers = values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False) + 0.0  # no -0.0
    cells = codes.astype(np.int64) * (undefined + 1) + bins_of(edges, numbers)
    filled, places = _filled(cells, len(names) * (undefined + 1))
    found = fill(places, numbers, weights, len(filled))
    is_null = filled % (undefined + 1) == undefined
    return pa.table(
        {
            "source": names.take(pa.array(filled // (undefined + 1))),
            "signal": pa.repeat(pa.scalar(signal, pa.large_string()), len(filled)),
            "bin": pa.array(filled % (undefined + 1), pa.int32(), mask=is_null),
            "documents": found.documents,
            "weight": found.weight,
            "minimum": pa.array(found.minimum, mask=is_null),
            "maximum": pa.array(found.maximum, mask=is_null),
        }
    )


def _filled(cells: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the cells that hold documents, ascending, and the place of each document's cell among them."""
    if size > 2 * len(cells):
        filled, places = np.unique(cells, return_inverse=True)
        return filled, places
    filled = np.flatnonzero(np.bincount(cells, minlength=size))
    place_of = np.zeros(size, np.int64)
    place_of[filled] = np.arange(len(filled))
    return filled, place_of[cells]
