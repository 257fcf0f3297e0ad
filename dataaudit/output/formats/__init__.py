"""One file an output format, and the file's name is the format's: ``render(result, run)`` returns the whole text.

To add a format, add a file; ``--format`` knows it at once. Formats are imported only when they are used.
"""

import importlib
import pkgutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataaudit.result import AuditResult

DEFAULT = "table"


def format_names() -> list[str]:
    """Returns the names of all formats, the default first."""
    return sorted((info.name for info in pkgutil.iter_modules(__path__)), key=lambda name: (name != DEFAULT, name))


def render(name: str, result: "AuditResult", run: Path) -> str:
    """Returns the result in a format.

    Args:
        name: one of *format_names*.
        result: what is rendered, and nothing else is.
        run: the run folder as the user named it, for texts that point to it; it is not opened.
    """
    text: str = importlib.import_module(f"{__name__}.{name}").render(result, run)
    return text
