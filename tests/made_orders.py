"""Orders and documents made for tests."""

import numpy as np

from dataaudit.order import PackingOptions, pack
from dataaudit.order.listed import ListedOrder
from dataaudit.order_quality.facts import Documents, Settings
from dataaudit.order_quality.measure import measure_order

ALONE = np.int32(-1)


def listed(samples, step_samples, world_size=1):
    """Samples in the order they are read, as steps of so many; ranks take equal blocks of a step."""
    samples = np.asarray(samples, np.int64)
    offsets = np.append(np.arange(0, len(samples), step_samples), len(samples))
    within = np.arange(len(samples)) % step_samples
    ranks = (within * world_size // step_samples).astype(np.int32)
    return ListedOrder("listed", np.arange(1, len(offsets)), offsets, samples, ranks, np.zeros(len(samples), np.int32))


def documents(count, *, sources=None, lengths=None, copies=None, alike=None, files=None):
    """Documents of one source, one file and equal lengths, unless something else is given."""
    sources = np.zeros(count, np.int32) if sources is None else np.asarray(sources, np.int32)
    return Documents(
        np.full(count, 100, np.int64) if lengths is None else np.asarray(lengths, np.int64),
        sources,
        [f"source {number}" for number in range(int(sources.max()) + 1)],
        np.zeros(count, np.int32) if files is None else np.asarray(files, np.int32),
        np.full(count, ALONE) if copies is None else np.asarray(copies, np.int32),
        np.full(count, ALONE) if alike is None else np.asarray(alike, np.int32),
    )


def measured(samples, of, *, step_samples=8, world_size=1, window=10_000, near_steps=10, plan=None, packing=None):
    """The facts of an order in which every document is a sample, unless a packing is given."""
    packing = packing or pack("one-per-doc", of.lengths, PackingOptions())
    settings = Settings(step_samples, world_size, window, near_steps, plan or {})
    return measure_order(listed(samples, step_samples, world_size), packing, of, settings)
