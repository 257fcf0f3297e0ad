"""Measures of batches against the same in plain Python."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataaudit.kernels.batches import measure_batches

SOURCES = 3
SIGNALS = 2
DOCUMENTS = 6
VALUES = st.floats(-100, 100, width=32) | st.just(math.nan)
PIECES = st.lists(st.tuples(st.integers(0, DOCUMENTS - 1), st.integers(0, 50)), max_size=6)


def in_python(batch, values, sources, shares):
    """Maxima, means and the distance of one batch."""
    maxima, means = [], []
    for signal in range(SIGNALS):
        known = [(values[number][signal], size) for number, size in batch if not math.isnan(values[number][signal])]
        maxima.append(max((value for value, _ in known), default=math.nan))
        total = sum(size for _, size in known)
        means.append(sum(value * size for value, size in known) / total if total else math.nan)
    total = sum(size for _, size in batch)
    if not total:
        return maxima, means, math.nan
    held = [sum(size for number, size in batch if sources[number] == source) / total for source in range(SOURCES)]
    return maxima, means, sum(abs(one - other) for one, other in zip(held, shares, strict=True)) / 2


@given(
    st.lists(PIECES, min_size=1, max_size=5),
    st.lists(st.lists(VALUES, min_size=SIGNALS, max_size=SIGNALS), min_size=DOCUMENTS, max_size=DOCUMENTS),
    st.lists(st.integers(0, SOURCES - 1), min_size=DOCUMENTS, max_size=DOCUMENTS),
    st.lists(st.integers(1, 9), min_size=SOURCES, max_size=SOURCES),
)
def test_batches_measure_as_in_plain_python(batches, values, sources, weights):
    shares = [weight / sum(weights) for weight in weights]
    pieces = [piece for batch in batches for piece in batch]
    found = measure_batches(
        np.cumsum([0, *map(len, batches)]),
        np.array([number for number, _ in pieces], np.int64),
        np.array([size for _, size in pieces], np.int64),
        np.array(values, np.float32),
        np.array(sources, np.int32),
        np.array(shares),
    )
    for at, batch in enumerate(batches):
        maxima, means, distance = in_python(batch, values, sources, shares)
        assert found.maxima[at].tolist() == pytest.approx(maxima, nan_ok=True)
        assert found.means[at].tolist() == pytest.approx(means, rel=1e-4, abs=1e-4, nan_ok=True)
        assert float(found.source_distance[at]) == pytest.approx(distance, abs=1e-6, nan_ok=True)
