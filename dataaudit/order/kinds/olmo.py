"""The ``global_indices`` file of OLMo and OLMo-core."""

from pathlib import Path

from dataaudit.order.batches import Order
from dataaudit.order.epochs import EpochOrder
from dataaudit.order.files import index_file, refuse_outside
from dataaudit.order.setup import Setup, layout_of, whole
from dataaudit.order.spelling import Spelled, refuse_other

FORM = "olmo:FILE"
ABOUT = "The global_indices file (uint32) that OLMo and OLMo-core write: one epoch."
IS_FILE = True


def build(order: Spelled, setup: Setup) -> Order:
    """Returns the order: a global batch is the next indices of the file, every *world_size*-th for a rank."""
    refuse_other(order, ())
    path = Path(order.value)
    indices = index_file(path, raw="<u4")
    refuse_outside(indices, setup.samples, path)
    layout = layout_of(setup, "stride")
    length = whole(len(indices), layout.micro_samples, drop_last=setup.drop_last)
    return EpochOrder(order.text, lambda _: indices, length, layout, repeats=False)
