"""Parts of a sentence that several formats share."""

from dataaudit.output.visible import one_line
from dataaudit.result import AuditResult, CorpusSummary, Example, Status


def place(example: Example) -> str:
    """Returns where a document stands, as ``file:record (id NAME, doc_id N)``."""
    name = "" if example.id is None else f"id {one_line(example.id)}, "
    return f"{one_line(example.file)}:{example.record} ({name}doc_id {example.doc_id})"


def status_counts(result: AuditResult) -> str:
    """Returns how many findings have each status, worst first, as ``1 fail · 12 warn``."""
    return " · ".join(f"{count} {status}" for status in Status if (count := result.counts.get(status)))


def accounting(corpus: CorpusSummary) -> str:
    """Returns what became of the records, and how much text the documents hold."""
    sizes = [
        f"{number:,} {unit}"
        for number, unit in ((corpus.tokens, "tokens"), (corpus.characters, "characters"))
        if number is not None
    ]
    return (
        f"{corpus.records:,} records = {corpus.documents:,} documents + {corpus.unreadable:,} unreadable + "
        f"{corpus.without_text:,} without text, in {corpus.files:,} files{'; ' if sizes else ''}{', '.join(sizes)}"
    )


def limit(level: dict[str, float] | None) -> str:
    """Returns a level as ``above 0.05`` or ``at least 1``; empty without one."""
    if not level:
        return ""
    return ", ".join(f"{how.replace('_', ' ')} {bound:g}" for how, bound in level.items())
