"""Checks judge the corpus. One file a group; every ``Check`` found in a module of this package is one."""

import importlib
import pkgutil
from functools import cache

from dataaudit.checks.check import Check

__all__ = ["Check", "all_checks"]


@cache
def all_checks() -> dict[str, Check]:
    """Returns every check by id, in the order of the groups' file names and then of their definition."""
    found: dict[str, Check] = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        for value in vars(importlib.import_module(f"{__name__}.{module}")).values():
            if isinstance(value, Check):
                found[value.id] = value
    return found
