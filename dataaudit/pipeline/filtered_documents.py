"""Which documents two filters of one run keep, or a filter and the run itself; from the stored signals alone."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.comparison.result import DocumentChanges, Place, RuleShare
from dataaudit.pipeline.filter_plan import FilterPlan
from dataaudit.pipeline.plan import load_plan
from dataaudit.pipeline.signal_tables import signal_tables
from dataaudit.pipeline.store import RunFolder
from dataaudit.pipeline.verdicts import Verdicts, names_of, takes_out, verdicts_of

EXAMPLES = 10
PLACE = ("doc_id", "id", "file", "record")
Flags = NDArray[np.bool_]


class _Side(NamedTuple):
    """What one side says of some documents: which it keeps, and why not; the run itself keeps all."""

    keeps: Flags
    verdicts: Verdicts | None


class _Gone:
    """Documents that one side keeps and the other has taken out."""

    def __init__(self, plan: FilterPlan | None) -> None:
        self.documents = 0
        self.examples: list[Place] = []
        self._takes = np.array(takes_out(plan.rules)) if plan is not None else np.zeros(0, np.bool_)
        self._names = names_of(plan.rules) if plan is not None else []
        self._fails, self._alone = (np.zeros(len(self._names), np.int64) for _ in range(2))

    def add(self, table: pa.Table, gone: Flags, verdicts: Verdicts | None) -> None:
        self.documents += int(gone.sum())
        if verdicts is not None:
            fails = verdicts.fails[gone] & self._takes
            self._fails += fails.sum(axis=0)
            self._alone += fails[fails.sum(axis=1) == 1].sum(axis=0)
        room = EXAMPLES - len(self.examples)
        if room and gone.any():
            rows = table.select(PLACE).filter(pa.array(gone)).slice(0, room)
            self.examples += [Place(**row) for row in rows.to_pylist()]

    def by_rule(self) -> list[RuleShare]:
        shares = [
            RuleShare(id=name, documents=int(documents), alone=int(alone))
            for name, documents, alone in zip(self._names, self._fails, self._alone, strict=True)
            if documents
        ]
        return sorted(shares, key=lambda each: -each.documents)


def filtered_documents(run: Path, old: FilterPlan | None, new: FilterPlan | None) -> DocumentChanges:
    """Returns which documents came and went.

    Args:
        run: the folder of the run that both sides are of.
        old: the filter of the old side; None for the run itself.
        new: likewise.
    """
    removed, added, unchanged = _Gone(new), _Gone(old), 0
    for shard in range(len(load_plan(run).shards)):
        for table in signal_tables(RunFolder(run), shard, None):
            before, after = _side(old, table), _side(new, table)
            unchanged += int((before.keeps & after.keeps).sum())
            removed.add(table, before.keeps & ~after.keeps, after.verdicts)
            added.add(table, after.keeps & ~before.keeps, before.verdicts)
    return DocumentChanges(
        unchanged=unchanged,
        changed=0,
        added=added.documents,
        removed=removed.documents,
        changed_examples=[],
        added_examples=added.examples,
        removed_examples=removed.examples,
        removed_by_rule=removed.by_rule(),
        added_by_rule=added.by_rule(),
    )


def _side(plan: FilterPlan | None, table: pa.Table) -> _Side:
    if plan is None:
        return _Side(np.ones(table.num_rows, np.bool_), None)
    verdicts = verdicts_of(plan.rules, table, plan.restored)
    return _Side(~verdicts.out, verdicts)
