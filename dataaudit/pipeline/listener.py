"""How the pipeline tells what it is doing; it never prints."""

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from dataaudit.pipeline.tasks import Progress


class Listener(Protocol):
    """Hears notes and progress."""

    def note(self, text: str) -> None:
        """Hears a fact that a person should know: what was found, what was decided."""
        ...

    def warn(self, text: str) -> None:
        """Hears a fact that a person should act on."""
        ...

    def stage(self, name: str, size: int) -> AbstractContextManager[Progress]:
        """Opens a stage over *size* input bytes; the progress is called with the bytes worked off."""
        ...


class Silent:
    """A listener that says nothing."""

    def note(self, text: str) -> None:
        """Says nothing."""

    def warn(self, text: str) -> None:
        """Says nothing."""

    def stage(self, name: str, size: int) -> AbstractContextManager[Progress]:  # noqa: ARG002
        """Shows nothing."""
        return nullcontext(lambda _: None)
