"""Distances of binned distributions: bins that meet, KS and JSD against oracles, the noise floor by simulation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from dataaudit.comparison.distributions import aligned, distance
from dataaudit.result import SignalSummary
from dataaudit.sketches.histograms import bin_edges


def summary(name: str, values: list[float], *, is_integer: bool = False) -> SignalSummary:
    """The histogram of values as a report holds it: from the first filled bin to the last."""
    edges = bin_edges(name, is_integer=is_integer)
    bins = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    first, last = (int(bins.min()), int(bins.max())) if len(bins) else (0, -1)
    return SignalSummary(
        unit="x",
        nan_count=0,
        min=None,
        max=None,
        bin_edges=[float(each) for each in edges[first : last + 2]] if len(bins) else [],
        hist=np.bincount(bins - first, minlength=last - first + 1).tolist() if len(bins) else [],
        token_hist=[],
    )


counts = st.lists(st.integers(0, 5000), max_size=40)


@settings(deadline=None)
@given(counts, counts)
def test_bins_that_meet_hold_every_document_in_its_bin(old: list[int], new: list[int]) -> None:
    found = aligned(summary("n", old, is_integer=True), summary("n", new, is_integer=True))
    assert found is not None
    edges = bin_edges("n", is_integer=True)
    both = np.array([np.histogram(side, edges)[0] for side in (old, new)])
    filled = both.any(axis=0)
    assert [side[(found.old + found.new) > 0].tolist() for side in found[1:]] == [
        side[filled].tolist() for side in both
    ]
    assert [int(side.sum()) for side in found[1:]] == [len(old), len(new)]


def test_other_bins_are_not_compared() -> None:
    assert aligned(summary("n", [3, 70], is_integer=True), summary("n", [3.5, 70.0])) is None
    apart = aligned(summary("n", [1], is_integer=True), summary("n", [900], is_integer=True))
    assert apart is not None
    assert distance(apart.old, apart.new).distance == 1


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.lists(st.integers(0, 9), min_size=1, max_size=60))
def test_ks_by_its_definition_and_jsd_as_scipy_has_it(old: list[int], new: list[int]) -> None:
    found = distance(np.bincount(old, minlength=10), np.bincount(new, minlength=10))
    steps = [sum(v <= at for v in old) / len(old) - sum(v <= at for v in new) / len(new) for at in range(10)]
    assert found.distance == pytest.approx(max(map(abs, steps)), abs=1e-12)
    shares = [np.bincount(side, minlength=10) / len(side) for side in (old, new)]
    assert found.jensen_shannon == pytest.approx(float(jensenshannon(*shares)) ** 2, abs=1e-9)
    assert 0 <= found.jensen_shannon <= math.log(2)


def test_nothing_to_compare_is_none() -> None:
    assert distance(np.array([0, 0]), np.array([1, 2])) is None


@pytest.mark.parametrize(("old_size", "new_size"), [(300, 300), (400, 4000), (5000, 1000)])
def test_the_noise_floor_is_the_mean_divergence_of_two_samples(old_size: int, new_size: int) -> None:
    rng = np.random.default_rng(11)
    shares = 1 / np.arange(1, 41) ** 1.5
    shares /= shares.sum()
    drawn = [distance(rng.multinomial(old_size, shares), rng.multinomial(new_size, shares)) for _ in range(200)]
    simulated = np.mean([each.jensen_shannon for each in drawn])
    assert np.mean([each.noise_floor for each in drawn]) == pytest.approx(simulated, rel=0.12)
