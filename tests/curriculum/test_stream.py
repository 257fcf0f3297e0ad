"""A stream under a curriculum."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataaudit.curriculum import CurriculumStream
from dataaudit.errors import DataAuditError

SAMPLES = st.lists(
    st.fixed_dictionaries(
        {"admit_from_step": st.one_of(st.none(), st.integers(0, 12))},
        optional={"admit_until_step": st.one_of(st.none(), st.integers(0, 15))},
    ),
    max_size=60,
)


def numbered(samples):
    return [{"number": number, **sample} for number, sample in enumerate(samples)]


@given(SAMPLES, st.integers(1, 5), st.integers(1, 70))
def test_samples_are_given_at_steps_that_admit_them_and_all_are_accounted_for(samples, size, waiting):
    samples = numbered(samples)
    stream = CurriculumStream(samples, size, waiting=waiting)
    found = list(stream)
    for place, sample in enumerate(found):
        step, last = place // size, sample.get("admit_until_step")
        assert sample["admit_from_step"] <= step
        assert last is None or step <= last
    numbers = [sample["number"] for sample in found]
    assert len(numbers) == len(set(numbers)) == stream.given
    assert stream.given + stream.expired + stream.never + stream.left_out == len(samples)


def test_a_sample_that_comes_too_early_waits():
    samples = numbered([{"admit_from_step": step} for step in (0, 2, 0, 1, 0, 0, 0)])
    assert [each["number"] for each in CurriculumStream(samples, 2)] == [0, 2, 3, 4, 1, 5, 6]


def test_samples_without_columns_pass_unchanged():
    samples = [{"text": str(number)} for number in range(9)]
    assert list(CurriculumStream(samples, 2)) == samples


@given(SAMPLES, st.integers(0, 60))
def test_a_resumed_stream_goes_on_the_same(samples, cut):
    samples = numbered(samples)
    whole = list(CurriculumStream(samples, 3))
    first = iter(stream := CurriculumStream(samples, 3))
    used = [each for _, each in zip(range(cut), first, strict=False)]
    resumed = CurriculumStream(samples, 3)
    resumed.load_state_dict(stream.state_dict(len(used)))
    assert used + list(resumed) == whole
    assert list(resumed) == whole


@pytest.mark.parametrize("settings", [{"step_samples": 0}, {"step_samples": 1, "waiting": 0}])
def test_settings_that_cannot_be_used_say_why(settings):
    with pytest.raises(DataAuditError, match="Expected a whole number"):
        CurriculumStream([], **settings)


def test_a_state_of_something_else_is_refused():
    with pytest.raises(DataAuditError, match="no state"):
        CurriculumStream([], 1).load_state_dict({"given": -1, "format": 1})
