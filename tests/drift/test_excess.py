"""``kl_excess``: nothing on parts of one corpus, the true divergence on others."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataaudit.drift.excess import g_null_mean, part_drift, reference_drift, split_half_ratio
from dataaudit.drift.null_table import binomial_moments, poisson_g_moments

IDS = 50_257
ZIPF = 1 / (np.arange(IDS) + 3.7)
ZIPF /= ZIPF.sum()


def draw(seed: int, tokens: int, shares: np.ndarray = ZIPF) -> np.ndarray:
    return np.random.default_rng(seed).multinomial(tokens, shares)


@pytest.mark.parametrize(("tokens", "mean", "deviation"), [(10**4, 0.901, 0.0089), (10**5, 0.237, 0.0011)])
def test_the_null_mean_against_an_exact_reference(tokens, mean, deviation):
    drift = reference_drift(draw(1, tokens), (ZIPF * 1e13).astype(np.int64), IDS)
    assert drift.null_mean == pytest.approx(mean, abs=0.001)
    assert abs(drift.kl - drift.null_mean) < 4 * deviation


def test_a_part_of_the_same_corpus_has_no_excess():
    for seed in range(3):
        part, rest = draw(seed, 60_000), draw(seed + 100, 1_000_000)
        drift = part_drift(part, part + rest, IDS)
        assert drift.kl > 0.2
        assert abs(drift.kl - drift.null_mean) < 4.5 * drift.null_deviation < 0.02


def test_also_with_a_large_vocabulary():
    shares = 1 / (np.arange(128_000) + 3.7)
    part, rest = draw(5, 60_000, shares / shares.sum()), draw(6, 2_000_000, shares / shares.sum())
    drift = part_drift(part, part + rest, 128_000)
    assert abs(drift.kl - drift.null_mean) < 0.02


@pytest.mark.parametrize("weight", [0.1, 0.4])
def test_the_excess_is_the_true_divergence(weight):
    other = np.random.default_rng(9).permutation(ZIPF)
    mixed = (1 - weight) * ZIPF + weight * other
    truth = float((mixed * np.log(mixed / ZIPF)).sum())
    part, rest = draw(11, 400_000, mixed), draw(12, 8_000_000)
    drift = part_drift(part, part + rest, IDS)
    assert drift.kl - drift.null_mean == pytest.approx(truth, rel=0.02)
    assert math.fsum(drift.terms.tolist()) == pytest.approx(drift.kl - drift.null_mean, abs=1e-4)


def test_the_null_moments_are_those_of_dealing_tokens_out():
    """Every deal of the same tokens is as likely: the urn itself says what mean and deviation are."""
    rng = np.random.default_rng(3)
    corpus = draw(21, 40_000)[draw(21, 40_000) > 0]
    n = 4000
    found = [part_drift(rng.multivariate_hypergeometric(corpus, n), corpus, len(corpus)) for _ in range(150)]
    kl = np.array([each.kl for each in found])
    assert kl.mean() == pytest.approx(found[0].null_mean, abs=4 * found[0].null_deviation / math.sqrt(150))
    assert kl.std() == pytest.approx(found[0].null_deviation, rel=0.25)
    halves = [rng.multivariate_hypergeometric(corpus, n) for _ in range(60)]
    ratios = [split_half_ratio(half, corpus - half) for half in halves]
    assert np.mean(ratios) == pytest.approx(1, abs=0.002)


def test_large_counts_interpolate_what_is_exact():
    counts = np.arange(300, 600, dtype=np.int64)

    def summand(x, c):
        return x * np.log(np.maximum(x, 1) / c)

    whole = binomial_moments(counts, 0.1, summand)
    for place in (0, 77, 299):
        alone = binomial_moments(counts[place : place + 1], 0.1, summand)
        assert whole.mean[place] == pytest.approx(alone.mean[0], rel=1e-6)
        assert whole.variance[place] == pytest.approx(alone.variance[0], rel=1e-4)


def test_the_grid_agrees_with_every_outcome():
    def summand(x, c):
        return 2 * (x * np.log(np.maximum(x, 1) / (c * 0.3)) - x + c * 0.3)

    small = binomial_moments(np.array([256]), 0.3, summand)
    large = binomial_moments(np.array([257]), 0.3, summand)
    for one, other in zip(small, large, strict=True):
        assert one[0] == pytest.approx(other[0], rel=0.01)
    huge = binomial_moments(np.array([10**11]), 0.3, summand)
    assert huge.mean[0] == pytest.approx(0.7, rel=1e-3)


def test_the_published_poisson_table():
    rates = np.array([0.01, 0.1, 0.5, 1, 2, 5, 10, 100])
    mean, variance = poisson_g_moments(rates)
    assert mean == pytest.approx(
        [0.092242, 0.474098, 1.007018, 1.146806, 1.139404, 1.046677, 1.018829, 1.001684], abs=1e-6
    )
    assert variance == pytest.approx(
        [0.524264, 0.860402, 0.729669, 1.364602, 2.232975, 2.266783, 2.087687, 2.006804], abs=1e-6
    )
    below, above = (poisson_g_moments(np.array([rate])) for rate in (256.0, 256.0001))
    assert below[0][0] == pytest.approx(above[0][0], abs=1e-7)
    assert below[1][0] == pytest.approx(above[1][0], abs=1e-4)


COUNTS = st.lists(st.integers(0, 400), min_size=3, max_size=6).map(lambda row: np.array(row, np.int64))


@given(COUNTS, st.randoms(use_true_random=False))
def test_any_counts_give_finite_numbers_or_none_in_any_order(counts, random):
    rest = np.roll(counts, 1)
    drift = part_drift(counts, counts + rest, len(counts))
    ratio = split_half_ratio(counts, rest)
    if not counts.sum():
        assert drift is None
        assert ratio is None
        return
    assert all(map(math.isfinite, drift[:3]))
    assert ratio is None or 0 <= ratio < math.inf
    order = list(range(len(counts)))
    random.shuffle(order)
    again = part_drift(counts[order], (counts + rest)[order], len(counts))
    assert again[:3] == drift[:3]


def test_edges_are_defined():
    one, none = np.array([1, 0]), np.array([0, 0])
    assert part_drift(one, one, 2) is None, "a single part has no others"
    assert part_drift(none, one, 2) is None
    assert part_drift(none, none, 2) is None
    alone = part_drift(one, np.array([1, 1]), 2)
    assert math.isfinite(alone.kl)
    assert math.isfinite(alone.null_mean)
    assert split_half_ratio(one, none) is None
    assert g_null_mean(none, none) is None
    assert reference_drift(one, none, 2) is None
    assert reference_drift(none, one, 2) is None
    assert math.isfinite(reference_drift(one, np.array([0, 7]), 2).kl)


def test_identical_parts_have_raw_divergence_but_no_excess():
    part = draw(31, 60_000)
    drift = part_drift(part, 20 * part, IDS)
    assert drift.kl - drift.null_mean < 0
