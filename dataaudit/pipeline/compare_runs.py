"""Compares two runs: their reports, and, where both folders are there, their documents by the digests of the texts."""

from pathlib import Path

import msgspec

from dataaudit.comparison.compare import compare_results
from dataaudit.comparison.result import Comparison, DocumentChanges
from dataaudit.errors import RunError
from dataaudit.pipeline.compare_documents import compare_documents
from dataaudit.pipeline.duplicate_layout import layout_file
from dataaudit.pipeline.lookup import load_result
from dataaudit.pipeline.plan import Plan, load_plan
from dataaudit.pipeline.store import RunFolder
from dataaudit.result import AuditResult, from_json

FILTERED = "filter.json"


def compare_runs(old: Path, new: Path) -> Comparison:
    """Returns what changed from one run to another.

    Args:
        old: a run folder, or a ``report.json`` alone: then documents are not compared.
        new: likewise.

    Raises:
        RunError: one of them is neither, or of another version.
    """
    results = _load(old), _load(new)
    documents: DocumentChanges | None = None
    reason = _why_not(old, new)
    if reason is None:
        documents = compare_documents(RunFolder(old), RunFolder(new))
    return compare_results(*results, names=(str(old), str(new)), documents=documents, documents_reason=reason)


def _load(path: Path) -> AuditResult:
    if path.is_dir():
        if (path / FILTERED).exists() and not (path / "report.json").exists():
            raise RunError(
                f"{path} is the output of a filter; filter.json has what it took out. To compare before and after, "
                f"audit the clean corpus: dataaudit audit {path / 'clean'} -o CLEAN, and compare with CLEAN."
            )
        return load_result(path)
    try:
        return from_json(path.read_bytes())
    except OSError as error:
        raise RunError(f"{path} cannot be read ({error.strerror}). Give a run folder or its report.json.") from error
    except msgspec.DecodeError as error:
        raise RunError(f"{path} is no report.json of this version: {error}.") from error


def _why_not(old: Path, new: Path) -> str | None:
    """Returns why the documents cannot be compared, or None."""
    plans: list[Plan] = []
    for path in (old, new):
        if not path.is_dir():
            return f"{path} is a report alone; the digests of the texts are in the run folder"
        try:
            plan = load_plan(path)
        except (OSError, msgspec.DecodeError):
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
