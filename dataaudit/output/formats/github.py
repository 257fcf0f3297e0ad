"""The result as GitHub workflow annotations; the command also appends the Markdown table to the job's summary."""

from pathlib import Path

from dataaudit.output.visible import one_line, visible
from dataaudit.output.wording import status_counts
from dataaudit.result import AuditResult, Finding, Status

MOST_ANNOTATIONS = 10
"""GitHub shows no more of a kind in a step, and 50 in a job."""
COMMANDS = {Status.ERROR: "error", Status.FAIL: "error", Status.WARN: "warning"}


def render(result: AuditResult, run: Path) -> str:
    """Returns an annotation for each of the worst findings, at most 10, and the verdict as a last line."""
    loud = [finding for finding in result.findings if finding.status in COMMANDS]
    lines = [_annotation(finding) for finding in loud[:MOST_ANNOTATIONS]]
    if len(loud) > MOST_ANNOTATIONS:
        lines.append(f"{len(loud) - MOST_ANNOTATIONS} more findings are in the job's summary and in report.json.")
    lines.append(f"dataaudit {result.verdict.upper()}: {status_counts(result)}; {one_line(str(run / 'report.json'))}")
    return "\n".join(lines) + "\n"


def _annotation(finding: Finding) -> str:
    """Returns ``::error file=F,line=N,title=T::message``; the place is that of the worst document."""
    properties = {}
    if finding.examples:
        properties = {"file": finding.examples[0].file, "line": str(finding.examples[0].record)}
    properties["title"] = f"dataaudit {finding.id}"
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{COMMANDS[finding.status]} {shown}::{_data(finding.message)}"


def _data(text: str) -> str:
    """Escapes a message: nothing in it can end the line and begin another command."""
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
