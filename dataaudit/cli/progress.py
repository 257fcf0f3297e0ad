"""What the person at the terminal sees on stderr: notes, and a live bar, or a line every 30 s elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.text import Text

from dataaudit.output.visible import one_line
from dataaudit.pipeline.tasks import Progress as Advance

LINE_EVERY_SECONDS = 30.0


class TerminalListener:
    """Writes what the pipeline says to stderr."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.console = Console(stderr=True, highlight=False, soft_wrap=True)
        self.quiet = quiet

    def note(self, text: str) -> None:
        """Writes a note, unless quiet."""
        if not self.quiet:
            self.console.print(Text(one_line(text)))

    def warn(self, text: str) -> None:
        """Writes a warning."""
        self.console.print(Text.assemble(("warning:", "yellow"), f" {one_line(text)}"))

    @contextmanager
    def stage(self, name: str, size: int) -> Iterator[Advance]:
        """Shows a bar on a terminal, else a line every 30 s."""
        if self.quiet:
            yield lambda _: None
        elif self.console.is_terminal:
            yield from self._bar(name, size)
        else:
            yield _Lines(self.console, name, size).advance

    def _bar(self, name: str, size: int) -> Iterator[Advance]:
        columns = (TextColumn(name), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
        with Progress(*columns, console=self.console, transient=True) as bar:
            task = bar.add_task(name, total=size)
            yield lambda count: bar.advance(task, count)


class _Lines:
    """Prints a line every 30 s."""

    def __init__(self, console: Console, stage: str, total: int) -> None:
        self.console, self.stage, self.total = console, stage, total
        self.done = 0
        self.started = self.last = time.monotonic()

    def advance(self, count: int) -> None:
        """Adds input bytes that have been worked off."""
        self.done += count
        now = time.monotonic()
        if now - self.last < LINE_EVERY_SECONDS:
            return
        self.last = now
        rate = self.done / (now - self.started)
        left = f"{(self.total - self.done) / rate:,.0f} s left" if rate else "time left unknown"
        self.console.print(
            f"{self.stage}  {self.done / 1e6:,.0f} of {self.total / 1e6:,.0f} MB  {rate / 1e6:.1f} MB/s  {left}"
        )
