"""torch's ``DistributedSampler``."""

from dataaudit.order.batches import Order
from dataaudit.order.epochs import Counting, Drawn, EpochOrder
from dataaudit.order.setup import Setup, layout_of, whole
from dataaudit.order.spelling import Spelled, flag, refuse_other, seed_of
from dataaudit.order.torch_random import TorchGenerator

FORM = "distributed:SEED[,sampler-drop-last][,no-set-epoch][,no-shuffle]"
ABOUT = "torch's DistributedSampler(seed=SEED), set_epoch called; --drop-last is the data loader's."
IS_FILE = False


def build(order: Spelled, setup: Setup) -> Order:
    """Returns the order.

    The sampler pads the training set from its start to a multiple of the ranks, or drops what is over; each rank reads
    every *world_size*-th sample.
    """
    refuse_other(order, ("sampler-drop-last", "no-set-epoch", "no-shuffle"))
    seed, samples, ranks = seed_of(order), setup.samples, setup.world_size
    stands, in_order = flag(order, "no-set-epoch"), flag(order, "no-shuffle")

    def draw(epoch: int) -> Drawn:
        if in_order:
            return Counting(samples)
        return TorchGenerator(seed + (0 if stands else epoch)).permutation(samples)

    of_rank = samples // ranks if flag(order, "sampler-drop-last") else -(-samples // ranks)
    length = whole(of_rank, setup.batch_size, drop_last=setup.drop_last) * ranks
    return EpochOrder(order.text, draw, length, layout_of(setup, "stride"), setup.epochs)
