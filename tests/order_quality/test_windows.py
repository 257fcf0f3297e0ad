"""Runs of sources, mixtures of windows and autocorrelation, against scipy, numpy and simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_orders import documents, measured

from dataaudit.drift.mixture import runs_test
from dataaudit.order import PackingOptions, pack
from dataaudit.order_quality.autocorrelation import Autocorrelation
from dataaudit.order_quality.mixture import chance_of
from dataaudit.order_quality.samples import samples_of

RNG = np.random.default_rng(5)
SOURCES = RNG.choice(4, 6000, p=[0.5, 0.3, 0.15, 0.05])
LENGTHS = np.ceil(RNG.lognormal(5, 1, 6000)).astype(np.int64)


def windows_of(size, window=1000):
    """Where windows start; a last one of less than half is none."""
    starts = list(range(0, size, window))
    return [slice(at, at + window) for at in starts if min(size - at, window) * 2 >= window or at == 0]


def bernstein(source, lengths, labels, share):
    """Bernstein's bound for one source of a window, from the training set's documents."""
    parts = LENGTHS * ((source == SOURCES) - share)
    off = (lengths * ((labels == source) - share)).sum()
    exponent = off**2 / 2 / (len(lengths) * parts.var() + np.abs(parts).max() * abs(off) / 3)
    return min(2 * math.exp(-exponent), 1)


@pytest.mark.parametrize("size", [300, 1000, 1400, 1500, 6000])
def test_windows_are_those_of_a_plain_count(size):
    samples = np.random.default_rng(size).permutation(6000)[:size]
    found = measured(samples, documents(6000, sources=SOURCES, lengths=LENGTHS), step_samples=7, window=1000)
    labels, lengths = SOURCES[samples], LENGTHS[samples]
    expected = np.bincount(SOURCES, LENGTHS) / LENGTHS.sum()
    assert found.window_steps.tolist() == [part.start // 7 + 1 for part in windows_of(size)]
    assert len(found.mixture.p) == len(found.shuffle.z) == len(windows_of(size))
    for at, part in enumerate(windows_of(size)):
        counts = np.bincount(labels[part])
        runs = 1 + int((np.diff(labels[part]) != 0).sum())
        assert found.shuffle.z[at] == pytest.approx(runs_test(runs, counts.tolist()).z, nan_ok=True)
        shares = np.bincount(labels[part], lengths[part], 4) / lengths[part].sum()
        p = [bernstein(source, lengths[part], labels[part], expected[source]) for source in range(4)]
        source = int(np.argmin(p)) if min(p) < 1 else found.mixture.source[at]
        assert found.mixture.source[at] == source
        assert found.mixture.share[at] == pytest.approx(shares[source])
        assert found.mixture.difference[at] == pytest.approx(abs(shares[source] - expected[source]))
        assert found.mixture.p[at] == pytest.approx(min(4 * min(p), 1))
    whole = runs_test(1 + int((np.diff(labels) != 0).sum()), np.bincount(labels).tolist())
    assert found.shuffle.whole == whole
    assert found.mixture.drawn.tolist() == np.bincount(labels, lengths, 4).astype(int).tolist()


@pytest.mark.parametrize(
    ("counts", "mean", "variance"), [([40, 60], 49.0, 22.79), ([10, 20, 70], 47.0, 12.42), ([5, 5, 5, 85], 28.0, 3.15)]
)
def test_runs_have_the_mean_and_variance_of_a_simulation(counts, mean, variance):
    found = runs_test(1, counts)
    assert found.expected == pytest.approx(mean, abs=0.05)
    assert found.deviation**2 == pytest.approx(variance, abs=0.01)


def test_a_window_with_few_expected_runs_is_not_judged():
    sources = np.zeros(2000, np.int32)
    sources[[3, 900]] = 1
    assert np.isnan(measured(np.arange(2000), documents(2000, sources=sources)).shuffle.z).all()


def test_files_are_the_labels_of_a_single_source():
    files = np.repeat([0, 1, 2], 700)
    blocks = measured(np.arange(2100), documents(2100, files=files))
    assert (blocks.shuffle.label, blocks.shuffle.labels) == ("file", 3)
    assert blocks.shuffle.whole.runs == 3
    assert blocks.shuffle.whole.z < -30
    mixed = measured(np.random.default_rng(0).permutation(2100), documents(2100, files=files))
    assert abs(mixed.shuffle.whole.z) < 4


def test_a_plan_takes_the_place_of_the_training_set():
    of = documents(6000, sources=SOURCES)
    plan = {"source 0": 2, "source 1": 1, "elsewhere": 1}
    found = measured(np.arange(3000), of, plan=plan, window=1000)
    assert found.mixture.names[-1] == "elsewhere"
    assert found.mixture.expected.tolist() == [0.5, 0.25, 0, 0, 0.25]
    assert found.mixture.is_planned
    assert (found.mixture.p == 0).all()  # there are documents of sources that the plan leaves out
    assert found.mixture.difference == pytest.approx([0.25] * 3, abs=0.05)
    assert set(found.mixture.source) == {4}


def test_the_variance_of_a_mixture_is_that_of_random_orders():
    rng = np.random.default_rng(9)
    of = documents(6000, sources=SOURCES, lengths=LENGTHS)
    samples = samples_of(pack("one-per-doc", LENGTHS, PackingOptions()), of)
    expected = samples.held / samples.held.sum()
    drawn = [rng.choice(6000, 600) for _ in range(2000)]
    off = [np.bincount(SOURCES[each], LENGTHS[each], 4) - expected * LENGTHS[each].sum() for each in drawn]
    chance = chance_of(samples, expected, 6000)
    assert 600 * chance.variance == pytest.approx(np.var(off, axis=0), rel=0.15)
    plan = np.array([0.1, 0.1, 0.4, 0.4])
    odds = plan[SOURCES] / (np.bincount(SOURCES, LENGTHS) / np.bincount(SOURCES))[SOURCES]
    counts = np.bincount(SOURCES)
    odds = odds / counts[SOURCES]
    drawn = [rng.choice(6000, 600, p=odds / odds.sum()) for _ in range(2000)]
    off = np.array([np.bincount(SOURCES[each], LENGTHS[each], 4) - plan * LENGTHS[each].sum() for each in drawn])
    assert 600 * chance_of(samples, plan, 6000).variance == pytest.approx(np.var(off, axis=0), rel=0.15)
    assert abs(off.mean(axis=0)) == pytest.approx(
        0, abs=np.sqrt(600 * chance_of(samples, plan, 6000).variance.max() / 100)
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_bound_holds_for_giant_documents(seed):
    """Three documents hold a third of all tokens; no window of a random order is called unlikely."""
    rng = np.random.default_rng(seed)
    lengths = LENGTHS.copy()
    lengths[:3] = LENGTHS.sum() // 6
    found = measured(rng.permutation(6000), documents(6000, sources=SOURCES, lengths=lengths), window=1000)
    assert found.mixture.p.min() > 0.01
    assert found.mixture.difference.max() > 0.1


def test_samples_of_joined_documents_count_as_one_draw_each():
    lengths = np.full(4000, 10)
    sources = np.repeat([0, 1], 2000)
    packing = pack("concat", lengths, PackingOptions(seq_len=100, eos=0, map_batch=0))
    of = documents(4000, lengths=lengths, sources=sources)
    found = measured(np.random.default_rng(2).permutation(400), of, packing=packing, window=1000)
    assert found.mixture.drawn.tolist() == found.mixture.held.tolist() == [20_000, 20_000]
    half = measured(np.concatenate([np.arange(150), np.arange(200, 250)]), of, packing=packing, window=1000)
    off, variance, most = 50, 200 * 0.25, 0.5
    assert half.mixture.p[0] == pytest.approx(4 * math.exp(-(off**2) / 2 / (variance + most * off / 3)))


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=60), st.integers(1, 60))
def test_autocorrelation_is_that_of_numpy(values, cut):
    series = Autocorrelation()
    series.add(np.array(values[:cut]))
    series.add(np.array(values[cut:]))
    centred = np.array(values) - np.mean(values)
    variance = (centred**2).sum()
    if variance < 1e-6:
        return
    assert series.value() == pytest.approx((centred[1:] * centred[:-1]).sum() / variance, abs=1e-6)


def test_equal_values_have_no_autocorrelation():
    series = Autocorrelation()
    assert series.value() is None
    series.add(np.full(1000, math.log(7)))
    assert series.value() is None
