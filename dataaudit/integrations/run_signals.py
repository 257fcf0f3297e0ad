"""Signals that need the whole corpus, looked up in the run folder of its audit."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.errors import RunError, UsageError
from dataaudit.integrations.columns import Batch, column_of, names_of
from dataaudit.pipeline.plan import Plan, load_plan
from dataaudit.pipeline.signal_tables import signal_tables
from dataaudit.pipeline.store import RunFolder

CHECKED = {"text": "char_count", "ids": "token_count"}
"""The signal by which a document and its row are compared, and what it counts."""
COUNTED = {"char_count": "characters", "token_count": "tokens"}


@dataclass(frozen=True)
class RunSignals:
    """Some signals of an audited corpus, by document.

    A document is found by the dataset's column ``doc_id`` where it has one, else by the user's own id.

    Attributes:
        path: the run folder.
        digest: of what the run was made of and judged with, so that another run at the same path is another filter.
        id_column: the dataset's column with the user's own id.
        names: the signals.
        checked: the signal by which a document and its row are compared.
    """

    path: str
    digest: str
    id_column: str
    names: tuple[str, ...]
    checked: str

    def look_up(self, batch: Batch, measured: pa.Table, without: NDArray[np.bool_]) -> pa.Table:
        """Returns *measured* with the run's signals beside it, null for records *without* text, which have none.

        Raises:
            UsageError: a document is not in the run, or is another one there.
        """
        key = "doc_id" if "doc_id" in names_of(batch) else self.id_column
        values = column_of(batch, key, "finding documents in the run (their own id, or the run's doc_id)")
        wanted = values.to_pylist() if isinstance(values, pa.Array | pa.ChunkedArray) else list(values)
        index = _index(self, key == "doc_id")
        found = [
            None if no_text else self._row(index, each, key) for each, no_text in zip(wanted, without, strict=True)
        ]
        rows = pa.array(found, pa.int64())
        self._compare(index.table.column(self.checked).take(rows), measured.column(self.checked), wanted, key)
        for name in self.names:
            measured = measured.append_column(name, index.table.column(name).take(rows))
        return measured

    def _row(self, index: "_Index", wanted: object, key: str) -> int:
        name = wanted if isinstance(wanted, int) and key == "doc_id" else str(wanted)
        if name not in index.rows:
            raise UsageError(
                f"{self.path} has no document with {key} {wanted!r}. Filter the dataset that was audited, or audit it."
            )
        row = index.rows[name]
        if row < 0:
            raise UsageError(
                f"{self.path} has several documents with {key} {wanted!r}, so it does not say which is meant. "
                "Give the dataset the run's doc_id as a column."
            )
        return row

    def _compare(self, stored: pa.ChunkedArray, measured: pa.ChunkedArray, wanted: list[object], key: str) -> None:
        for name, old, new in zip(wanted, stored.to_pylist(), measured.to_pylist(), strict=True):
            if old is not None and old != new:
                raise UsageError(
                    f"the document with {key} {name!r} has {new} {COUNTED[self.checked]}, and had {old} in "
                    f"{self.path}: it is not the text that was audited. Audit the dataset again."
                )


class _Index(NamedTuple):
    """Where documents are in a table of signals; -1 for an id that several have."""

    rows: dict[int | str, int]
    table: pa.Table


@lru_cache(maxsize=1)
def _index(signals: RunSignals, by_doc_id: bool) -> _Index:
    run = RunFolder(Path(signals.path))
    key = "doc_id" if by_doc_id else "id"
    wanted = {key, signals.checked, *signals.names}
    shards = len(_plan(run.path).shards)
    table = pa.concat_tables(part for shard in range(shards) for part in signal_tables(run, shard, wanted))
    missing = sorted(wanted - set(table.column_names))
    if missing:
        raise RunError(f"{run.path} has not measured {', '.join(missing)}. Audit again with what they need.")
    rows: dict[int | str, int] = {}
    for row, name in enumerate(table.column(key).to_pylist()):
        if name is not None:
            rows[name] = -1 if name in rows else row
    return _Index(rows, table)


def run_signals(path: str, id_column: str | None, names: tuple[str, ...], checked: str) -> RunSignals:
    """Returns these signals of a finished run; *checked* is the one by which documents are compared.

    Raises:
        RunError: there is no run.
    """
    folder = Path(path)
    plan = _plan(folder)
    digest = hashlib.sha256()
    for name in ("manifest.json", "plan.json"):
        try:
            digest.update((folder / name).read_bytes())
        except OSError as error:
            raise RunError(f"{path} has no {name}: the audit was not finished. Run it again.") from error
    found = id_column or plan.map.read.id_column or "id"
    return RunSignals(str(folder.absolute()), digest.hexdigest(), found, names, checked)


def _plan(path: Path) -> Plan:
    try:
        return load_plan(path)
    except (OSError, msgspec.DecodeError) as error:
        raise RunError(f"{path} is not a run folder: plan.json cannot be read ({error}).") from error
