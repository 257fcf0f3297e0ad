"""Reads the stored signals of a shard, first and second pass side by side."""

from collections.abc import Collection, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from dataaudit.pipeline.store import RunFolder

BATCH_ROWS = 65_536
IDENTITY = ("doc_id", "id", "source", "file", "record", "offset", "repaired")
"""Columns of a signal table that are no signals."""
SIDES = ("signals_pooled", "signals_duplicates")
"""Folders of signals that were measured after the first pass, row-aligned with it."""


def side_tables(run: RunFolder, shard: int) -> list[Path]:
    """Returns the files of a shard's later signals."""
    return [path for side in SIDES if (path := run.part(side, shard, "parquet")).exists()]


def signal_tables(run: RunFolder, shard: int, wanted: Collection[str] | None) -> Iterator[pa.Table]:
    """Gives the signals of a shard's documents in order, some tens of thousands of documents at a time.

    *wanted* are the columns to read; those that were not measured are left out. None reads all.
    """
    path = run.part("signals", shard, "parquet")
    if not path.exists():
        return
    file = pq.ParquetFile(path)
    names = [name for name in file.schema_arrow.names if wanted is None or name in wanted]
    sides = [_side(side, wanted) for side in side_tables(run, shard)]
    first = 0
    for batch in file.iter_batches(BATCH_ROWS, columns=names):
        table = pa.Table.from_batches([batch])
        for side in sides:
            rows = side.slice(first, batch.num_rows)
            for name in rows.column_names:
                if name not in table.column_names:
                    table = table.append_column(name, rows.column(name))
        first += batch.num_rows
        yield table


def _side(path: Path, wanted: Collection[str] | None) -> pa.Table:
    names = None if wanted is None else [name for name in pq.read_schema(path).names if name in wanted]
    return pq.read_table(path, columns=names)
