"""What each rule would remove, which rules overlap, and the documents at the edge of each."""

from typing import Any

from dataaudit.closeup import RuleCloseup
from dataaudit.report.numbers import count, number, percent, share_of
from dataaudit.report.svg import level
from dataaudit.report.view import RUN, View, capped
from dataaudit.result import RuleOutcome

ORDER = 70
TITLE = "section.rules"
MATRIX = 14


def build(view: View) -> dict[str, Any] | None:
    """Returns the funnel, the overlap and the examples."""
    rules = view.result.rules
    if not rules:
        return None
    closeups = {rule.id: rule for rule in view.closeup.rules} if view.closeup is not None else {}
    configured = {rule["id"]: rule for rule in view.result.method.config.get("rules", []) if isinstance(rule, dict)}
    most = max((rule.documents for rule in rules), default=0)
    loud = [rule for rule in rules if rule.documents]
    shown = [_rule(view, rule, closeups.get(rule.id), configured.get(rule.id, {}), most) for rule in loud]
    quiet = [
        _rule(view, rule, closeups.get(rule.id), configured.get(rule.id, {}), most)
        for rule in rules
        if not rule.documents
    ]
    listed, more = capped(view, shown)
    last = view.closeup.rules[-1] if view.closeup is not None and view.closeup.rules else None
    return {
        "left": view.t(
            "rules.left",
            count(last.documents_left),
            count(view.documents),
            percent(share_of(last.documents_left, view.documents)),
            count(last.tokens_left),
            count(view.tokens),
            percent(share_of(last.tokens_left, view.tokens)),
        )
        if last is not None
        else "",
        "rules": listed,
        "more": more,
        "quiet": quiet[: view.rows],
        "quiet_title": view.t("rules.quiet", len(quiet)),
        "overlap": _overlap(view),
    }


def _rule(
    view: View, rule: RuleOutcome, closeup: RuleCloseup | None, configured: dict[str, Any], most: int
) -> dict[str, Any]:
    alone = share_of(rule.documents_alone, most) or 0.0
    return {
        "id": rule.id,
        "signal": rule.signal,
        "keeps": _keeps(rule, configured),
        "applies": " · ".join(_condition(each) for each in configured.get("applies_when") or []),
        "source": view.t.reason(configured.get("source")),
        "flag": rule.action == "flag",
        "measured": rule.status == "judged",
        "documents": count(rule.documents),
        "document_share": percent(share_of(rule.documents, view.documents)),
        "tokens": count(rule.tokens),
        "token_share": percent(share_of(rule.tokens, view.tokens)),
        "alone": count(rule.documents_alone),
        "left": count(closeup.documents_left) if closeup is not None else "–",
        "undefined": count(rule.undefined) if rule.undefined else None,
        "not_applicable": count(rule.not_applicable) if rule.not_applicable else None,
        "bar": view.charts.bars([alone, (share_of(rule.documents, most) or 0.0) - alone], "bars two"),
        "excerpts": view.excerpts(closeup.examples, rule.signal) if closeup is not None else [],
        "has_chart": closeup is not None and bool(closeup.curves),
        "command": f"dataaudit show {RUN} --rule {rule.id}",
    }


def _keeps(rule: RuleOutcome, configured: dict[str, Any]) -> str:
    if configured.get("one_of"):
        return f"{rule.signal} ∈ {{{', '.join(number(each) for each in configured['one_of'])}}}"
    low = f"{number(rule.min)} ≤ " if rule.min is not None else ""
    high = f" ≤ {number(rule.max)}" if rule.max is not None else ""
    return f"{low}{rule.signal}{high}"


def _condition(condition: dict[str, Any]) -> str:
    low, high = condition.get("min"), condition.get("max")
    return (
        (f"{number(low)} ≤ " if low is not None else "")
        + str(condition.get("signal"))
        + (f" ≤ {number(high)}" if high is not None else "")
    )


def _overlap(view: View) -> dict[str, Any] | None:
    if view.closeup is None or len(view.closeup.overlap.rules) < 2:
        return None
    overlap = view.closeup.overlap
    names = overlap.rules[:MATRIX]
    return {
        "names": names,
        "rows": [
            (
                name,
                [(count(each), level(each, overlap.documents[place][place])) for each in row[:MATRIX]],
            )
            for place, (name, row) in enumerate(zip(names, overlap.documents, strict=False))
        ],
    }
