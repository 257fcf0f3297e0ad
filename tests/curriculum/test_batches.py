"""Batches under a curriculum, beside a plain-Python reading of its definition."""

import json
import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from real_libraries import real_library

from dataaudit.curriculum import Curriculum, CurriculumBatches, learnt_weights
from dataaudit.errors import DataAuditError

STEPS = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 30)), st.one_of(st.none(), st.integers(0, 40))),
    min_size=1,
    max_size=40,
)


def curriculum(steps, **more):
    return Curriculum([first for first, _ in steps], [last for _, last in steps], **more)


def drawn(batches, steps):
    return [next(batches).tolist() for _ in range(steps)]


def flat(batches):
    return [sample for batch in batches for sample in batch]


@given(STEPS, st.integers(1, 5), st.integers(0, 3), st.integers(1, 9))
def test_a_sample_is_read_only_at_steps_that_admit_it(steps, size, seed, refresh):
    steps.append((0, None))
    batches = CurriculumBatches(curriculum(steps), size, seed=seed, refresh_steps=refresh)
    for step, batch in enumerate(drawn(batches, 45)):
        assert len(batch) == size
        for sample in batch:
            first, last = steps[sample]
            assert first is not None
            assert first <= step
            assert last is None or step <= last


@given(st.integers(1, 50), st.integers(1, 7), st.integers(0, 3))
def test_without_limits_every_epoch_reads_every_sample_once(count, size, seed):
    batches = CurriculumBatches(Curriculum([0] * count), size, seed=seed)
    read = flat(drawn(batches, -(-3 * count // size)))
    for epoch in range(3):
        assert sorted(read[epoch * count : (epoch + 1) * count]) == list(range(count))


def test_a_sample_that_becomes_admitted_is_read_within_the_refresh():
    first = [0] * 500 + [20] * 10
    batches = CurriculumBatches(Curriculum(first), 10, seed=2, refresh_steps=5)
    read = flat(drawn(batches, 51))
    assert sorted(read) == list(range(510))
    assert min(read.index(sample) for sample in range(500, 510)) >= 200


@settings(max_examples=30)
@given(STEPS, st.integers(0, 30), st.integers(1, 9))
def test_a_resumed_run_goes_on_the_same(steps, cut, refresh):
    steps.append((0, None))
    weights = [0.5 if number % 3 else 1.0 for number in range(len(steps))]

    def batches():
        return CurriculumBatches(curriculum(steps, weights=weights), 3, seed=4, refresh_steps=refresh)

    whole, first, resumed, ahead = batches(), batches(), batches(), batches()
    wanted = drawn(whole, 40)
    assert drawn(first, cut) == wanted[:cut]
    resumed.load_state_dict(json.loads(json.dumps(first.state_dict())))
    assert drawn(resumed, 40 - cut) == wanted[cut:]
    ahead.load_state_dict(whole.state_dict(cut))
    assert drawn(ahead, 40 - cut) == wanted[cut:]


def test_ranks_share_the_samples_of_one_rank():
    def batches(size, **more):
        return CurriculumBatches(Curriculum([0] * 30, weights=[0.5] * 30), size, seed=1, **more)

    alone = drawn(batches(6), 20)
    parts = [drawn(batches(2, rank=rank, world_size=3), 20) for rank in range(3)]
    assert [a + b + c for a, b, c in zip(*parts, strict=True)] == alone


def test_weights_are_how_often_a_sample_is_read():
    weights = [1.0] * 50 + [0.25] * 50
    batches = CurriculumBatches(Curriculum([0] * 100, weights=weights), 5, seed=3)
    counts = Counter(flat(drawn(batches, 5000)))
    epochs = 25_000 / (50 + 12.5)
    assert all(abs(counts[sample] - epochs) <= 2 for sample in range(50))
    few = [counts[sample] for sample in range(50, 100)]
    assert abs(sum(few) / 50 - epochs / 4) < 5 * math.sqrt(epochs * 0.25 * 0.75 / 50)


def test_a_threshold_admits_by_its_formula():
    values = np.random.default_rng(1).uniform(0, 1, 200)
    found = Curriculum.from_threshold(values, initial=0.1, final=0.9, decay_steps=50)
    for step in (0, 1, 20, 50, 300, 10_000):
        limit = 0.9 - (0.9 - 0.1) * math.exp(-step / 50)
        assert found.admitted(step).tolist() == (values <= limit).tolist()
    above = Curriculum.from_threshold([None, 0.2, 0.6], initial=0.1, final=0.5, decay_steps=9, keep="above")
    assert [above.admitted(step).tolist() for step in (0, 1000)] == [[False, True, True], [False, False, True]]


def test_documents_already_learnt_weigh_less():
    assert learnt_weights([4, 2, 1, 0, None]).tolist() == [1, 1, 1 / 1.5, 0.1, 1]
    assert learnt_weights([4, 2, 1, 0], learnt_loss=4, floor=0.3).tolist() == [1, 0.5, 0.3, 0.3]
    assert learnt_weights(pa.array([None, None], pa.float64())).tolist() == [1, 1]


def test_the_order_of_a_seed_is_pinned():
    assert drawn(CurriculumBatches(Curriculum([0] * 10), 5, seed=7), 2) == [[6, 3, 4, 9, 0], [2, 8, 7, 5, 1]]


def test_in_a_data_loader_with_workers(tmp_path):
    torch = real_library("torch")
    from dataaudit.integrations.torch import CurriculumBatchSampler

    def sampler():
        return CurriculumBatchSampler(CurriculumBatches(Curriculum([0] * 40 + [6] * 10), 4, seed=2), 12)

    dataset = torch.arange(50) * 10
    loader = torch.utils.data.DataLoader(dataset, batch_sampler=sampler())
    wanted = [batch.tolist() for batch in loader]
    assert len(wanted) == 12
    assert [[value // 10 for value in batch] for batch in wanted] == list(sampler())
    resumed, first = sampler(), sampler()
    for done, _ in enumerate(torch.utils.data.DataLoader(dataset, batch_sampler=first, prefetch_factor=None)):
        if done == 4:
            break
    resumed.load_state_dict(first.state_dict(5))
    assert len(resumed) == 7
    assert [batch.tolist() for batch in torch.utils.data.DataLoader(dataset, batch_sampler=resumed)] == wanted[5:]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Curriculum([0, -1]), "admit_from_step holds -1"),
        (lambda: Curriculum(["a"]), "something else than steps"),
        (lambda: Curriculum([0], [1, 2]), "admit_until_step has 2 values"),
        (lambda: Curriculum([0], weights=[0]), "weight is not from"),
        (lambda: Curriculum([0], weights=[2]), "weight is not from"),
        (lambda: Curriculum.from_threshold([1], initial=0, final=1, decay_steps=0), "decay_steps from 1 on"),
        (lambda: Curriculum.from_threshold([1], initial=0, final=1, decay_steps=5, keep="best"), "'below' or 'above'"),
        (lambda: learnt_weights([-1]), "a loss is -1"),
        (lambda: learnt_weights([1], floor=0), "floor is 0"),
        (lambda: CurriculumBatches(Curriculum([0]), 0), "batch_size is 0"),
        (lambda: CurriculumBatches(Curriculum([0]), 1, rank=2, world_size=2), "a rank from 0 to 1"),
        (lambda: next(CurriculumBatches(Curriculum([5]), 1)), "no sample is admitted at step 0"),
        (lambda: next(CurriculumBatches(Curriculum([]), 1)), "no sample is admitted at step 0"),
    ],
)
def test_what_cannot_be_used_says_why(make, message):
    with pytest.raises(DataAuditError, match=message):
        make()


@pytest.mark.parametrize("change", [{"key": "x"}, {"format": 2}, {"step": "3"}, {"step": -1}])
def test_a_state_of_something_else_is_refused(change):
    batches = CurriculumBatches(Curriculum([0]), 1)
    with pytest.raises(DataAuditError, match="state"):
        batches.load_state_dict(batches.state_dict() | change)
