"""Parts of a sentence that several formats share."""

from dataaudit.output.visible import one_line
from dataaudit.result import AuditResult, CorpusSummary, Example, Status


def place(example: Example) -> str:
    """Returns where a document stands, as ``file:record token 3 (id NAME, doc_id N)``."""
    name = "" if example.id is None else f"id {one_line(example.id)}, "
    token = "" if example.position is None else f" token {example.position}"
    return f"{one_line(example.file)}:{example.record}{token} ({name}doc_id {example.doc_id})"


def status_counts(result: AuditResult) -> str:
    """Returns how many findings have each status, worst first, as ``1 fail · 12 warn``."""
    return " · ".join(f"{count} {status}" for status in Status if (count := result.counts.get(status)))


def accounting(corpus: CorpusSummary) -> str:
    """Returns what became of the records, and how much text the documents hold."""
    sizes = [
        counted(number, unit)
        for number, unit in ((corpus.tokens, "token"), (corpus.characters, "character"))
        if number is not None
    ]
    records, documents = counted(corpus.records, "record"), counted(corpus.documents, "document")
    return (
        f"{records} = {documents} + {corpus.unreadable:,} unreadable + {corpus.without_text:,} without text, "
        f"in {counted(corpus.files, 'file')}{'; ' if sizes else ''}{', '.join(sizes)}"
    )


def counted(value: int, one: str) -> str:
    """Returns a count with its noun: ``1 document``, ``2,000 documents``."""
    return f"{value:,} {one if value == 1 else one + 's'}"


def share(value: float | None) -> str:
    """Returns a share as percent with one decimal; ``0.0%`` is only nothing, ``100.0%`` only all, a dash no share."""
    if value is None:
        return "-"
    shown = f"{value:.1%}"
    if shown == "0.0%" and value > 0:
        return "<0.1%"
    return ">99.9%" if shown == "100.0%" and value < 1 else shown


def limit(level: dict[str, float] | None) -> str:
    """Returns a level as ``above 0.05`` or ``at least 1``; empty without one."""
    if not level:
        return ""
    return ", ".join(f"{how.replace('_', ' ')} {bound:g}" for how, bound in level.items())
