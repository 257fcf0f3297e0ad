"""Measures an order in one pass over it."""

import numpy as np

from dataaudit.order import Order, Packing
from dataaudit.order_quality.autocorrelation import Autocorrelation
from dataaudit.order_quality.facts import Documents, OrderFacts, Settings
from dataaudit.order_quality.positions import Positions
from dataaudit.order_quality.repeats import RepeatFollower
from dataaudit.order_quality.samples import samples_of
from dataaudit.order_quality.spacing import SpacingFollower
from dataaudit.order_quality.windows import WindowFollower

LEAST_WINDOW = 1_000
WINDOWS = 10
"""Windows that an order is cut into when it is too short for larger ones."""


def measure_order(order: Order, packing: Packing, documents: Documents, settings: Settings) -> OrderFacts:
    """Measures an order.

    Memory: 28 bytes a sample, 60 at the peak where samples have copies, 24 a group of copies, and one block of steps
    (about a million samples) with the pieces of documents in it; besides what the order and the documents take.
    """
    samples = samples_of(packing, documents)
    size = _window(order, settings)
    near = settings.near_steps * settings.step_samples
    positions = Positions(order)
    repeats = RepeatFollower(samples, packing, settings.step_samples)
    spacing = SpacingFollower(documents, near)
    windows = WindowFollower(samples, documents, settings.plan, size)
    lengths = Autocorrelation()
    steps = 0
    for block in order.blocks(order.first, order.last):
        first = positions.add(block)
        spans = packing.spans(block.samples)
        repeats.add(block)
        spacing.add(block, spans, first)
        windows.add(block, spans, first)
        logs = samples.log_lengths[block.samples]
        lengths.add(logs[~np.isnan(logs)].astype(np.float64))
        steps += len(block.steps)
    windows.finish()
    found = repeats.result(positions)
    # A random order goes through the training set anew each time: a document is no copy of itself.
    passes = max(1.0, found.reads / found.samples)
    return OrderFacts(
        steps=steps,
        last_step=order.last,
        step_samples=settings.step_samples,
        world_size=settings.world_size,
        window_samples=size,
        window_steps=windows.steps(),
        near_samples=near,
        repeats=found,
        copies=spacing.copies(steps, passes),
        near=spacing.near(found.reads, passes),
        shuffle=windows.shuffle(),
        mixture=windows.mixture(),
        autocorrelation=lengths.value(),
        lengths=lengths.count,
    )


def _window(order: Order, settings: Settings) -> int:
    reads = (order.last - order.first + 1) * settings.step_samples
    return min(settings.window_samples, max(LEAST_WINDOW, reads // WINDOWS))
