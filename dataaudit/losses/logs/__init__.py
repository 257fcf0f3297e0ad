"""Formats of logs, one file each; found by walking this package.

A module has ``is_mine(path, head)``, told the first bytes, and ``read(path, into)``, which adds the points and returns
a note of what could not be read, or an empty text.
"""

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from dataaudit.losses.points import Points


class LogFormat(NamedTuple):
    """A format, with what its module has."""

    name: str
    is_mine: Callable[[Path, bytes], bool]
    read: Callable[[Path, Points], str]


@cache
def all_formats() -> list[LogFormat]:
    """Returns every format, in the order of their names."""
    found = []
    for name in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        module = importlib.import_module(f"{__name__}.{name}")
        found.append(LogFormat(name, module.is_mine, module.read))
    return found
