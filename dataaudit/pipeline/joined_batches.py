"""Joins small batches into larger ones, so that a corpus of small files costs by document and not by file."""

from collections.abc import Callable

import pyarrow as pa


class JoinedBatches:
    """Collects batches and gives them on together, in their order.

    Args:
        give: takes a batch of at least one row.
        rows, size: most rows and bytes of a joined batch; a single batch may be larger.
    """

    def __init__(self, give: Callable[[pa.RecordBatch], None], rows: int, size: int) -> None:
        self._give = give
        self._rows, self._size = rows, size
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = self._waiting_size = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Adds a batch, after giving what was there if the two are too large together or have other columns."""
        if not batch.num_rows:
            return
        if self._waiting and not self._fits(batch):
            self.flush()
        self._waiting.append(batch)
        self._waiting_rows += batch.num_rows
        self._waiting_size += batch.nbytes

    def flush(self) -> None:
        """Gives what is there."""
        waiting, self._waiting = self._waiting, []
        self._waiting_rows = self._waiting_size = 0
        if waiting:
            self._give(waiting[0] if len(waiting) == 1 else pa.concat_batches(waiting))

    def _fits(self, batch: pa.RecordBatch) -> bool:
        return (
            self._waiting_rows + batch.num_rows <= self._rows
            and self._waiting_size + batch.nbytes <= self._size
            and bool(batch.schema.equals(self._waiting[0].schema))
        )
