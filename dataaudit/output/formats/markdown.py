"""The result as Markdown, for a pull request, an issue or a job's summary (GitHub's flavour)."""

import re
from collections.abc import Iterable
from pathlib import Path

from dataaudit.output.visible import visible
from dataaudit.output.wording import accounting, limit, share, status_counts
from dataaudit.result import AuditResult, Finding, RuleOutcome, SourceSummary, Status

LISTED_SOURCES = 20
ICONS = {
    Status.ERROR: "💥",
    Status.FAIL: "❌",
    Status.WARN: "⚠️",
    Status.PASS: "✅",
    Status.INFO: "ℹ️",
    Status.SKIP: "⏭️",
}
_MARKUP = re.compile(r"[\\`*_{}\[\]#|~$]")
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def render(result: AuditResult, run: Path) -> str:
    """Returns verdict, findings, rules and sources."""
    parts = [
        f"# dataaudit: {ICONS[result.verdict]} {result.verdict.upper()}",
        f"{status_counts(result)}\n\n{accounting(result.corpus)}",
        *_findings(result),
        *_rules(result.rules),
        *_sources(result.sources),
        f"Config {code(result.method.config_name)} ({result.method.config_digest[:12]}), dataaudit "
        f"{escape(result.dataaudit_version)}. All numbers: {code(str(run / 'report.json'))}",
    ]
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    """Returns text of any origin as Markdown that shows just this text: no markup, HTML, link, mention or new cell."""
    line = re.sub(r"\s+", " ", visible(text))
    line = _MARKUP.sub(r"\\\g<0>", re.sub("[&<>]", lambda found: _HTML[found[0]], line))
    return line.replace("://", "&#58;//").replace("www.", "www&#46;").replace("@", "@<!-- -->")


def code(text: str) -> str:
    """Returns text of any origin in a fixed-width face."""
    return f"<code>{escape(text)}</code>"


def table(headings: list[str], rows: Iterable[list[str]]) -> str:
    """Returns a table of cells that are Markdown already; headings with a trailing ``:`` are of numbers."""
    names = [heading.removesuffix(":") for heading in headings]
    rule = ["---:" if heading.endswith(":") else "---" for heading in headings]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (names, rule, *rows))


def _findings(result: AuditResult) -> list[str]:
    loud = [each for each in result.findings if each.status not in (Status.PASS, Status.SKIP)]
    quiet = [each for each in result.findings if each.status in (Status.PASS, Status.SKIP)]
    found = ["## Findings", _finding_table(loud)] if loud else []
    if quiet:
        title = f"<details><summary>{len(quiet)} passed or skipped</summary>"
        found.append(f"{title}\n\n{_finding_table(quiet)}\n\n</details>")
    return found


def _finding_table(findings: list[Finding]) -> str:
    return table(
        ["status", "check", "what", "warns", "fails"],
        (
            [
                f"{ICONS[each.status]} {each.status}",
                code(each.id),
                escape(each.message),
                limit(each.warn) or "-",
                limit(each.fail) or "-",
            ]
            for each in findings
        ),
    )


def _rules(rules: list[RuleOutcome]) -> list[str]:
    failing = [each for each in rules if each.documents]
    if not failing:
        return []
    rows = (
        [code(each.id), each.action, f"{each.documents:,}", f"{each.documents_alone:,}", f"{each.tokens:,}"]
        for each in failing
    )
    return ["## Rules", table(["rule", "action", "documents:", "only by it:", "tokens or characters:"], rows)]


def _sources(sources: list[SourceSummary]) -> list[str]:
    if len(sources) < 2:
        return []
    rows = (
        [escape(each.name), f"{each.documents:,}", share(each.document_share), share(_share(each))]
        for each in sources[:LISTED_SOURCES]
    )
    shown = table(["source", "documents:", "of documents:", "of tokens or characters:"], rows)
    rest = len(sources) - LISTED_SOURCES
    return ["## Sources", shown, *([f"and {rest:,} more"] if rest > 0 else [])]


def _share(source: SourceSummary) -> float | None:
    return source.character_share if source.token_share is None else source.token_share
