"""``datasets.Dataset.shuffle``, alone or before another order."""

from dataclasses import replace

import numpy as np

from dataaudit.errors import UsageError
from dataaudit.order.batches import Order
from dataaudit.order.epochs import EpochOrder, Renumbered
from dataaudit.order.kinds import parse_order
from dataaudit.order.setup import Setup
from dataaudit.order.spelling import Spelled, refuse_other, seed_of
from dataaudit.order.torch_random import number_type

FORM = "datasets-shuffle:SEED[+ORDER]"
ABOUT = "datasets' Dataset.shuffle(SEED), read from first to last, or sampled by the order after +."
IS_FILE = False


def build(order: Spelled, setup: Setup) -> Order:
    """Returns the order: NumPy's default generator shuffles the training set once, not every epoch."""
    refuse_other(order, (), then=True)
    seed = seed_of(order)
    if seed < 0:
        raise UsageError(f"--order {order.text}: datasets takes a seed from 0.")
    inner = parse_order(order.then or "sequential", setup)
    if not isinstance(inner, EpochOrder) or not inner.repeats:
        raise UsageError(
            f"--order {order.text}: after + comes an order that draws from the data set, such as hf-trainer:42."
        )
    numbers = np.arange(setup.samples, dtype=number_type(setup.samples))
    np.random.default_rng(seed).shuffle(numbers)
    return replace(inner, name=order.text, draw=lambda epoch: Renumbered(numbers, inner.draw(epoch)))
