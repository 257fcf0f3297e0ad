"""Runs the checks and applies their levels."""

from collections.abc import Mapping

import msgspec

from dataaudit.checks.check import Check, Outcome
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.wording import number, percent
from dataaudit.config.schema import Level, Levels
from dataaudit.result import SEVERITY, Finding, Status


def judge(checks: Mapping[str, Check], evidence: Evidence) -> list[Finding]:
    """Returns a finding a check: worst first, and in the checks' order within a status."""
    findings = [_finding(check, evidence) for check in checks.values()]
    return sorted(findings, key=lambda finding: SEVERITY[finding.status])


def _finding(check: Check, evidence: Evidence) -> Finding:
    levels = evidence.config.checks.get(check.id, Levels())
    if levels.skip:
        return _blank(check, Status.SKIP, "Switched off in the config.")
    missing = [evidence.missing(need) for need in check.needs if not evidence.has(need)]
    if missing:
        return _blank(check, Status.SKIP, f"Not measured: {'; '.join(dict.fromkeys(missing))}.")
    try:
        outcome = check.run(evidence, {**check.options, **levels.options})
    except Exception as error:
        return _blank(check, Status.ERROR, f"The check itself failed: {type(error).__name__}: {error}")
    return _judged(check, outcome, levels)


def _judged(check: Check, outcome: Outcome, levels: Levels) -> Finding:
    status, message = Status.INFO, outcome.message
    if outcome.skipped is not None:
        status = Status.SKIP
    elif outcome.value is not None and (levels.warn or levels.fail):
        status = Status.PASS
        for wanted, level in ((Status.FAIL, levels.fail), (Status.WARN, levels.warn)):
            if level is not None and reached(level, outcome.value):
                status = wanted
                message += f" {wanted.capitalize()}s {_limit(level, check.unit)}."
                break
    return Finding(
        id=check.id,
        group=check.group,
        status=status,
        title=check.title,
        message=message,
        value=None if outcome.value is None else float(outcome.value),
        unit=check.unit,
        warn=_plain(levels.warn),
        fail=_plain(levels.fail),
        documents=outcome.documents,
        tokens=outcome.tokens,
        why=check.why,
        advice=check.advice,
        details=outcome.details,
        worst_shards=outcome.worst_shards,
        worst_sources=outcome.worst_sources,
        examples=outcome.examples,
    )


def reached(level: Level, value: float) -> bool:
    """Says whether a value is at this level: ``above`` leaves the limit itself out, ``at_least`` takes it in."""
    if level.above is not None:
        return value > level.above
    return level.at_least is not None and value >= level.at_least


def _limit(level: Level, unit: str) -> str:
    word, limit = ("above", level.above) if level.above is not None else ("at", level.at_least)
    assert limit is not None
    return f"{word} {percent(limit) if unit.startswith('share') else number(limit)}"


def _plain(level: Level | None) -> dict[str, float] | None:
    if level is None:
        return None
    return {name: value for name, value in msgspec.structs.asdict(level).items() if value is not None}


def _blank(check: Check, status: Status, message: str) -> Finding:
    return Finding(
        id=check.id,
        group=check.group,
        status=status,
        title=check.title,
        message=message,
        unit=check.unit,
        why=check.why,
        advice=check.advice,
    )
