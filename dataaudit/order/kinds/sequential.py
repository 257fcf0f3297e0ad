"""The training set from first to last."""

from dataaudit.order.batches import Order
from dataaudit.order.epochs import Counting, EpochOrder
from dataaudit.order.setup import Setup, layout_of, whole
from dataaudit.order.spelling import Spelled, refuse_other

FORM = "sequential"
ABOUT = "The training set from first to last, every epoch; a block of samples a rank."
IS_FILE = False


def build(order: Spelled, setup: Setup) -> Order:
    """Returns the order."""
    refuse_other(order, ())
    layout = layout_of(setup, "blocks")
    length = whole(setup.samples, layout.micro_samples, drop_last=setup.drop_last)
    return EpochOrder(order.text, lambda _: Counting(setup.samples), length, layout, setup.epochs)
