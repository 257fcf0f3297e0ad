"""``transformers.Trainer``, which reads through accelerate."""

from dataaudit.errors import UsageError
from dataaudit.order.batches import Order
from dataaudit.order.epochs import Counting, Drawn, EpochOrder
from dataaudit.order.setup import Layout, Setup, layout_of, whole
from dataaudit.order.spelling import Spelled, flag, refuse_other, seed_of
from dataaudit.order.torch_random import TorchGenerator

FORM = "hf-trainer:SEED[,sequential][,split-batches][,dispatch-batches]"
ABOUT = "transformers.Trainer; SEED is data_seed, else seed. --batch-size is per_device_train_batch_size."
IS_FILE = False
BY_LENGTH = ("group-by-length", "group_by_length", "batch-rebalance", "batch_rebalance")


def build(order: Spelled, setup: Setup) -> Order:
    """Returns the order.

    Epoch e is shuffled by the seed plus e. The last step of an epoch takes the micro-batches that are left. With more
    than one rank the last micro-batch is completed from the epoch's first samples (*drop_last* leaves it out); batches
    that the main process dispatches are only evened out.
    """
    for name in BY_LENGTH:
        if name in order.options:
            raise UsageError(
                f"--order {order.text}: {name} draws by the lengths that the trainer measured, which is not supported. "
                "Log the sample numbers of each step and give them as file:F."
            )
    refuse_other(order, ("sequential", "split-batches", "dispatch-batches"))
    seed, samples, in_order = seed_of(order), setup.samples, flag(order, "sequential")

    def draw(epoch: int) -> Drawn:
        return Counting(samples) if in_order else TorchGenerator(seed + epoch).permutation(samples)

    dispatched = flag(order, "dispatch-batches")
    layout = layout_of(setup, "even" if dispatched else "blocks")
    if flag(order, "split-batches"):
        layout = layout._replace(batch_size=_share(order, setup))
    return EpochOrder(order.text, draw, _length(samples, layout, setup, dispatched=dispatched), layout, setup.epochs)


def _share(order: Spelled, setup: Setup) -> int:
    if setup.batch_size % setup.world_size:
        raise UsageError(
            f"--order {order.text}: with split-batches --batch-size {setup.batch_size} is shared by "
            f"{setup.world_size} ranks; it must be a multiple of --world-size."
        )
    return setup.batch_size // setup.world_size


def _length(samples: int, layout: Layout, setup: Setup, *, dispatched: bool) -> int:
    if setup.drop_last or setup.world_size == 1:
        return whole(samples, layout.micro_samples, drop_last=setup.drop_last)
    part = setup.world_size if dispatched else layout.micro_samples
    return -(-samples // part) * part
