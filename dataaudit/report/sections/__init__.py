"""Sections of the report. One module and one template of the same name each; found by walking this package.

A module has ``ORDER``, ``TITLE`` (a message) and ``build(view)``, which returns what its template shows, or None when
the result has nothing for it.
"""

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from dataaudit.report.view import View


class Section(NamedTuple):
    """A section: its place, its title's message and what it shows."""

    name: str
    order: int
    title: str
    build: Callable[[View], dict[str, Any] | None]


@cache
def all_sections() -> list[Section]:
    """Returns every section in the order of the page."""
    found = []
    for name in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        module = importlib.import_module(f"{__name__}.{name}")
        found.append(Section(name, module.ORDER, module.TITLE, module.build))
    return sorted(found, key=lambda section: (section.order, section.name))
