"""Packings, one file each; found by walking this package.

A module has ``ABOUT`` and ``build(lengths, options)``; its name with dashes is the packing.
"""

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.errors import UsageError, suggestion
from dataaudit.order.packing import Packing, PackingOptions


class PackingKind(NamedTuple):
    """A packing, with what its module has."""

    name: str
    about: str
    build: Callable[[NDArray[np.int64], PackingOptions], Packing]


@cache
def all_packings() -> dict[str, PackingKind]:
    """Returns every packing by name."""
    found = {}
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{__name__}.{info.name}")
        name = info.name.replace("_", "-")
        found[name] = PackingKind(name, module.ABOUT, module.build)
    return found


def pack(name: str, lengths: NDArray[np.int64], options: PackingOptions) -> Packing:
    """Returns a packing of documents.

    Args:
        name: of the packing.
        lengths: int64, tokens of each document of the training set.
        options: of the packing.

    Raises:
        UsageError: there is no such packing, or an option is missing or too small.
    """
    kinds = all_packings()
    if name not in kinds:
        raise UsageError(f"--packing {name}: no such packing.{suggestion(name, kinds)} There are: {', '.join(kinds)}.")
    if options.seq_len is not None and options.seq_len < 1:
        raise UsageError(f"--seq-len {options.seq_len}: it is at least 1.")
    packing = kinds[name].build(lengths, options)
    if not packing.samples:
        raise UsageError(f"--packing {name}: the training set makes no sample; check --seq-len and --map-batch.")
    return packing
