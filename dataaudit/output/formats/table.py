"""The result as a table for the terminal: verdict, findings, what the rules would remove, where the report is."""

from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dataaudit.result import AuditResult, Finding, Status

STYLES = {
    Status.ERROR: "bold magenta",
    Status.FAIL: "bold red",
    Status.WARN: "yellow",
    Status.PASS: "green",
    Status.INFO: "cyan",
    Status.SKIP: "dim",
}


def render_table(result: AuditResult, out: Path) -> str:
    """Returns the result as text, in colour when stdout is a terminal."""
    console = Console(highlight=False, soft_wrap=True)
    with console.capture() as captured:
        _print(console, result, out)
    return captured.get()


def _print(console: Console, result: AuditResult, out: Path) -> None:
    corpus = result.corpus
    for finding in result.findings:
        if finding.status not in (Status.PASS, Status.SKIP):
            _print_finding(console, finding)
    _print_rest(console, result)
    console.print(
        f"\n{corpus.records:,} records = {corpus.documents:,} documents + {corpus.unreadable:,} unreadable + "
        f"{corpus.without_text:,} without text, in {corpus.files:,} files{_size(result)}"
    )
    _print_sources(console, result)
    counts = " · ".join(f"{count} {status}" for status, count in result.counts.items() if count)
    style = STYLES[result.verdict]
    console.print(f"\n[{style}]{result.verdict.upper()}[/{style}]  {counts}")
    console.print(f"report {escape(str(out / 'report.json'))}{_next(result, out)}")


def _print_finding(console: Console, finding: Finding) -> None:
    style = STYLES[finding.status]
    console.print(
        f"[{style}]{finding.status.upper():<5}[/{style}] [bold]{finding.id}[/bold]  {escape(finding.message)}"
    )
    if finding.status in (Status.FAIL, Status.WARN) and finding.examples:
        first = finding.examples[0]
        name = f" (id {first.id})" if first.id is not None else ""
        console.print(f"      [dim]such as {escape(f'{first.file}:{first.record}{name}, doc_id {first.doc_id}')}[/dim]")


def _print_rest(console: Console, result: AuditResult) -> None:
    passed = [finding.id for finding in result.findings if finding.status is Status.PASS]
    if passed:
        console.print(f"[green]PASS[/green]  {', '.join(passed)}")
    skipped: dict[str, list[str]] = {}
    for finding in result.findings:
        if finding.status is Status.SKIP:
            skipped.setdefault(finding.message, []).append(finding.id)
    for reason, names in skipped.items():
        console.print(f"[dim]SKIP  {', '.join(names)}: {escape(reason)}[/dim]")


def _size(result: AuditResult) -> str:
    corpus = result.corpus
    parts = [f"{corpus.tokens:,} tokens"] if corpus.tokens is not None else []
    parts += [f"{corpus.characters:,} characters"] if corpus.characters is not None else []
    return f"; {', '.join(parts)}" if parts else ""


def _print_sources(console: Console, result: AuditResult) -> None:
    if len(result.sources) < 2:
        return
    table = Table("source", box=None, pad_edge=False)
    for heading in ("documents", "share", "tokens", "share", "characters", "share"):
        table.add_column(heading, justify="right")
    for source in result.sources[:10]:
        table.add_row(
            escape(source.name),
            f"{source.documents:,}",
            _percent(source.document_share),
            "-" if source.tokens is None else f"{source.tokens:,}",
            _percent(source.token_share),
            "-" if source.characters is None else f"{source.characters:,}",
            _percent(source.character_share),
        )
    console.print(table)
    if len(result.sources) > 10:
        console.print(f"... and {len(result.sources) - 10:,} more sources")


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _next(result: AuditResult, out: Path) -> str:
    for finding in result.findings:
        if finding.examples and finding.status in (Status.FAIL, Status.WARN):
            return f"   next: dataaudit show {escape(str(out))} --check {finding.id}"
    return ""
