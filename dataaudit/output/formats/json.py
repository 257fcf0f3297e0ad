"""The result as JSON: the same bytes as ``report.json``."""

from pathlib import Path

from dataaudit.result import AuditResult


def render(result: AuditResult, run: Path) -> str:  # noqa: ARG001 - every format has the same signature
    """Returns the report; its schema is ``configs/report.schema.json``."""
    return result.to_json().decode()
