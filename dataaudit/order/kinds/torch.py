"""torch's ``DataLoader(shuffle=True)``: a ``RandomSampler``."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dataaudit.errors import UsageError
from dataaudit.order.batches import Order
from dataaudit.order.epochs import Drawn, EpochOrder
from dataaudit.order.setup import Setup, layout_of, whole
from dataaudit.order.spelling import Spelled, choice, flag, refuse_other, seed_of
from dataaudit.order.torch_random import TorchGenerator

FORM = "torch:SEED[,generator=loader|sampler|global][,persistent-workers][,rank-offset=N]"
ABOUT = "torch's DataLoader(shuffle=True) or RandomSampler; every rank reads the whole training set."
IS_FILE = False


def build(order: Spelled, setup: Setup) -> Order:
    """Returns the order.

    The generator with the seed is the loader's (which draws a number an epoch from it besides the shuffle; only the
    first with persistent workers), the sampler's alone, or the global one, seeded right before the first epoch and
    used by nothing else. A RandomSampler knows no ranks: each reads everything, shuffled by seed + rank-offset · rank.
    """
    refuse_other(order, ("generator", "persistent-workers", "rank-offset"))
    shuffle = _Shuffles(
        setup.samples,
        choice(order, "generator", ("loader", "sampler", "global")),
        is_persistent=flag(order, "persistent-workers"),
    )
    seeds = [seed_of(order) + _offset(order) * rank for rank in range(setup.world_size)]

    def draw(epoch: int) -> Drawn:
        of_seed = {seed: shuffle.of_epoch(seed, epoch) for seed in dict.fromkeys(seeds)}
        return _Ranks([of_seed[seed] for seed in seeds], setup.batch_size)

    length = whole(setup.samples, setup.batch_size, drop_last=setup.drop_last) * setup.world_size
    return EpochOrder(order.text, draw, length, layout_of(setup, "even"), setup.epochs)


def _offset(order: Spelled) -> int:
    given = order.options.get("rank-offset", "0")
    if not given.isdecimal():
        raise UsageError(f"--order {order.text}: rank-offset is a whole number from 0, not {given!r}.")
    return int(given)


class _Shuffles:
    """Draws the shuffle of any epoch."""

    def __init__(self, samples: int, generator: str, *, is_persistent: bool) -> None:
        self._samples, self._generator, self._is_persistent = samples, generator, is_persistent

    def of_epoch(self, seed: int, epoch: int) -> NDArray[Any]:
        """Returns the shuffle of an epoch; those before it are drawn and dropped."""
        generator = TorchGenerator(seed)
        if self._generator == "global":
            drawn = [self._seed_of_sampler(generator, number) for number in range(epoch + 1)]
            return TorchGenerator(drawn[-1]).permutation(self._samples)
        for number in range(epoch + 1):
            if self._generator == "loader":
                self._start_of_loader(generator, number)
            if number < epoch:  # a sampler that is read to its end draws a second permutation and uses none of it
                generator.skip_permutation(self._samples)
                generator.skip_permutation(self._samples)
        return generator.permutation(self._samples)

    def _start_of_loader(self, generator: TorchGenerator, epoch: int) -> None:
        if not epoch or not self._is_persistent:
            generator.seed()

    def _seed_of_sampler(self, generator: TorchGenerator, epoch: int) -> int:
        self._start_of_loader(generator, epoch)
        return generator.seed()


class _Ranks:
    """The shuffles of all ranks, a batch of each in turn; the last batches may be smaller."""

    def __init__(self, drawn: list[NDArray[Any]], batch_size: int) -> None:
        self._drawn, self._batch = drawn, batch_size

    def __len__(self) -> int:
        return sum(len(each) for each in self._drawn)

    def __getitem__(self, places: Any) -> NDArray[np.int64]:
        if isinstance(places, slice):
            places = np.arange(*places.indices(len(self)))
        size, ranks = len(self._drawn[0]), len(self._drawn)
        number, within = np.divmod(places, self._batch * ranks)
        in_batch = np.minimum(size - number * self._batch, self._batch)
        rank, place = np.divmod(within, in_batch)
        found = np.empty(len(places), np.int64)
        for each in range(ranks):
            mine = rank == each
            found[mine] = self._drawn[each][(number * self._batch + place)[mine]]
        return found
