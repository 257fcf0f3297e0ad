import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dataaudit.kernels.histogram import bins_of, fill
from dataaudit.sketches.histograms import bin_edges

EDGES = [bin_edges("a_ratio", is_integer=False), bin_edges("a", is_integer=True), bin_edges("a", is_integer=False)]
NUMBERS = st.floats(allow_nan=True, allow_infinity=True) | st.sampled_from([e for edges in EDGES for e in edges])


@given(st.sampled_from(EDGES), st.lists(NUMBERS, max_size=40), st.data())
def test_bins_are_those_of_searchsorted_and_hold_what_falls_in(edges, values, data):
    numbers = np.array(values, np.float64)
    weights = np.array(data.draw(st.lists(st.integers(0, 2**40), min_size=len(values), max_size=len(values))), np.int64)
    bins = bins_of(edges, numbers)
    expected = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, len(edges) - 2)
    expected[np.isnan(numbers)] = len(edges) - 1
    assert bins.tolist() == expected.tolist()
    found = fill(bins, numbers, weights, len(edges))
    for place in range(len(edges)):
        here = [i for i in range(len(values)) if bins[i] == place]
        assert found.documents[place] == len(here)
        assert found.weight[place] == sum(int(weights[i]) for i in here)
        known = [numbers[i] for i in here if not np.isnan(numbers[i])]
        assert found.minimum[place] == min(known, default=np.inf)
        assert found.maximum[place] == max(known, default=-np.inf)
