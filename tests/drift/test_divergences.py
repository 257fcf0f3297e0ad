"""Distances between counts, against published values and SciPy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from scipy.spatial import distance

from dataaudit.drift.divergences import (
    goodness_g,
    hellinger,
    jensen_shannon,
    kl_pooled,
    kl_smoothed,
    psi,
    total_variation,
    two_sample_g,
)
from dataaudit.drift.multiple import benjamini_hochberg
from dataaudit.drift.special import chi_square_sf, kolmogorov_sf, normal_sf

P, Q = np.array([36, 48, 16]), np.array([10, 10, 10])
"""The example of the Kullback-Leibler divergence on Wikipedia, in hundredths."""
NONE = np.zeros(3, np.int64)
COUNTS = st.lists(st.integers(0, 50), min_size=4, max_size=4).map(lambda row: np.array(row, np.int64))


def test_published_values():
    assert goodness_g(P, Q) / 200 == pytest.approx(0.0852996, abs=1e-7)
    assert goodness_g(Q, P) / 60 == pytest.approx(0.0974550, abs=1e-7)
    assert jensen_shannon(P, Q) == pytest.approx(0.0224599, abs=1e-7)
    assert math.sqrt(jensen_shannon(P, Q)) == pytest.approx(0.1498661, abs=1e-7)
    assert jensen_shannon(P, Q) / math.log(2) == pytest.approx(0.0324027, abs=1e-7)
    assert psi(P, Q)[0] == pytest.approx(0.1827546, abs=1e-7)
    assert hellinger(P, Q) == pytest.approx(0.1504983, abs=1e-7)
    assert total_variation(P, Q) == pytest.approx(0.1733333, abs=1e-7)


def test_g_is_that_of_scipy_and_twice_the_weighted_jensen_shannon():
    first, second = np.array([10, 10, 20]), np.array([20, 20, 20])
    found = two_sample_g(first, second)
    assert found == pytest.approx(2.768858761678132, rel=1e-12)
    expected = stats.chi2_contingency([first, second], lambda_="log-likelihood", correction=False)
    assert (found, chi_square_sf(found, 2)) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)
    observed = goodness_g(np.array([16, 18, 16, 14, 12, 12]), np.ones(6, np.int64))
    assert observed == pytest.approx(2.006573162632538, rel=1e-9)
    assert chi_square_sf(observed, 5) == pytest.approx(0.84823476779463769, rel=1e-9)


@given(COUNTS, COUNTS)
def test_every_distance_is_finite_and_in_its_range(first, second):
    if not first.sum() or not second.sum():
        assert jensen_shannon(first, second) is None
        return
    assert 0 <= kl_pooled(first, first + second) <= math.log((first + second).sum() / first.sum()) + 1e-12
    assert math.isfinite(kl_smoothed(first, second, 4))
    assert 0 <= jensen_shannon(first, second) <= math.log(2)
    assert 0 <= hellinger(first, second) <= 1
    assert 0 <= total_variation(first, second) <= 1
    assert two_sample_g(first, second) >= 0
    value, p_value = psi(first, second)
    assert value >= 0
    assert 0 <= p_value <= 1


@given(COUNTS, COUNTS)
def test_distances_are_those_of_scipy(first, second):
    if not first.sum() or not second.sum():
        return
    p, q = first / first.sum(), second / second.sum()
    assert jensen_shannon(first, second) == pytest.approx(distance.jensenshannon(p, q) ** 2, abs=1e-7)
    smooth = (second + 0.5) / (second.sum() + 2)
    assert kl_smoothed(first, second, 4) == pytest.approx(special.rel_entr(p, smooth).sum(), abs=1e-9)
    whole = (first + second) / (first + second).sum()
    assert kl_pooled(first, first + second) == pytest.approx(special.rel_entr(p, whole).sum(), abs=1e-9)


def test_nothing_gives_none():
    for function in (two_sample_g, goodness_g, jensen_shannon, hellinger, total_variation, psi):
        assert function(NONE, P) is None
        assert function(P, NONE) is None
    assert kl_smoothed(NONE, P, 3) is None
    assert kl_smoothed(P, NONE, 3) is None
    assert kl_pooled(NONE, P) is None
    assert goodness_g(P, np.array([1, 0, 1])) is None


def test_disjoint_counts_are_as_far_apart_as_can_be():
    first, second = np.array([5, 0]), np.array([0, 3])
    assert jensen_shannon(first, second) == pytest.approx(math.log(2), rel=1e-12)
    assert hellinger(first, second) == total_variation(first, second) == 1
    assert kl_pooled(first, first + second) == pytest.approx(math.log(8 / 5))


def test_psi_refuses_many_bins():
    with pytest.raises(ValueError, match="at most 20 bins"):
        psi(np.ones(21, np.int64), np.ones(21, np.int64))


@pytest.mark.parametrize("degrees", [1, 2, 5, 30, 300])
@pytest.mark.parametrize("x", [0.0, 1e-6, 0.5, 3.0, 30.0, 299.0, 305.0, 900.0])
def test_chi_square_is_that_of_scipy(x, degrees):
    assert chi_square_sf(x, degrees) == pytest.approx(stats.chi2.sf(x, degrees), rel=1e-9, abs=1e-14)


def test_kolmogorov_and_normal_are_those_of_scipy():
    for x in (0.0, 0.05, 0.2, 0.5, 0.99, 1.0, 1.2238, 1.3581, 1.6276, 3.0, 20.0):
        assert kolmogorov_sf(x) == pytest.approx(stats.kstwobign.sf(x), rel=1e-9, abs=1e-14)
        assert normal_sf(x) == pytest.approx(stats.norm.sf(x), rel=1e-9)
    assert [round(kolmogorov_sf(x), 4) for x in (1.3581, 1.6276, 1.2238)] == [0.05, 0.01, 0.1]


PUBLISHED = [
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459),
    *(0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1),
]


def test_benjamini_and_hochberg_own_example():
    found = benjamini_hochberg(PUBLISHED)
    assert sum(value <= 0.05 for value in found) == 4
    assert [round(value, 4) for value in found[:5]] == [0.0015, 0.003, 0.0095, 0.0356, 0.0603]
    assert found == pytest.approx(stats.false_discovery_control(PUBLISHED))
    assert benjamini_hochberg([None, *reversed(PUBLISHED)]) == [None, *reversed(found)]
    assert benjamini_hochberg([]) == []
