"""Compares two results."""

from collections.abc import Callable

from dataaudit.comparison.method import compare_methods
from dataaudit.comparison.result import (
    CheckChange,
    Comparison,
    DocumentChanges,
    RuleChange,
    Side,
    SourceChange,
)
from dataaudit.comparison.signals import compare_signals
from dataaudit.drift.sums import plain
from dataaudit.result import SEVERITY, AuditResult, Finding, RuleOutcome, SourceSummary, Status

LISTED_SOURCES = 100
GRAVITY = {Status.ERROR: 3, Status.FAIL: 2, Status.WARN: 1}
"""How bad a status is; the others are good."""


def compare_results(
    old: AuditResult,
    new: AuditResult,
    *,
    names: tuple[str, str],
    documents: DocumentChanges | None,
    documents_reason: str | None,
    checks_reason: str | None = None,
) -> Comparison:
    """Returns what changed.

    Args:
        old: the earlier result.
        new: the later one.
        names: what the two are called.
        documents: which documents changed, None when that is not known.
        documents_reason: then why.
        checks_reason: why a side was not judged; then checks, values and rules are not compared.
    """
    changes = _checks(old.findings, new.findings) if checks_reason is None else []
    signals = compare_signals(old, new)
    moved = [each for each in changes if each.old_status is not each.new_status]
    return Comparison(
        old=_side(names[0], old),
        new=_side(names[1], new),
        regressions=[each.id for each in moved if _is_worse(each)],
        checks=sorted(moved, key=_severity),
        values=[each for each in changes if each not in moved and each.old_value != each.new_value],
        signals=signals.moved,
        signals_compared=signals.compared,
        signals_not_compared=signals.not_compared,
        sources=_sources(old.sources, new.sources),
        rules=_rules(old.rules, new.rules) if checks_reason is None else [],
        documents=documents,
        documents_reason=documents_reason,
        method=compare_methods(old, new),
        checks_reason=checks_reason,
    )


def _side(name: str, result: AuditResult) -> Side:
    corpus = result.corpus
    return Side(
        name=name,
        dataaudit_version=result.dataaudit_version,
        config_name=result.method.config_name,
        config_digest=result.method.config_digest,
        verdict=result.verdict,
        records=corpus.records,
        documents=corpus.documents,
        tokens=corpus.tokens,
        characters=corpus.characters,
    )


def _is_worse(change: CheckChange) -> bool:
    """Whether both runs have the check, and its status got worse."""
    old, new = change.old_status, change.new_status
    return old is not None and new is not None and GRAVITY.get(new, 0) > GRAVITY.get(old, 0)


def _severity(change: CheckChange) -> tuple[int, int]:
    statuses = change.new_status, change.old_status
    worst, before = (len(SEVERITY) if each is None else SEVERITY[each] for each in statuses)
    return worst, -before


def _checks(old: list[Finding], new: list[Finding]) -> list[CheckChange]:
    """Returns all checks of both runs, in the new run's order; those it does not have come last."""
    before, after = {each.id: each for each in old}, {each.id: each for each in new}
    return [
        _check(before.get(name), after.get(name)) for name in [*after, *(name for name in before if name not in after)]
    ]


def _check(old: Finding | None, new: Finding | None) -> CheckChange:
    known = new or old
    assert known is not None
    return CheckChange(
        id=known.id,
        group=known.group,
        old_status=old.status if old else None,
        new_status=new.status if new else None,
        old_value=old.value if old else None,
        new_value=new.value if new else None,
        unit=known.unit,
        levels_differ=old is not None and new is not None and (old.warn, old.fail) != (new.warn, new.fail),
        message=known.message,
    )


def _sources(old: list[SourceSummary], new: list[SourceSummary]) -> list[SourceChange]:
    before, after = {each.name: each for each in old}, {each.name: each for each in new}
    share = _share_of([*old, *new])
    changes = []
    for name in sorted(before.keys() | after.keys()):
        was, now = before.get(name), after.get(name)
        change = SourceChange(
            name=name,
            old_documents=was.documents if was else 0,
            new_documents=now.documents if now else 0,
            old_share=plain(share(was)) or 0.0,
            new_share=plain(share(now)) or 0.0,
        )
        if change.old_documents != change.new_documents or change.old_share != change.new_share:
            changes.append(change)
    changes.sort(key=lambda each: (-abs(each.new_share - each.old_share), each.name))
    return changes[:LISTED_SOURCES]


def _share_of(sources: list[SourceSummary]) -> Callable[[SourceSummary | None], float | None]:
    """Returns the finest share that both runs have."""
    for name in ("token_share", "character_share"):
        if all(getattr(each, name) is not None for each in sources):
            return lambda source: getattr(source, name) if source else None
    return lambda source: source.document_share if source else None


def _rules(old: list[RuleOutcome], new: list[RuleOutcome]) -> list[RuleChange]:
    before, after = {each.id: each for each in old}, {each.id: each for each in new}
    changes = []
    for name in [*after, *(name for name in before if name not in after)]:
        was, now = before.get(name), after.get(name)
        change = RuleChange(
            id=name,
            old_documents=was.documents if was and was.status == "judged" else None,
            new_documents=now.documents if now and now.status == "judged" else None,
            limits_differ=was is not None and now is not None and _limits(was) != _limits(now),
        )
        if change.old_documents != change.new_documents or change.limits_differ:
            changes.append(change)
    return changes


def _limits(rule: RuleOutcome) -> tuple[str, float | None, float | None]:
    return rule.signal, rule.min, rule.max
