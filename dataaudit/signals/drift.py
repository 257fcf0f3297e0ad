"""How far a document's shard and window are from the rest of the corpus; found after all documents are read."""

import pyarrow as pa

from dataaudit.signals.batch import DocumentBatch
from dataaudit.signals.signal import signal

EXCESS = "our definition: leave-one-out KL less its exact mean under chance; see docs/drift.md"
NEEDS = ("drift",)


def _column(batch: DocumentBatch, name: str) -> pa.Array:
    assert batch.drift is not None, "a signal of drift was measured before shards were compared"
    return batch.drift.column(name)


@signal(
    unit="nats",
    source=EXCESS,
    needs="drift",
    requires=NEEDS,
    minimum=None,
    null="its shard is too small, or too much of a few documents, to be judged",
)
def shard_kl_excess(batch: DocumentBatch) -> pa.Array:
    """How far its shard's tokens are from the other shards', less what chance gives: kl_excess.

    The value that the check shard-drift judges, the same for all documents of a shard: against the other shards of its
    source where there are any.
    """
    return _column(batch, "shard_kl_excess")


@signal(
    unit="nats",
    source=EXCESS,
    needs="drift",
    requires=NEEDS,
    minimum=None,
    null="its window has too few tokens to be judged",
)
def window_kl_excess(batch: DocumentBatch) -> pa.Array:
    """How far its window's tokens are from the rest of the corpus, less what chance gives: kl_excess.

    A window is a run of documents in the corpus's order (drift.window_documents). Where sources lie one after the
    other, windows differ by design.
    """
    return _column(batch, "window_kl_excess")
