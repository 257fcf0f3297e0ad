"""What a check is, what it gives, and the decorator that makes one of a function."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dataaudit.checks.evidence import Evidence, Found
from dataaudit.result import Example, Part

Options = Mapping[str, float]
Run = Callable[[Evidence, Options], "Outcome"]


@dataclass(slots=True)
class Outcome:
    """What a check found, before levels are applied.

    Attributes:
        value: the number that levels judge; None when there is none (the check is then information).
        message: a sentence that says what was found.
        skipped: why the corpus is too small or otherwise not judged; the other fields are then not judged.
    """

    value: float | None
    message: str
    skipped: str | None = None
    documents: int | None = None
    tokens: int | None = None
    details: dict[str, Any] = field(default_factory=dict)
    worst_shards: list[Part] = field(default_factory=list)
    worst_sources: list[Part] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)

    @classmethod
    def of(cls, found: Found, message: str, *, value: float | None, details: dict[str, Any] | None = None) -> "Outcome":
        """Returns an outcome about the documents that were found."""
        return cls(
            value,
            message,
            documents=found.documents,
            tokens=found.tokens,
            details=details or {},
            worst_shards=found.worst_shards,
            worst_sources=found.worst_sources,
            examples=found.examples,
        )

    @classmethod
    def skip(cls, reason: str) -> "Outcome":
        """Returns an outcome that judges nothing, and why."""
        return cls(None, reason, skipped=reason)


@dataclass(frozen=True, slots=True)
class Check:
    """Judges the corpus by one number.

    Attributes:
        id: its name in configs and reports.
        group: the section of the report.
        title: a few words.
        unit: of the judged value: ``share of documents``, ``ids``, ...
        needs: signals, or facts of the evidence (``token_counts``, ``vocabulary``), without which it is skipped.
        options: its own settings and their defaults: a share, 0 to 1, where the default is a float, else a count.
        doc: what it measures, then why it matters (``Why:``) and what to do (``Do:``).
        run: the measure.
    """

    id: str
    group: str
    title: str
    unit: str
    needs: tuple[str, ...]
    options: Mapping[str, float]
    doc: str
    run: Run

    @property
    def why(self) -> str:
        """Why it matters."""
        return _part(self.doc, "Why:")

    @property
    def advice(self) -> str:
        """What to do when it warns or fails."""
        return _part(self.doc, "Do:")


def check(
    id: str,  # noqa: A002 - the field's own name
    *,
    group: str,
    title: str,
    unit: str,
    needs: tuple[str, ...] = (),
    options: Mapping[str, float] | None = None,
) -> Callable[[Run], Check]:
    """Makes a check of a function; its docstring is the text that users read."""

    def wrap(run: Run) -> Check:
        return Check(id, group, title, unit, needs, dict(options or {}), inspect.getdoc(run) or "", run)

    return wrap


def _part(doc: str, mark: str) -> str:
    for paragraph in doc.split("\n\n"):
        for line in _sentences(paragraph):
            if line.startswith(mark):
                return line.removeprefix(mark).strip()
    return ""


def _sentences(paragraph: str) -> list[str]:
    """Returns the paragraph cut before each mark, every part on one line."""
    flat = " ".join(paragraph.split())
    return flat.replace(" Do:", "\nDo:").replace(" Why:", "\nWhy:").split("\n")
