"""The measures of the monitor, one file each; found by walking this package.

A module has ``ORDER`` and ``measures(seen, levels)``, which returns what it measures of a window.
"""

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache

from dataaudit.monitor.judging import Seen
from dataaudit.monitor.levels import MonitorLevels
from dataaudit.monitor.result import Measure

Measuring = Callable[[Seen, MonitorLevels], tuple[Measure, ...]]


@cache
def all_measures() -> tuple[Measuring, ...]:
    """Returns every measuring function, in order."""
    modules = [importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__)]
    return tuple(each.measures for each in sorted(modules, key=lambda module: (module.ORDER, module.__name__)))
