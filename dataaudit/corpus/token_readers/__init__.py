"""One reader a format of tokenised corpora; every module of this package is one, and its name is the format's.

Beside what every reader holds, each says which files are of its format: ``recognises``.
"""

import importlib
import pkgutil
from functools import cache
from typing import Literal, Protocol, cast

from dataaudit.corpus.documents import CorpusFile

Recognised = Literal["content", "name"]
"""By what a file shows its format: its content or a sidecar, or no more than its name."""


class Recogniser(Protocol):
    """What a module of this package holds beside a reader."""

    def recognises(self, file: CorpusFile, head: bytes, /) -> Recognised | None:
        """Returns how a file that begins with *head* shows that it is of this format; None when it does not.

        Raises:
            OSError: a sidecar is there and cannot be opened.
            DamageError: it is of this format and cannot be read.
        """
        ...


@cache
def names() -> tuple[str, ...]:
    """Returns the names of all formats of token arrays."""
    return tuple(sorted(info.name for info in pkgutil.iter_modules(__path__)))


def recognise(file: CorpusFile, head: bytes) -> dict[Recognised, str]:
    """Returns the format of a file that begins with *head* by its content, and the one that its name would mean."""
    found: dict[Recognised, str] = {}
    for name in names():
        module = cast("Recogniser", importlib.import_module(f"{__name__}.{name}"))
        if how := module.recognises(file, head):
            found.setdefault(how, name)
    return found
