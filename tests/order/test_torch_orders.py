"""Orders of torch's samplers against torch itself."""

import numpy as np
import pytest
from real_libraries import real_library

from dataaudit.errors import UsageError
from dataaudit.order import Setup, parse_order
from dataaudit.order.torch_random import BLOCK, TorchGenerator

torch = real_library("torch")
data = real_library("torch.utils.data")

pytestmark = pytest.mark.filterwarnings("ignore")
SEEDS = [0, 1, 42, (1 << 32) + 5, -1, (1 << 63) - 1]
SIZES = [0, 1, 2, 3, 17, 1000, 65_537]


class Numbers(data.Dataset):
    """A training set whose samples are their own numbers."""

    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        return index


@pytest.mark.parametrize("seed", SEEDS)
def test_permutations_and_seeds_are_those_of_torch(seed):
    """One after the other from one generator, so that a word too many or too few would show in the next."""
    ours, theirs = TorchGenerator(seed), torch.Generator().manual_seed(seed)
    for size in SIZES:
        assert np.array_equal(ours.permutation(size), torch.randperm(size, generator=theirs).numpy())
        assert ours.seed() == torch.empty((), dtype=torch.int64).random_(generator=theirs).item()


def test_a_permutation_of_several_blocks_of_random_words():
    size = 2 * BLOCK + 3
    theirs = torch.randperm(size, generator=torch.Generator().manual_seed(3)).numpy()
    assert np.array_equal(TorchGenerator(3).permutation(size), theirs)


def test_a_skipped_permutation_leaves_the_generator_where_a_drawn_one_does():
    drawn, skipped = TorchGenerator(5), TorchGenerator(5)
    for size in (0, 1, 1000):
        drawn.permutation(size)
        skipped.skip_permutation(size)
        assert drawn.seed() == skipped.seed()


def read(loader, epochs, set_epoch=None):
    """The batches that a loader gives in each epoch."""
    found = []
    for epoch in range(epochs):
        if set_epoch:
            set_epoch(epoch)
        found.append([batch.tolist() for batch in loader])
    return found


def ours(order, setup):
    """The micro-batches of each rank, by epoch, as an order gives them."""
    order = parse_order(order, setup)
    ranks = [[[] for _ in range(setup.epochs)] for _ in range(setup.world_size)]
    for step in range(order.first, order.last + 1):
        batch = order.batch(step)
        for rank in range(setup.world_size):
            for micro in range(setup.grad_accum):
                mine = batch.samples[(batch.ranks == rank) & (batch.micro == micro)].tolist()
                if mine:
                    ranks[rank][batch.epoch].append(mine)
    return ranks


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize(("size", "batch", "accumulation"), [(23, 4, 1), (24, 4, 3), (16, 16, 1), (101, 7, 4)])
def test_a_loader_with_a_generator(size, batch, accumulation, drop_last):
    generator = torch.Generator().manual_seed(9)
    loader = data.DataLoader(Numbers(size), batch, shuffle=True, drop_last=drop_last, generator=generator)
    setup = Setup(size, batch, accumulation, drop_last=drop_last, epochs=3)
    assert ours("torch:9", setup) == [read(loader, 3)]


def test_a_sampler_with_a_generator_of_its_own():
    generator = torch.Generator().manual_seed(9)
    sampler = data.RandomSampler(Numbers(23), generator=generator)
    loader = data.DataLoader(Numbers(23), 4, sampler=sampler)
    assert ours("torch:9,generator=sampler", Setup(23, 4, epochs=3)) == [read(loader, 3)]


def test_a_loader_that_draws_from_the_global_generator():
    loader = data.DataLoader(Numbers(23), 4, shuffle=True)
    with torch.random.fork_rng():
        torch.manual_seed(9)
        theirs = read(loader, 3)
    assert ours("torch:9,generator=global", Setup(23, 4, epochs=3)) == [theirs]


def test_workers_that_stay_draw_one_seed_only():
    generator = torch.Generator().manual_seed(9)
    loader = data.DataLoader(Numbers(23), 4, shuffle=True, generator=generator, num_workers=1, persistent_workers=True)
    theirs = read(loader, 3)
    del loader
    assert ours("torch:9,persistent-workers", Setup(23, 4, epochs=3)) == [theirs]
    assert ours("torch:9", Setup(23, 4, epochs=3)) != [theirs]


@pytest.mark.parametrize("offset", [0, 1])
@pytest.mark.parametrize("drop_last", [False, True])
def test_ranks_that_each_shuffle_everything(offset, drop_last):
    theirs = []
    for rank in range(3):
        generator = torch.Generator().manual_seed(9 + offset * rank)
        loader = data.DataLoader(Numbers(23), 4, shuffle=True, drop_last=drop_last, generator=generator)
        theirs.append(read(loader, 2))
    order = f"torch:9,rank-offset={offset}"
    assert ours(order, Setup(23, 4, 2, 3, drop_last=drop_last, epochs=2)) == theirs


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("sampler_drops", [False, True])
@pytest.mark.parametrize(("size", "ranks"), [(23, 2), (24, 3), (101, 4), (3, 5)])
def test_a_distributed_sampler(size, ranks, sampler_drops, drop_last):
    theirs = []
    for rank in range(ranks):
        sampler = data.distributed.DistributedSampler(Numbers(size), ranks, rank, seed=9, drop_last=sampler_drops)
        loader = data.DataLoader(Numbers(size), 4, sampler=sampler, drop_last=drop_last)
        theirs.append(read(loader, 3, sampler.set_epoch))
    order = "distributed:9" + ",sampler-drop-last" * sampler_drops
    setup = Setup(size, 4, 2, ranks, drop_last=drop_last, epochs=3)
    if not any(theirs[0]):
        with pytest.raises(UsageError, match="no step"):
            parse_order(order, setup)
    else:
        assert ours(order, setup) == theirs


@pytest.mark.parametrize(("option", "shuffle"), [("no-set-epoch", True), ("no-shuffle", False)])
def test_a_distributed_sampler_whose_epochs_are_the_same(option, shuffle):
    theirs = []
    for rank in range(2):
        sampler = data.distributed.DistributedSampler(Numbers(23), 2, rank, seed=9, shuffle=shuffle)
        theirs.append(read(data.DataLoader(Numbers(23), 4, sampler=sampler), 2))
    assert ours(f"distributed:9,{option}", Setup(23, 4, 1, 2, epochs=2)) == theirs
