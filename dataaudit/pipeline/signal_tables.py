"""Reads the stored signals of a shard, first and second pass side by side."""

from collections.abc import Collection, Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from dataaudit.pipeline.store import RunFolder

BATCH_ROWS = 65_536


def signal_tables(run: RunFolder, shard: int, wanted: Collection[str] | None) -> Iterator[pa.Table]:
    """Gives the signals of a shard's documents in order, some tens of thousands of documents at a time.

    *wanted* are the columns to read; those that were not measured are left out. None reads all.
    """
    path = run.part("signals", shard, "parquet")
    if not path.exists():
        return
    file = pq.ParquetFile(path)
    names = [name for name in file.schema_arrow.names if wanted is None or name in wanted]
    pooled_path = run.part("signals_pooled", shard, "parquet")
    pooled = pq.read_table(pooled_path) if pooled_path.exists() else None
    first = 0
    for batch in file.iter_batches(BATCH_ROWS, columns=names):
        table = pa.Table.from_batches([batch])
        if pooled is not None:
            rows = pooled.slice(first, batch.num_rows)
            for name in rows.column_names:
                if name not in table.column_names and (wanted is None or name in wanted):
                    table = table.append_column(name, rows.column(name))
        first += batch.num_rows
        yield table
