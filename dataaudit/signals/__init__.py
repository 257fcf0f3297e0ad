"""Signals: numbers about one document. One file a family; every ``Signal`` found in a module of this package is one."""

import importlib
import pkgutil
from collections.abc import Iterable
from functools import cache

import pyarrow as pa

from dataaudit.signals.batch import DocumentBatch, Lists, SpecialIds
from dataaudit.signals.signal import Need, Signal

__all__ = ["DocumentBatch", "Lists", "Need", "Signal", "SpecialIds", "all_signals", "measure"]


@cache
def all_signals() -> dict[str, Signal]:
    """Returns every signal by name, in the order of the families' file names and then of their definition."""
    found: dict[str, Signal] = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        for value in vars(importlib.import_module(f"{__name__}.{module}")).values():
            if isinstance(value, Signal):
                found[value.name] = value
    return found


def measure(batch: DocumentBatch, needs: Iterable[Need]) -> pa.RecordBatch:
    """Returns a row a document and a column a signal, for every signal that needs one of *needs*.

    A signal that requires a fact the batch does not have (a vocabulary, a context length) has no column.
    """
    wanted = set(needs)
    chosen = [
        each
        for each in all_signals().values()
        if each.needs in wanted and all(getattr(batch, name) is not None for name in each.requires)
    ]
    return pa.record_batch([each.measure(batch) for each in chosen], names=[each.name for each in chosen])
