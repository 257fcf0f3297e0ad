"""The order of transformers.Trainer against real training runs: the answer is what its steps and collator received."""

import pytest
from real_libraries import real_library
from two_ranks import seen_by_two_ranks

from dataaudit.errors import UsageError
from dataaudit.order import Setup, parse_order

real_library("torch")
real_library("accelerate")
real_library("transformers")

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def noted_of():
    """The training run in this process."""
    from tiny_trainer import noted_of

    return noted_of


def ours(order, setup, rank=0):
    """[[step, samples], ...] of a rank, a micro-batch each."""
    order = parse_order(order, setup)
    found = []
    for step in range(order.first, order.last + 1):
        batch = order.batch(step)
        for micro in range(setup.grad_accum):
            mine = batch.samples[(batch.ranks == rank) & (batch.micro == micro)].tolist()
            if mine:
                found.append([step, mine])
    return found


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize(("samples", "batch", "accumulation"), [(23, 4, 1), (23, 4, 3), (24, 4, 3), (7, 4, 5)])
def test_every_step_of_one_process(noted_of, samples, batch, accumulation, drop_last):
    theirs = noted_of(samples, batch, accumulation, epochs=3, drop_last=drop_last, seed=7)
    found = ours("hf-trainer:7", Setup(samples, batch, accumulation, drop_last=drop_last, epochs=3))
    assert found == theirs["steps"]
    assert [each for _, each in found] == theirs["collated"]


def test_the_data_seed_goes_before_the_seed(noted_of):
    theirs = noted_of(23, 4, epochs=2, seed=7, data_seed=8)
    assert ours("hf-trainer:8", Setup(23, 4, epochs=2)) == theirs["steps"]


def test_sequential_sampling(noted_of):
    theirs = noted_of(23, 4, 2, epochs=2, train_sampling_strategy="sequential")
    assert ours("hf-trainer:42,sequential", Setup(23, 4, 2, epochs=2)) == theirs["steps"]


TWO_RANKS = [
    {"what": "trained", "samples": samples, "batch_size": 4, "accumulation": 3, "epochs": 2, "drop_last": drop, **more}
    for samples in (3, 41, 48)
    for drop in (False, True)
    for more in ({}, {"accelerator_config": {"split_batches": True}})
    if samples > 3 or not drop
]
DISPATCHED = [
    {"what": "dispatched", "samples": samples, "batch_size": 4, "drop_last": drop, "seed": 7}
    for samples in (41, 46, 48)
    for drop in (False, True)
]


@pytest.fixture(scope="module")
def two_ranks(tmp_path_factory):
    """What each of two processes saw that train together."""
    return seen_by_two_ranks(TWO_RANKS + DISPATCHED, tmp_path_factory.mktemp("ranks"))


@pytest.mark.parametrize("number", range(len(TWO_RANKS)))
def test_every_step_of_two_processes(two_ranks, number):
    settings = TWO_RANKS[number]
    split = ",split-batches" if "accelerator_config" in settings else ""
    setup = Setup(settings["samples"], 4, 3, 2, drop_last=settings["drop_last"], epochs=2)
    for rank in range(2):
        theirs = two_ranks[rank][number]
        found = ours(f"hf-trainer:42{split}", setup, rank)
        assert found == theirs["steps"]
        assert [each for _, each in found] == theirs["collated"]


@pytest.mark.parametrize("number", range(len(DISPATCHED)))
def test_batches_that_the_main_process_dispatches(two_ranks, number):
    settings = DISPATCHED[number]
    setup = Setup(settings["samples"], 4, 1, 2, drop_last=settings["drop_last"], epochs=2)
    for rank in range(2):
        theirs = two_ranks[rank][len(TWO_RANKS) + number]
        found = [each for _, each in ours("hf-trainer:7,dispatch-batches", setup, rank)]
        assert found == [batch for epoch in theirs for batch in epoch]


def test_grouping_by_length_is_refused_with_a_way_out():
    with pytest.raises(UsageError, match=r"group_by_length.*not supported.*file:F"):
        parse_order("hf-trainer:42,group_by_length", Setup(100, 4))
