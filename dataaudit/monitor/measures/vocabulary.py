"""How far the window's tokens are from the reference's."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.drift.excess import part_drift, split_half_ratio
from dataaudit.drift.sums import plain
from dataaudit.monitor.judging import Seen, above, skipped
from dataaudit.monitor.levels import MonitorLevels
from dataaudit.monitor.measuring import space_of
from dataaudit.monitor.reference import Reference
from dataaudit.monitor.result import Measure

ORDER = 20
UNIT = "nats"
NAMED = 5
"""Tokens that are named as what the window has more of."""


class _Counts(NamedTuple):
    """Occurrences over the ids of either side; ascending ids."""

    ids: NDArray[np.int64]
    halves: NDArray[np.int64]
    reference: NDArray[np.int64]


def measures(seen: Seen, levels: MonitorLevels) -> tuple[Measure, ...]:
    """Returns ``kl``, the divergence itself, and ``kl_excess``, what it is above chance; see docs/drift.md.

    The window is taken as a part of the window and the reference together, so chance is that of both sizes.
    """
    reference = seen.reference
    if reference is None:
        return _skipped(levels, f"The first {seen.window.size:,} samples are what later ones are compared with.")
    if seen.unit is not None and seen.unit != reference.unit:
        return _skipped(levels, f"{reference.name} counts {reference.unit}, the batches have {seen.unit}.")
    counts = _counts(seen, reference)
    mine = counts.halves.sum(axis=0)
    ids = max(space_of(reference.unit, seen.measuring) if seen.measuring.vocab_size else 0, len(counts.ids))
    drift = part_drift(mine, mine + counts.reference, ids)
    if drift is None:
        return _skipped(levels, f"No {reference.unit} to compare yet.")
    ratio = split_half_ratio(*counts.halves)
    factor = max(1.0, ratio or 1.0)
    kl, excess = plain(drift.kl), plain(drift.kl - factor * drift.null_mean)
    assert kl is not None
    assert excess is not None
    tokens, samples = int(mine.sum()), len(seen.window.lengths(seen.compared_from))
    message = f"{excess:.4g} nats further from {reference.name} than chance gives, over {tokens:,} {reference.unit}."
    raw = above("kl", UNIT, kl, None, f"{kl:.4g} nats, of which chance gives {factor * drift.null_mean:.4g}.")
    least = max(levels.min_samples, seen.window.size // 10)
    if tokens < levels.min_tokens or samples < least:
        few = (
            f"{message} Judged from {levels.min_tokens:,} {reference.unit} and {least:,} samples on; {samples:,} here."
        )
        return raw, skipped("kl_excess", UNIT, levels.kl_excess, few, value=excess)
    found = above("kl_excess", UNIT, excess, levels.kl_excess, message + _drivers(seen, counts.ids, drift.terms))
    return raw, found


def _skipped(levels: MonitorLevels, reason: str) -> tuple[Measure, ...]:
    return skipped("kl", UNIT, None, reason), skipped("kl_excess", UNIT, levels.kl_excess, reason)


def _counts(seen: Seen, reference: Reference) -> _Counts:
    """Returns both sides over the same ids; against a run without special tokens, which stand between its documents."""
    window = seen.window.counts(seen.compared_from)
    ids = np.union1d(window.ids, reference.ids)
    halves, other = np.zeros((2, len(ids)), np.int64), np.zeros(len(ids), np.int64)
    halves[:, np.searchsorted(ids, window.ids)] = window.halves
    other[np.searchsorted(ids, reference.ids)] = reference.counts
    tokenizer = seen.measuring.tokenizer
    if not reference.is_run or tokenizer is None:
        return _Counts(ids, halves, other)
    is_special = np.flatnonzero(tokenizer.vocabulary.is_special)
    kept = ~np.isin(ids, is_special)
    return _Counts(ids[kept], halves[:, kept], other[kept])


def _drivers(seen: Seen, ids: NDArray[np.int64], terms: NDArray[np.float64]) -> str:
    """Returns which tokens the window has more of, as the end of a message."""
    if seen.unit == "words":
        return ""
    order = np.lexsort((ids, -np.round(terms, 12)))[:NAMED]
    chosen = [int(ids[place]) for place in order.tolist() if terms[place] > 0]
    if not chosen:
        return ""
    tokenizer = seen.measuring.tokenizer
    texts = tokenizer.texts(chosen) if tokenizer is not None else [None] * len(chosen)
    named = [f"id {number}" if text is None else repr(text) for number, text in zip(chosen, texts, strict=True)]
    return f" It has more of: {', '.join(named)}."
