"""Finds the sections of a page: one module and one template of the same name each, by walking their package.

A module has ``ORDER``, ``TITLE`` (a message) and ``build(view)``, which returns what its template shows, or None when
there is nothing for it.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple


class Section(NamedTuple):
    """A section: its place, its title's message and what it shows of the page's view."""

    name: str
    order: int
    title: str
    build: Callable[[Any], dict[str, Any] | None]


def sections_of(package: str, path: Iterable[str]) -> list[Section]:
    """Returns every section of a package in the order of the page."""
    found = []
    for name in sorted(info.name for info in pkgutil.iter_modules(path)):
        module = importlib.import_module(f"{package}.{name}")
        found.append(Section(name, module.ORDER, module.TITLE, module.build))
    return sorted(found, key=lambda section: (section.order, section.name))
