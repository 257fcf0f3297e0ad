"""Spikes that were put into series are found, and how the series recovers is told."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataaudit.losses import Series, find_spikes


def series_of(values, first=1, every=1):
    """A series logged every some steps."""
    return Series("loss", np.arange(len(values)) * every + first, np.array(values, np.float64))


def calm(size, seed=0):
    """A loss that falls slowly, with noise."""
    return 3 - np.arange(size) / (2 * size) + np.random.default_rng(seed).normal(0, 0.02, size)


@pytest.mark.parametrize("seed", range(20))
def test_a_calm_series_has_no_spike(seed):
    assert find_spikes(series_of(calm(2000, seed))) == []


@pytest.mark.parametrize(
    ("high", "recovery"), [(1, "fast"), (5, "fast"), (16, "fast"), (17, "slowly"), (200, "slowly"), (700, "not")]
)
def test_how_a_series_recovers(high, recovery):
    values = calm(1000)
    values[300 : 300 + high] += 2
    [spike] = find_spikes(series_of(values, first=10, every=5))
    assert (spike.step, spike.previous_step) == (10 + 300 * 5, 10 + 299 * 5)
    assert spike.value == values[300 : 300 + high].max()
    assert spike.recovery == recovery
    assert spike.mean == pytest.approx(values[172:300].mean())
    assert spike.sigma == pytest.approx(values[172:300].std())
    assert (spike.recovered_after is None) == (recovery == "not")
    if recovery != "not":  # noise can keep the first calm values above mean + 2 sigma
        assert high <= spike.recovered_after <= high + 3


def test_a_spike_at_the_end_of_the_log_is_not_judged():
    values = calm(300)
    values[-5:] += 2
    [spike] = find_spikes(series_of(values))
    assert (spike.recovery, spike.recovered_after) == ("unknown", None)


def test_later_spikes_are_measured_by_calm_values_alone():
    values = calm(1000)
    for at in (300, 320, 340):
        values[at] += 2
    assert [spike.step for spike in find_spikes(series_of(values))] == [301, 321, 341]


def test_values_that_are_no_numbers_are_spikes():
    values = calm(400)
    values[2], values[300:302] = math.nan, math.inf
    first, second = find_spikes(series_of(values))
    assert (first.step, first.value, first.recovery) == (3, None, "fast")
    assert (second.step, second.value, second.recovered_after) == (301, None, 2)
    [spike] = find_spikes(series_of([*calm(200), *[math.nan] * 100]))
    assert (spike.step, spike.recovery) == (201, "not")


def test_the_start_of_a_log_says_nothing_yet():
    values = np.concatenate([[10, 9, 8, 30, 7], calm(300)])
    assert find_spikes(series_of(values)) == []


def test_a_flat_series_has_no_spikes_of_rounding():
    values = np.full(300, 2.0)
    values[200] += 1e-9
    assert find_spikes(series_of(values)) == []
    values[200] += 0.1
    assert [spike.step for spike in find_spikes(series_of(values))] == [201]


@given(st.lists(st.floats(width=64), max_size=60))
def test_any_series_can_be_looked_at(values):
    found = find_spikes(series_of(values)) if values else []
    steps = [spike.step for spike in found]
    assert steps == sorted(set(steps))
    assert {at + 1 for at, value in enumerate(values) if not math.isfinite(value)} <= {
        step for spike in found for step in range(spike.step, len(values) + 1)
    }
