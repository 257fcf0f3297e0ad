"""Copies that are read close together, against a plain reading and a simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_orders import documents, measured

from dataaudit.order_quality.chance import expected_close, expected_in_step

GROUPS = np.array([0, 1, 0, 1, -1, 2, 2, 2, -1, -1], np.int32)


def plainly(samples, step, reach):
    """Documents that follow another one of their group in their step, and within the reach."""
    last, in_step, close = {}, 0, 0
    for at, document in enumerate(samples):
        group = GROUPS[document]
        if group < 0:
            continue
        if group in last and last[group][1] != document:
            in_step += last[group][0] >= at // step * step
            close += at - last[group][0] <= reach
        last[group] = at, document
    return in_step, close


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.integers(1, 7), st.integers(1, 3))
def test_copies_are_those_of_a_plain_reading(samples, step, near_steps):
    found = measured(samples, documents(10, copies=GROUPS, alike=GROUPS), step_samples=step, near_steps=near_steps)
    assert (found.copies.found, found.near.found) == plainly(samples, step, near_steps * step)
    assert found.copies.begun == found.near.begun == len(samples)


def test_places_name_both_documents():
    found = measured([4, 8, 0, 9, 2, 1], documents(10, copies=GROUPS), step_samples=6)
    (place,) = found.copies.places
    assert (place.step, place.documents) == (1, [2, 0])


@pytest.mark.parametrize(("step", "epochs"), [(8, 1), (50, 1), (8, 3), (50, 3)])
def test_what_chance_gives_is_what_random_orders_have(step, epochs):
    groups = np.concatenate([np.repeat(np.arange(40), 5), np.full(1800, -1)]).astype(np.int32)
    of = documents(2000, copies=groups, alike=groups)
    rng = np.random.default_rng(3)
    orders = [np.concatenate([rng.permutation(2000) for _ in range(epochs)]) for _ in range(60 // epochs)]
    found = [measured(each, of, step_samples=step, near_steps=2) for each in orders]
    for kind in ("copies", "near"):
        mean = np.mean([getattr(each, kind).found for each in found])
        assert mean == pytest.approx(getattr(found[0], kind).by_chance, rel=0.15)


def test_nothing_is_expected_of_nothing():
    assert expected_close(np.zeros(0), 0, 5) == 0
    assert expected_in_step(np.array([3.0]), 0, 0) == 0
    assert expected_close(np.array([4.0]), 4, 100) == 4
