"""The findings, worst first: what, how much, why it matters, what to do and where."""

from typing import Any

from dataaudit.report.chinese_reasons import in_chinese
from dataaudit.report.numbers import count, judged, number, percent
from dataaudit.report.view import RUN, View, capped
from dataaudit.result import Example, Finding, Status

ORDER = 10
TITLE = "section.findings"
LISTED = 10
NESTED_ROWS = 10


def build(view: View) -> dict[str, Any] | None:
    """Returns the findings by how loud they are."""
    listed = {status: [each for each in view.result.findings if each.status is status] for status in Status}
    loud = [each for status in (Status.ERROR, Status.FAIL, Status.WARN) for each in listed[status]]
    groups = dict.fromkeys(each.group for each in view.result.findings)
    return {
        "loud": [_card(view, each) for each in loud],
        "folded": [
            {"title": view.t(key, len(listed[status])), "cards": [_card(view, each) for each in listed[status]]}
            for key, status in (
                ("findings.noted", Status.INFO),
                ("findings.passed", Status.PASS),
                ("findings.skipped", Status.SKIP),
            )
            if listed[status]
        ],
        "groups": [(name, view.t.known("group", name)) for name in groups],
    }


def _card(view: View, finding: Finding) -> dict[str, Any]:
    closeup = view.closeup
    weight = "词元" if view.result.lengths.get("unit") == "tokens" else "字符"
    excerpts = closeup.findings.get(finding.id, []) if closeup is not None else []
    shown = {each.doc_id for each in excerpts[: view.examples]}
    places, more = capped(view, [each for each in finding.examples if each.doc_id not in shown], LISTED)
    details, tables = _details(view, finding)
    return {
        "id": finding.id,
        "status": finding.status,
        "status_name": view.t(f"status.{finding.status}"),
        "group": finding.group,
        "group_name": view.t.known("group", finding.group),
        "title": view.t.data(f"check.{finding.id}.title", finding.title),
        "message": view.t.both(f"finding.{finding.id}", finding.message, _chinese(finding, weight)),
        "why": view.t.data(f"check.{finding.id}.why", _sentence(finding.why)),
        "advice": view.t.data(f"check.{finding.id}.advice", _sentence(finding.advice)),
        "value": judged(finding.value, finding.unit) if finding.value is not None else None,
        "unit": view.t.known("unit", finding.unit or ""),
        "levels": [view.t(f"findings.{name}", text) for name, text in _levels(finding)],
        "bullet": _bullet(view, finding),
        "documents": count(finding.documents) if finding.documents else None,
        "tokens": count(finding.tokens) if finding.tokens else None,
        "weight": view.t.known("unit", str(view.result.lengths.get("unit"))),
        "parts": [
            (part.name, count(part.documents), percent(part.share), part.share or 0.0)
            for part in (*finding.worst_sources, *finding.worst_shards)
        ],
        "excerpts": view.excerpts(excerpts, finding.id),
        "places": [_place(view, each) for each in places],
        "more": more,
        "details": details,
        "tables": tables,
        "command": f"dataaudit show {RUN} --check {finding.id}" if finding.examples else None,
    }


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _bullet(view: View, finding: Finding) -> str | None:
    if finding.value is None or not (finding.warn or finding.fail):
        return None
    warn, fail = (next(iter(level.values())) if level else None for level in (finding.warn, finding.fail))
    texts = ", ".join(text for _, text in _levels(finding))
    return view.charts.bullet(
        finding.value, warn, fail, f"@check.{finding.id}.title", judged(finding.value, finding.unit), texts
    )


def _levels(finding: Finding) -> list[tuple[str, str]]:
    signs = {"above": ">", "at_least": "≥"}
    return [
        (name, f"{signs[how]} {judged(value, finding.unit)}")
        for name, level in (("warn", finding.warn), ("fail", finding.fail))
        for how, value in (level or {}).items()
    ]


def _chinese(finding: Finding, weight: str) -> str:
    """Says in Chinese what the English sentence says, from the same numbers."""
    if finding.status in (Status.SKIP, Status.ERROR):
        return {Status.SKIP: "未判定：", Status.ERROR: "检查本身出错："}[finding.status] + in_chinese(finding.message)
    parts = []
    if finding.value is not None:
        parts.append(f"数值为 {judged(finding.value, finding.unit)}")
    if finding.documents:
        parts.append(f"涉及 {count(finding.documents)} 个文档")
    if finding.tokens:
        parts.append(f"{count(finding.tokens)} 个{weight}")
    names = {"warn": "警告线", "fail": "不合格线"}
    parts += [f"{names[name]} {text}" for name, text in _levels(finding)]
    return "，".join(parts) + "。" if parts else in_chinese(finding.message)


def _place(view: View, example: Example) -> dict[str, Any]:
    return {
        "place": f"{example.file}:{example.record}",
        "file": example.file,
        "id": example.id,
        "position": example.position,
        "value": number(example.value) if example.value is not None else "",
        "reason": view.t.reason(example.reason),
        "command": f"dataaudit show {RUN} --doc {example.doc_id}",
    }


def _details(view: View, finding: Finding) -> tuple[list[tuple[str, str]], list[dict[str, Any]]]:
    """Returns the further numbers: plain ones, and small tables."""
    plain: list[tuple[str, str]] = []
    tables = []
    for name, value in finding.details.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            keys = [key for key, each in value[0].items() if not isinstance(each, dict | list)]
            rows = [[_cell(view, each.get(key)) for key in keys] for each in value[:NESTED_ROWS]]
            tables.append({"name": name, "columns": keys, "rows": rows})
        elif not isinstance(value, dict | list):
            plain.append((name, _cell(view, value)))
        elif isinstance(value, dict):
            plain += [
                (f"{name}.{key}", _cell(view, each))
                for key, each in list(value.items())[:NESTED_ROWS]
                if not isinstance(each, dict | list)
            ]
    return plain, tables


def _cell(view: View, value: Any) -> str:
    if isinstance(value, str) and in_chinese(value) != value:
        return view.t.reason(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "–" if value is None else str(value)
    return number(value)
