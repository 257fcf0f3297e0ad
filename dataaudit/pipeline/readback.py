"""How fast the token shards read back: the pre-launch test of a data pipeline.

Speeds depend on the clock, so they go to ``timings.json`` and the terminal, and never into the report.
"""

import random
import time
from bisect import bisect
from collections.abc import Callable, Iterable
from itertools import accumulate
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa

from dataaudit.pipeline.listener import Listener
from dataaudit.pipeline.store import RunFolder, pretty_json

MOST_TOKENS = 50_000_000
MOST_DOCUMENTS = 100_000
"""How much is read in order, and document by document."""


class Timings(msgspec.Struct, frozen=True):
    """Speeds in tokens a second, memory-mapped, over the first shards of the run."""

    sequential_tokens: int
    sequential_tokens_per_second: float
    shuffled_tokens: int
    shuffled_tokens_per_second: float


def read_back(run: RunFolder, listener: Listener) -> Timings | None:
    """Reads token shards in order and document by document in a shuffled order; None without token shards."""
    batches = _batches(sorted((run.path / "tokens").glob("part-*.arrow")))
    if not any(len(batch) for batch in batches):
        return None
    tokens, whole = _timed(lambda: (batch.flatten() for batch in batches))
    chosen = _shuffled(batches)
    few, single = _timed(lambda: (batch[row].values for batch, row in chosen))
    timings = Timings(tokens, tokens / whole, few, few / single)
    run.write("timings.json", pretty_json(timings))
    listener.note(
        f"token shards read back at {timings.sequential_tokens_per_second / 1e6:,.0f} M tokens/s in order, "
        f"{timings.shuffled_tokens_per_second / 1e6:,.1f} M tokens/s shuffled."
    )
    return timings


def _shuffled(batches: list[pa.ListArray]) -> list[tuple[pa.ListArray, int]]:
    """Returns documents of all batches in a shuffled order, at most MOST_DOCUMENTS."""
    ends = list(accumulate(len(batch) for batch in batches))
    rng = random.Random(0)  # noqa: S311 - the order needs no secrecy
    numbers = rng.sample(range(ends[-1]), min(ends[-1], MOST_DOCUMENTS))
    return [(batches[at := bisect(ends, number)], number - (ends[at - 1] if at else 0)) for number in numbers]


def _batches(paths: Iterable[Path]) -> list[pa.ListArray]:
    found: list[pa.ListArray] = []
    tokens = 0
    for path in paths:
        with pa.memory_map(str(path)) as source, pa.ipc.open_stream(source) as reader:
            for batch in reader:
                lists = batch.column("input_ids")
                found.append(lists)
                tokens += len(lists.values)
                if tokens >= MOST_TOKENS:
                    return found
    return found


def _timed(arrays: Callable[[], Iterable[pa.Array]]) -> tuple[int, float]:
    """Returns the tokens that were touched and the seconds it took."""
    started = time.perf_counter()
    tokens = 0
    for array in arrays():
        ids = array.to_numpy(zero_copy_only=False)
        np.bitwise_xor.reduce(ids) if len(ids) else None
        tokens += len(ids)
    return tokens, max(time.perf_counter() - started, 1e-9)
