"""Writes what the drift of a shard and of a window says of each document in them, as signals that rules can use."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from dataaudit.pipeline.map_shard import ROW_GROUP_ROWS
from dataaudit.pipeline.store import RunFolder
from dataaudit.signals import DocumentBatch, measure

SIGNALS = "signals_drift"
Excesses = Mapping[Any, float]
"""``kl_excess`` by shard and portion, or by window; of those that are judged."""


def write_signals(run: RunFolder, shards: pl.DataFrame, windows: pl.DataFrame, folder: Path) -> dict[Path, Path]:
    """Writes a part a shard, row-aligned with its signals of the first pass, and returns where each belongs.

    Args:
        run: whose documents they are.
        shards: a row a portion, with ``shard``, ``portion``, ``is_judged`` and the excesses.
        windows: a row a window, likewise.
        folder: to write into.
    """
    judged = shards.filter("is_judged").with_columns(pl.coalesce("kl_excess_source", "kl_excess").alias("excess"))
    of_portions = {
        (shard, portion): excess for shard, portion, excess in judged.select("shard", "portion", "excess").iter_rows()
    }
    of_windows = dict(windows.filter("is_judged").select("window", "kl_excess").iter_rows())
    blocks = pl.DataFrame(pq.read_table(run.sketch("drift_blocks")))
    outputs = {}
    for (shard,), mine in blocks.group_by("shard", maintain_order=True):
        if run.part("signals", int(shard), "parquet").exists():
            path = folder / f"{SIGNALS}-{shard}.parquet"
            _write(run, int(shard), mine, of_portions, of_windows, path)
            outputs[path] = run.part(SIGNALS, int(shard), "parquet")
    return outputs


def _write(
    run: RunFolder, shard: int, blocks: pl.DataFrame, of_portions: Excesses, of_windows: Excesses, path: Path
) -> None:
    keys = list(blocks.select("portion", "window").iter_rows())
    by_block = np.array(
        [[of_portions.get((shard, portion)), of_windows.get(window)] for portion, window in keys], float
    )
    stops = np.cumsum(blocks["documents"].to_numpy())
    writer: pq.ParquetWriter | None = None
    for first, doc_ids in _doc_ids(run.part("signals", shard, "parquet")):
        rows = np.arange(first, first + len(doc_ids))
        values: NDArray[np.float64] = by_block[np.searchsorted(stops, rows, side="right")]
        columns = [pa.array(column, mask=np.isnan(column)) for column in values.T]
        batch = DocumentBatch(drift=pa.record_batch(columns, names=["shard_kl_excess", "window_kl_excess"]))
        found = measure(batch, ["drift"])
        table = pa.Table.from_arrays([doc_ids, *found.columns], names=["doc_id", *found.schema.names])
        writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table, row_group_size=ROW_GROUP_ROWS)
    assert writer is not None, "a shard with signals has at least one row group"
    writer.close()


def _doc_ids(path: Path) -> Iterator[tuple[int, pa.Array]]:
    first = 0
    for batch in pq.ParquetFile(path).iter_batches(ROW_GROUP_ROWS, columns=["doc_id"]):
        yield first, batch.column(0)
        first += batch.num_rows
