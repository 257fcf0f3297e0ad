"""Which samples each step of a training run reads, and which tokens of which documents a sample holds.

>>> from dataaudit.order import Setup, parse_order
>>> order = parse_order("hf-trainer:42", Setup(samples=1000, batch_size=4, grad_accum=2, world_size=2))
>>> order.batch(7).samples  # int64, with .ranks and .micro beside it
>>> for block in order.blocks(order.first, order.last): ...  # steps, offsets, samples, ranks
"""

from dataaudit.order.batches import Batch, Block, Order
from dataaudit.order.kinds import all_kinds, kind_of, parse_order
from dataaudit.order.packing import Packing, PackingOptions, Spans
from dataaudit.order.packings import all_packings, pack
from dataaudit.order.setup import Setup

__all__ = [
    "Batch",
    "Block",
    "Order",
    "Packing",
    "PackingOptions",
    "Setup",
    "Spans",
    "all_kinds",
    "all_packings",
    "kind_of",
    "pack",
    "parse_order",
]
