"""Lengths, sources and series of windows."""

import math

import numpy as np
import pytest
import ruptures
from scipy import stats

from dataaudit.drift.change_points import changes, cusum, noise_variance, pelt, robust_z
from dataaudit.drift.length_drift import concentration, length_drift, mean_log_length
from dataaudit.drift.mixture import mixture_drift, runs_test
from dataaudit.drift.shape import shape, zipf_slope


def histograms(first: list[int], second: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    lengths = np.unique([*first, *second])
    return lengths, *(np.array([each.count(length) for length in lengths.tolist()]) for each in (first, second))


def test_lengths_as_scipy_has_them():
    first, second = [1, 2, 2, 3, 5, 8, 13], [2, 3, 5, 8, 8, 21, 34, 55]
    found = length_drift(*histograms(first, second))
    assert found.distance == 0.375
    assert found.wasserstein == pytest.approx(12.142857, abs=1e-6)
    rng = np.random.default_rng(2)
    left, right = rng.poisson(20, 3000), rng.poisson(20.5, 5000)
    expected = stats.ks_2samp(left, right, method="asymp")
    found = length_drift(*histograms(left.tolist(), right.tolist()))
    assert found.distance == pytest.approx(expected.statistic)
    assert found.wasserstein == pytest.approx(stats.wasserstein_distance(left, right))
    n = 3000 * 5000 / 8000
    assert found.p_value == pytest.approx(
        stats.kstwobign.sf(found.distance * (math.sqrt(n) + 0.12 + 0.11 / math.sqrt(n)))
    )


def test_equal_lengths_do_not_drift():
    lengths, ones = np.array([4, 9]), np.array([5, 5])
    assert length_drift(lengths, ones, 3 * ones) == (0, 1, 0, 0, 1)
    assert length_drift(lengths, ones, 0 * ones) is None
    assert length_drift(np.array([7]), np.array([1]), np.array([1])).distance == 0
    assert mean_log_length(lengths, 0 * ones) is None
    assert mean_log_length(lengths, ones) == pytest.approx((math.log(5) + math.log(10)) / 2)


def test_a_mixture_is_compared_with_its_plan():
    found = mixture_drift([800, 200], 100, [0.7, 0.3])
    assert found.largest_difference == pytest.approx(0.1)
    assert found.p_value == pytest.approx(stats.chisquare([80, 20], [70, 30]).pvalue)
    assert mixture_drift([7, 3], 10, [70, 30]).largest_difference == pytest.approx(0)
    assert mixture_drift([1, 1], 2, [1, 0]).p_value == 0
    assert mixture_drift([5], 5, [1]) == (0, 0, 1)
    assert mixture_drift([0], 1, [1]) is None
    assert mixture_drift([1], 0.0, [1]) is None
    assert mixture_drift([1], 1, [0]) is None


def test_the_share_of_a_source_varies_as_that_of_so_many_effective_documents():
    """Documents of very unequal length from two sources: p is uniform, where the number of documents would alarm."""
    rng = np.random.default_rng(3)
    weights = rng.lognormal(5, 1.5, (400, 300)).astype(np.int64) + 1
    found, naive = [], []
    for row in weights:
        lengths, documents = np.unique(row, return_counts=True)
        first = row[rng.random(len(row)) < 0.4].sum()
        shares = [int(first), int(row.sum() - first)], [0.4, 0.6]
        found.append(mixture_drift(shares[0], concentration(lengths, documents).effective_documents, shares[1]).p_value)
        naive.append(mixture_drift(shares[0], len(row), shares[1]).p_value)
    assert np.mean(np.array(found) < 0.05) == pytest.approx(0.05, abs=0.03)
    assert np.mean(np.array(naive) < 0.05) > 0.3


def test_unequal_documents_count_as_fewer():
    lengths = np.array([0, 10, 1000])
    found = concentration(lengths, np.array([5, 200, 2]))
    weights = np.repeat(lengths, [5, 200, 2])
    assert found.effective_documents == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert found.longest_share == 1000 / 4000
    assert concentration(lengths, np.array([0, 7, 0])) == (7, 1 / 7)
    assert concentration(lengths, np.array([3, 0, 0])) is None
    huge = concentration(np.array([1, 1 << 62]), np.array([1, 3]))
    assert huge.effective_documents == pytest.approx(3)


@pytest.mark.parametrize("documents", [[50, 47], [30, 20, 5], [3, 4, 5], [2, 2]])
def test_runs_of_sources_against_simulation(documents):
    rng = np.random.default_rng(4)
    labels = np.repeat(np.arange(len(documents)), documents)
    runs = [1 + int((np.diff(rng.permutation(labels)) != 0).sum()) for _ in range(20_000)]
    found = runs_test(runs[0], documents)
    assert found.expected == pytest.approx(np.mean(runs), rel=0.01)
    assert found.deviation**2 == pytest.approx(np.var(runs), rel=0.05)
    assert runs_test(1, [1]) is None
    assert runs_test(1, [9]).z is None


def steps(seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(0, 1, 60), rng.normal(4, 1, 40), rng.normal(1, 1, 50)])


@pytest.mark.parametrize("seed", range(12))
def test_pelt_is_that_of_ruptures(seed):
    values = steps(seed) if seed % 2 else np.random.default_rng(seed).normal(0, 1, 80)
    for penalty in (1.0, 5.0, 20.0):
        expected = ruptures.Pelt(model="l2", min_size=5, jump=1).fit(values).predict(pen=penalty)[:-1]
        assert pelt(values.tolist(), penalty) == expected


def test_changes_are_found_where_they_are():
    found = changes(steps().tolist())
    assert found == pytest.approx([60, 100], abs=2)
    assert changes([1.0] * 30) == []
    assert changes([1.0] * 20 + [2.0] * 20) == [20]
    assert changes([1.0, 5.0]) == []
    assert changes([]) == []
    assert noise_variance([1.0]) == 0


def test_cusum_names_the_start_and_the_direction():
    z = robust_z(steps().tolist())
    alarm = cusum(z)[0]
    assert alarm.up
    assert alarm.start == pytest.approx(60, abs=2)
    assert alarm.start <= alarm.window
    assert cusum(-z)[0].up is False
    assert robust_z([3.0] * 9) is None
    assert robust_z([]) is None
    assert robust_z([0.0] * 9 + [1.0])[-1] > 5


@pytest.mark.parametrize(("limit", "expected"), [(4, 335.4), (5, 930.9)])
def test_false_alarms_of_cusum_are_as_rare_as_published(limit, expected):
    rng = np.random.default_rng(8)
    lengths = []
    for _ in range(400):
        level, steps_taken = 0.0, 0
        while level <= limit:
            block = rng.normal(0, 1, 4096)
            alarms = [alarm for alarm in cusum(block, 0.5, limit) if alarm.up]
            steps_taken += alarms[0].window + 1 if alarms else len(block)
            if alarms:
                break
        lengths.append(steps_taken)
    assert np.mean(lengths) == pytest.approx(expected, rel=0.15)


def test_zipf_of_a_zipf_law_is_minus_one():
    counts = (1e7 / np.arange(1, 20_001)).astype(np.int64)
    assert zipf_slope(counts) == pytest.approx(-1, abs=0.01)
    found = shape(np.array([4, 4, 0]))
    assert (found.tokens, found.types, found.type_token_ratio) == (8, 2, 0.25)
    assert found.perplexity == pytest.approx(2)
    assert found.zipf_slope is None
    assert shape(np.zeros(3, np.int64)) == (0, 0, None, None, None, None)
