"""Kinds of orders, one file each; found by walking this package.

A module has ``FORM`` (how it is written), ``ABOUT`` (what it reads like), ``IS_FILE`` (its value is a file) and
``build(order, setup)``; its name with dashes is the kind. One whose files say how samples are packed has
``packing(order, lengths, eos)`` too.
"""

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.errors import UsageError, suggestion
from dataaudit.order.batches import Order
from dataaudit.order.packing import Packing
from dataaudit.order.setup import Setup
from dataaudit.order.spelling import Spelled, spelled

MOST_SAMPLES = 1 << 24
"""Samples of a step."""
Pack = Callable[[Spelled, NDArray[np.int64], int], Packing]


class Kind(NamedTuple):
    """A kind of order, with what its module has."""

    name: str
    form: str
    about: str
    is_file: bool
    build: Callable[[Spelled, Setup], Order]
    packing: Pack | None


@cache
def all_kinds() -> dict[str, Kind]:
    """Returns every kind of order by name."""
    found = {}
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{__name__}.{info.name}")
        name = info.name.replace("_", "-")
        packing = getattr(module, "packing", None)
        found[name] = Kind(name, module.FORM, module.ABOUT, module.IS_FILE, module.build, packing)
    return found


def kind_of(text: str) -> Kind:
    """Returns the kind of an order as it was written.

    Raises:
        UsageError: there is none of this name.
    """
    name = text.partition(":")[0].partition(",")[0].partition("+")[0].strip()
    kinds = all_kinds()
    if name not in kinds:
        forms = ", ".join(kind.form for kind in kinds.values())
        raise UsageError(f"--order {text}: no order {name!r}.{suggestion(name, kinds)} There are: {forms}.")
    return kinds[name]


def parse_order(text: str, setup: Setup) -> Order:
    """Returns an order by how it is written, such as ``hf-trainer:42``.

    Raises:
        UsageError: it is not written well, its file cannot be used, or the setup does not fit.
    """
    kind = kind_of(text)
    for name in ("batch_size", "grad_accum", "world_size", "epochs"):
        if getattr(setup, name) < 1:
            raise UsageError(f"--{name.replace('_', '-')} {getattr(setup, name)}: it is at least 1.")
    if (size := setup.batch_size * setup.grad_accum * setup.world_size) > MOST_SAMPLES:
        raise UsageError(
            f"--batch-size × --grad-accum × --world-size make a step of {size:,} samples; at most {MOST_SAMPLES:,} are "
            "traced. Check them: --batch-size counts samples of one rank and micro-batch."
        )
    return kind.build(spelled(text, is_file=kind.is_file), setup)
