"""The result as JUnit XML: a check is a test case, so every CI shows it.

fail → failure, error → error, skip → skipped; warn, info and pass are passed tests with what they say in system-out.
"""

import xml.etree.ElementTree as ET
from pathlib import Path

from dataaudit.output.visible import visible
from dataaudit.output.wording import limit, place
from dataaudit.result import AuditResult, Finding, Status

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
TAGS = {Status.FAIL: "failure", Status.ERROR: "error", Status.SKIP: "skipped"}


def render(result: AuditResult, run: Path) -> str:
    """Returns a test suite a group of checks, in the order of their worst finding."""
    groups: dict[str, list[Finding]] = {}
    for finding in result.findings:
        groups.setdefault(finding.group, []).append(finding)
    root = ET.Element("testsuites", {"name": "dataaudit", **_counts(result.findings)})
    for group, findings in groups.items():
        suite = ET.SubElement(root, "testsuite", {"name": visible(group), **_counts(findings)})
        _add_properties(suite, _facts(result, run))
        for finding in findings:
            _add_case(suite, finding)
    ET.indent(root)
    return DECLARATION + ET.tostring(root, encoding="unicode") + "\n"


def _counts(findings: list[Finding]) -> dict[str, str]:
    having = {status: sum(finding.status is status for finding in findings) for status in TAGS}
    return {
        "tests": str(len(findings)),
        "failures": str(having[Status.FAIL]),
        "errors": str(having[Status.ERROR]),
        "skipped": str(having[Status.SKIP]),
    }


def _facts(result: AuditResult, run: Path) -> dict[str, object]:
    return {
        "run": run,
        "dataaudit_version": result.dataaudit_version,
        "config": result.method.config_name,
        "config_digest": result.method.config_digest,
        "documents": result.corpus.documents,
        "tokens": result.corpus.tokens,
    }


def _add_properties(parent: ET.Element, facts: dict[str, object]) -> None:
    properties = ET.SubElement(parent, "properties")
    for name, value in facts.items():
        if value not in (None, ""):
            ET.SubElement(properties, "property", name=name, value=visible(str(value)))


def _add_case(suite: ET.Element, finding: Finding) -> None:
    case = ET.SubElement(suite, "testcase", classname=f"dataaudit.{visible(finding.group)}", name=visible(finding.id))
    facts = {
        "status": finding.status,
        "value": finding.value,
        "unit": finding.unit,
        "warn": limit(finding.warn),
        "fail": limit(finding.fail),
        "documents": finding.documents,
        "tokens": finding.tokens,
    }
    _add_properties(case, dict(facts))
    message = visible(finding.message)
    tag = TAGS.get(finding.status)
    if tag is None:
        text = message if finding.status is not Status.WARN else _explained(finding)
        ET.SubElement(case, "system-out").text = f"{finding.status.upper()}: {text}"
        return
    outcome = ET.SubElement(case, tag, message=message)
    if finding.status is not Status.SKIP:
        outcome.set("type", finding.status)
        outcome.text = _explained(finding)


def _explained(finding: Finding) -> str:
    lines = [finding.message, f"Why: {finding.why}" if finding.why else "", _advice(finding)]
    shown = "\n".join(visible(line) for line in lines if line)
    return "\n".join([shown, *(f"  {place(example)}" for example in finding.examples)])


def _advice(finding: Finding) -> str:
    return f"What to do: {finding.advice}" if finding.advice else ""
