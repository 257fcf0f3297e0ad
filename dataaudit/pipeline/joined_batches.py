"""Joins small batches into larger ones, so that a corpus of small files costs by document and not by file."""

import pyarrow as pa


class JoinedBatches:
    """Collects batches and gives them on together, in their order.

    Args:
        rows, size: most rows and bytes of a joined batch; a single batch may be larger.
    """

    def __init__(self, rows: int, size: int) -> None:
        self._rows, self._size = rows, size
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = self._waiting_size = 0

    def add(self, batch: pa.RecordBatch) -> list[pa.RecordBatch]:
        """Adds a batch, and returns what was there before if the two are too large together or have other columns."""
        if not batch.num_rows:
            return []
        full = [] if self._fits(batch) else self.flush()
        self._waiting.append(batch)
        self._waiting_rows += batch.num_rows
        self._waiting_size += batch.nbytes
        return full

    def flush(self) -> list[pa.RecordBatch]:
        """Returns what is there as one batch; none when nothing is."""
        waiting, self._waiting = self._waiting, []
        self._waiting_rows = self._waiting_size = 0
        return waiting if len(waiting) < 2 else [pa.concat_batches(waiting)]

    def _fits(self, batch: pa.RecordBatch) -> bool:
        return not self._waiting or (
            self._waiting_rows + batch.num_rows <= self._rows
            and self._waiting_size + batch.nbytes <= self._size
            and bool(batch.schema.equals(self._waiting[0].schema))
        )
