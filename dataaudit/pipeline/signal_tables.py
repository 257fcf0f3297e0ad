"""Reads the stored signals of a shard, first and second pass side by side."""

from collections.abc import Collection, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from dataaudit.pipeline.store import RunFolder

BATCH_ROWS = 65_536
IDENTITY = ("doc_id", "id", "source", "file", "record", "offset", "repaired")
"""Columns of a signal table that are no signals."""
SIDES = ("signals_pooled", "signals_duplicates", "signals_drift")
"""Folders of signals that were measured after the first pass, row-aligned with it."""


def side_tables(run: RunFolder, shard: int) -> list[Path]:
    """Returns the files of a shard's later signals."""
    return [path for side in SIDES if (path := run.part(side, shard, "parquet")).exists()]


def signal_tables(run: RunFolder, shard: int, wanted: Collection[str] | None) -> Iterator[pa.Table]:
    """Gives the signals of a shard's documents in order, some tens of thousands of documents at a time.

    *wanted* are the columns to read beside doc_id; those that were not measured are left out. None reads all.
    """
    path = run.part("signals", shard, "parquet")
    if not path.exists():
        return
    main, *sides = (_Rows(each, wanted) for each in (path, *side_tables(run, shard)))
    while (rows := main.next(BATCH_ROWS)).num_rows:
        for side in sides:
            more = side.next(rows.num_rows)
            for name in more.column_names:
                if name not in rows.column_names:
                    rows = rows.append_column(name, more.column(name))
        yield rows


class _Rows:
    """The rows of a Parquet file, some at a time."""

    def __init__(self, path: Path, wanted: Collection[str] | None) -> None:
        file = pq.ParquetFile(path)
        names = [name for name in file.schema_arrow.names if wanted is None or name == "doc_id" or name in wanted]
        self._batches = file.iter_batches(BATCH_ROWS, columns=names)
        self._rest = file.schema_arrow.empty_table().select(names)

    def next(self, rows: int) -> pa.Table:
        """Returns the next *rows* rows; fewer at the end of the file."""
        while self._rest.num_rows < rows and (batch := next(self._batches, None)) is not None:
            self._rest = pa.concat_tables([self._rest, pa.Table.from_batches([batch])])
        taken, self._rest = self._rest.slice(0, rows), self._rest.slice(rows)
        return taken
