"""Compares two runs, or what filters have left of them: reports, and documents where both folders are there."""

from pathlib import Path

import msgspec

from dataaudit.comparison.compare import compare_results
from dataaudit.comparison.result import Comparison, DocumentChanges, Side
from dataaudit.errors import RunError
from dataaudit.pipeline.compare_documents import compare_documents
from dataaudit.pipeline.compared import Compared, compared, not_judged, plan_of
from dataaudit.pipeline.duplicate_layout import layout_file
from dataaudit.pipeline.filter_plan import FilterPlan
from dataaudit.pipeline.filter_run import run_key
from dataaudit.pipeline.filtered_documents import filtered_documents
from dataaudit.pipeline.filtered_result import depends_on_corpus
from dataaudit.pipeline.plan import Plan
from dataaudit.pipeline.store import RunFolder

WHOLE = "it depends on the whole corpus"
"""Why a signal of what a filter has left is not compared."""


def compare_runs(old: Path, new: Path) -> Comparison:
    """Returns what changed from one run to another.

    Args:
        old: a run folder; a ``report.json`` alone, then documents are not compared; or the output of a filter. If
            ``OUT/audit`` is an audit of ``OUT/clean``, that is compared. If there is none, what is clean is compared
            with its run, or with another filter of it, by the stored signals, and checks are not.
        new: likewise.

    Raises:
        RunError: one of them is none of these, or of another version.
    """
    sides = compared(old), compared(new)
    unjudged = [side for side in sides if not side.is_judged]
    if unjudged:
        return _of_one_run(*sides, not_judged(unjudged[-1]))
    documents: DocumentChanges | None = None
    reason = _why_not(*sides)
    if reason is None:
        documents = _with_rules(compare_documents(RunFolder(sides[0].path), RunFolder(sides[1].path)), *sides)
    results = sides[0].result, sides[1].result
    return compare_results(*results, names=(str(old), str(new)), documents=documents, documents_reason=reason)


def _of_one_run(old: Compared, new: Compared, reason: str) -> Comparison:
    """Compares sides of which one was not audited: both are of one run, so documents are known by their doc_id."""
    run = next(Path(side.filter.run) for side in (old, new) if side.filter is not None and not side.is_judged)
    found = compare_results(
        old.result,
        new.result,
        names=(old.name, new.name),
        documents=filtered_documents(run, *(_filter_in(run, side, reason) for side in (old, new))),
        documents_reason=None,
        checks_reason=reason,
    )
    left_out = {
        name: WHOLE for name in old.result.signals.keys() | new.result.signals.keys() if depends_on_corpus(name)
    }
    return msgspec.structs.replace(
        found,
        old=_side(found.old, old),
        new=_side(found.new, new),
        signals_not_compared=dict(sorted((found.signals_not_compared | left_out).items())),
    )


def _filter_in(run: Path, side: Compared, reason: str) -> FilterPlan | None:
    """Returns the filter of *run* that a side is, or None when it is the run itself."""
    if side.is_judged and side.path.resolve() == run:
        return None
    if side.filter is None or Path(side.filter.run) != run:
        raise RunError(f"{side.name} is neither {run} nor a filter of it, so more is needed to compare: {reason}.")
    return side.filter


def _side(side: Side, about: Compared) -> Side:
    return side if about.is_judged else msgspec.structs.replace(side, verdict=None)


def _with_rules(found: DocumentChanges, old: Compared, new: Compared) -> DocumentChanges:
    """Adds by which rules documents went, where one side is what a filter has left of the other."""
    shares = [
        filtered_documents(before.path, None, after.filter).removed_by_rule
        if after.filter is not None and _is_filter_of(after.filter, before.path)
        else []
        for before, after in ((old, new), (new, old))
    ]
    return msgspec.structs.replace(found, removed_by_rule=shares[0], added_by_rule=shares[1])


def _is_filter_of(plan: FilterPlan, run: Path) -> bool:
    return Path(plan.run) == run.resolve() and run_key(run, plan.rules) == plan.run_key


def _why_not(old: Compared, new: Compared) -> str | None:
    """Returns why the documents cannot be compared, or None."""
    plans: list[Plan] = []
    for side in (old, new):
        path = side.path
        if not path.is_dir():
            return f"{path} is a report alone; the digests of the texts are in the run folder"
        plan = plan_of(side)
        if plan is None:
            return f"{path} holds no plan.json that can be read"
        if not layout_file(RunFolder(path)).exists():
            return f"{path} has no digests of its documents (duplicates.enabled is false)"
        plans.append(plan)
    kinds = [{piece.kind for pieces in plan.shards for piece in pieces} for plan in plans]
    if kinds[0].isdisjoint(kinds[1]):
        return "one of the two corpora came as token ids and the other as texts"
    if plans[0].duplicates.signals != plans[1].duplicates.signals:
        return "the digests of the two runs were made by different versions"
    return None
