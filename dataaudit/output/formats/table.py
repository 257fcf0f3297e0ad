"""The result as a table for the terminal: verdict, findings, what the rules would remove, where the report is."""

from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dataaudit.output.visible import one_line
from dataaudit.output.wording import accounting, place, share, status_counts
from dataaudit.result import AuditResult, Finding, Status

STYLES = {
    Status.ERROR: "bold magenta",
    Status.FAIL: "bold red",
    Status.WARN: "yellow",
    Status.PASS: "green",
    Status.INFO: "cyan",
    Status.SKIP: "dim",
}


FILE_WIDTH = 120


def render(result: AuditResult, run: Path) -> str:
    """Returns the result as plain text."""
    return _captured(Console(highlight=False, soft_wrap=True, force_terminal=False, width=FILE_WIDTH), result, run)


def render_for_terminal(result: AuditResult, run: Path) -> str:
    """Returns the result as text, in colour when stdout is a terminal."""
    return _captured(Console(highlight=False, soft_wrap=True), result, run)


def _captured(console: Console, result: AuditResult, out: Path) -> str:
    with console.capture() as captured:
        _print(console, result, out)
    return captured.get()


def _print(console: Console, result: AuditResult, out: Path) -> None:
    for finding in result.findings:
        if finding.status not in (Status.PASS, Status.SKIP):
            _print_finding(console, finding)
    _print_rest(console, result)
    console.print(f"\n{accounting(result.corpus)}")
    _print_sources(console, result)
    style = STYLES[result.verdict]
    console.print(f"\n[{style}]{result.verdict.upper()}[/{style}]  {status_counts(result)}")
    console.print(Text(f"report {one_line(str(out / 'report.html'))}{_next(result, out)}"))


def _print_finding(console: Console, finding: Finding) -> None:
    style = STYLES[finding.status]
    status, name = (f"{finding.status.upper():<5}", style), (finding.id, "bold")
    console.print(Text.assemble(status, " ", name, f"  {one_line(finding.message)}"))
    if finding.status in (Status.FAIL, Status.WARN) and finding.examples:
        console.print(Text(f"      such as {place(finding.examples[0])}", "dim"))


def _print_rest(console: Console, result: AuditResult) -> None:
    passed = [finding.id for finding in result.findings if finding.status is Status.PASS]
    if passed:
        console.print(f"[green]PASS[/green]  {', '.join(passed)}")
    skipped: dict[str, list[str]] = {}
    for finding in result.findings:
        if finding.status is Status.SKIP:
            skipped.setdefault(finding.message, []).append(finding.id)
    for reason, names in skipped.items():
        console.print(Text(f"SKIP  {', '.join(names)}: {one_line(reason)}", "dim"))


def _print_sources(console: Console, result: AuditResult) -> None:
    if len(result.sources) < 2:
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("source", no_wrap=True, overflow="ellipsis")
    for heading in ("documents", "share", "tokens", "share", "characters", "share"):
        table.add_column(heading, justify="right")
    for source in result.sources[:10]:
        table.add_row(
            Text(one_line(source.name)),
            f"{source.documents:,}",
            share(source.document_share),
            "-" if source.tokens is None else f"{source.tokens:,}",
            share(source.token_share),
            "-" if source.characters is None else f"{source.characters:,}",
            share(source.character_share),
        )
    console.print(table)
    if len(result.sources) > 10:
        console.print(f"... and {len(result.sources) - 10:,} more sources")


def _next(result: AuditResult, out: Path) -> str:
    for finding in result.findings:
        if finding.status in (Status.FAIL, Status.WARN):
            return f"   next: dataaudit show {one_line(str(out))} --check {finding.id}"
    return ""
