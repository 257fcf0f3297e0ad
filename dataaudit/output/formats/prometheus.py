"""The result in Prometheus' text format, for the node exporter's textfile collector.

Every series has the label ``run``, so that the files of several corpora can lie side by side.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dataaudit.output.visible import visible
from dataaudit.result import AuditResult, Finding, Status

LISTED_SOURCES = 100
CORPUS = {
    "files": "Files read.",
    "damaged_files": "Files that could not be read to their end.",
    "records": "Records found: documents, unreadable ones, and ones without a text.",
    "documents": "Documents measured.",
    "unreadable": "Records that could not be read.",
    "without_text": "Records without a text.",
    "tokens": "Tokens of all documents.",
    "characters": "Characters of all documents.",
    "text_bytes": "Bytes of all texts in UTF-8.",
    "input_bytes": "Bytes read.",
}


class Sample(NamedTuple):
    """One number of a metric."""

    labels: dict[str, str]
    value: float


class Metric(NamedTuple):
    """A metric with its samples; all are gauges."""

    name: str
    help: str
    samples: list[Sample]


def render(result: AuditResult, run: Path) -> str:
    """Returns all metrics, each with HELP and TYPE; a metric without a sample is left out."""
    common = {"run": str(run)}
    lines: list[str] = []
    for metric in _metrics(result):
        if metric.samples:
            name = f"dataaudit_{metric.name}"
            lines += [f"# HELP {name} {metric.help}", f"# TYPE {name} gauge"]
            lines += [f"{name}{_labels(common | each.labels)} {_number(each.value)}" for each in metric.samples]
    return "\n".join(lines) + "\n"


def _metrics(result: AuditResult) -> Iterator[Metric]:
    method = result.method
    about = {
        "version": result.dataaudit_version,
        "schema_version": str(result.schema_version),
        "config": method.config_name,
        "config_digest": method.config_digest,
    }
    yield Metric("info", "What made these numbers; always 1.", [Sample(about, 1)])
    verdicts = [Sample({"status": each}, each is result.verdict) for each in list(Status)[:4]]
    yield Metric("verdict", "1 for the verdict, 0 for the other statuses.", verdicts)
    counts = [Sample({"status": status}, result.counts.get(status, 0)) for status in Status]
    yield Metric("checks", "Checks by status.", counts)
    for name, text in CORPUS.items():
        number = getattr(result.corpus, name)
        yield Metric(f"corpus_{name}", text, [] if number is None else [Sample({}, number)])
    yield from _checks(result.findings)
    yield from _rules(result)
    yield from _sources(result)


def _checks(findings: list[Finding]) -> Iterator[Metric]:
    names = {each.id: {"check": each.id, "group": each.group} for each in findings}
    states = [
        Sample({**names[each.id], "status": status}, status is each.status) for each in findings for status in Status
    ]
    yield Metric("check_status", "1 for the status of the check, 0 for the others.", states)
    values = [
        Sample({**names[each.id], "unit": each.unit or ""}, each.value) for each in findings if each.value is not None
    ]
    yield Metric("check_value", "The number that was judged.", values)
    levels = [
        Sample({**names[each.id], "level": level, "when": when}, bound)
        for each in findings
        for level, bounds in (("warn", each.warn), ("fail", each.fail))
        for when, bound in (bounds or {}).items()
    ]
    yield Metric("check_limit", "The level from which, or above which, the check warns or fails.", levels)
    documents = [Sample(names[each.id], each.documents) for each in findings if each.documents is not None]
    yield Metric("check_documents", "Documents that the check concerns.", documents)


def _rules(result: AuditResult) -> Iterator[Metric]:
    judged = [(each, {"rule": each.id, "action": each.action}) for each in result.rules if each.status == "judged"]
    documents = [Sample(labels, each.documents) for each, labels in judged]
    yield Metric("rule_documents", "Documents that fail the rule.", documents)
    tokens = [Sample(labels, each.tokens) for each, labels in judged]
    yield Metric("rule_tokens", "Tokens in them; characters without a tokenizer.", tokens)


def _sources(result: AuditResult) -> Iterator[Metric]:
    sources = result.sources[:LISTED_SOURCES]
    documents = [Sample({"source": each.name}, each.documents) for each in sources]
    yield Metric("source_documents", "Documents of the source; the 100 largest sources.", documents)
    tokens = [Sample({"source": each.name}, each.tokens) for each in sources if each.tokens is not None]
    yield Metric("source_tokens", "Tokens of the source; the 100 largest sources.", tokens)


def _number(value: float) -> str:
    return repr(int(value) if value == int(value) else value)


def _labels(labels: dict[str, str]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(text: str) -> str:
    return visible(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
