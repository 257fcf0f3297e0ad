"""Spikes as they come are those of the finished series."""

import math
import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dataaudit.losses import Series, find_spikes
from dataaudit.losses.watch import SpikeWatch


def begun(values):
    watch = SpikeWatch()
    return [step for step, value in enumerate(values) if watch.begins(value)]


def found(values):
    series = Series("loss", np.arange(len(values)), np.array(values, np.float64))
    return [spike.step for spike in find_spikes(series)]


@given(
    st.integers(0, 1000),
    st.lists(st.tuples(st.integers(0, 299), st.sampled_from([4.0, 9.0, 60.0, math.nan, math.inf]), st.integers(1, 9))),
)
def test_spikes_begin_where_they_are_found(seed, planted):
    rng = random.Random(seed)
    values = [3 + rng.gauss(0, 0.1) for _ in range(300)]
    for at, value, size in planted:
        values[at : at + size] = [value] * min(size, 300 - at)
    assert begun(values) == found(values)


def test_a_planted_spike_is_seen_at_once():
    values = [3 + math.sin(step) / 10 for step in range(60)]
    values[40] = 5
    assert begun(values) == found(values) == [40]
