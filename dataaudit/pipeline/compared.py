"""One side of a comparison: a run, a report alone, or the output of a filter, audited or not."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from dataaudit.errors import RunError
from dataaudit.filter_result import FilterResult
from dataaudit.pipeline.filter_plan import RESULT_NAME, FilterPlan, load_filter_plan
from dataaudit.pipeline.filter_run import run_key
from dataaudit.pipeline.filtered_result import filtered_result
from dataaudit.pipeline.lookup import load_result
from dataaudit.pipeline.plan import Plan, load_plan
from dataaudit.result import AuditResult, from_json

AUDIT = "audit"
"""Where an audit of OUT/clean is looked for, in the output of a filter."""
CLEAN = "clean"


@dataclass(frozen=True, slots=True)
class Compared:
    """One side.

    Attributes:
        name: as it was named.
        path: the run folder, or the report; of an output that was not audited the run folder that was filtered.
        result: what is compared.
        filter: of the output of a filter, audited or not: what it did; None for other runs.
        is_judged: whether *result* is that of an audit.
    """

    name: str
    path: Path
    result: AuditResult
    filter: FilterPlan | None = None
    is_judged: bool = True


def compared(path: Path) -> Compared:
    """Returns what a path names.

    Raises:
        RunError: it is nothing that can be compared.
    """
    name = str(path)
    if not path.is_dir():
        return Compared(name, path, _report(path))
    if not (path / RESULT_NAME).exists() or (path / "report.json").exists():
        return Compared(name, path, load_result(path), _filter_of(path))
    plan, audit = load_filter_plan(path), path / AUDIT
    if plan is None:
        raise RunError(f"{path} is the output of a filter, but filter_plan.json cannot be read. {_audit_first(path)}")
    if (audit / "report.json").exists():
        return Compared(name, audit, _audited(path, audit), plan)
    run = Path(plan.run)
    if not (run / "report.json").exists():
        raise RunError(f"{path} was filtered from {run}, which is not there any more. {_audit_first(path)}")
    if run_key(run, plan.rules) != plan.run_key:
        raise RunError(f"{run} has been audited again since {path} was written. {_audit_first(path)}")
    return Compared(name, run, filtered_result(path, plan), plan, is_judged=False)


def not_judged(side: Compared) -> str:
    """Returns why the checks of an output are not known, and what to do."""
    return f"{side.name} was not audited; {_command(Path(side.name))} judges it"


def plan_of(side: Compared) -> Plan | None:
    """Returns the plan of a side's run folder, or None when it cannot be read."""
    try:
        return load_plan(side.path)
    except (OSError, msgspec.DecodeError):
        return None


def _report(path: Path) -> AuditResult:
    try:
        return from_json(path.read_bytes())
    except OSError as error:
        raise RunError(f"{path} cannot be read ({error.strerror}). Give a run folder or its report.json.") from error
    except msgspec.DecodeError as error:
        raise RunError(f"{path} is no report.json of this version: {error}.") from error


def _filter_of(run: Path) -> FilterPlan | None:
    """Returns the filter whose clean files a run has audited, or None."""
    try:
        inputs = load_plan(run).inputs
    except (OSError, msgspec.DecodeError):
        return None
    place = Path(inputs[0]) if len(inputs) == 1 else None
    return load_filter_plan(place.parent) if place is not None and place.name == CLEAN else None


def _audited(out: Path, audit: Path) -> AuditResult:
    """Returns the audit of an output; it must be one of what is clean now."""
    result = load_result(audit)
    try:
        clean = msgspec.json.decode((out / RESULT_NAME).read_bytes(), type=FilterResult).records.clean
    except msgspec.DecodeError as error:
        raise RunError(f"{out / RESULT_NAME} cannot be read: {error}. Run the same filter again.") from error
    if result.corpus.records != clean:
        raise RunError(
            f"{audit} audited {result.corpus.records:,} records, but {out / CLEAN} holds {clean:,}: it is of an "
            f"earlier state. Run again: {_command(out)}"
        )
    return result


def _audit_first(out: Path) -> str:
    return f"Audit what is clean, and compare again: {_command(out)}"


def _command(out: Path) -> str:
    return f"dataaudit audit {out / CLEAN} -o {out / AUDIT}"
