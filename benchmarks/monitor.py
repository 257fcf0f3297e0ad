"""What ``DataMonitor`` costs a batch on one core: texts without and with a tokenizer, and token ids.

    python -m benchmarks.monitor [--mb 20] [--batch 16] [--length 2048] [--json FILE]

Batches of texts are documents of made English; batches of ids are the same documents packed into rows. The first
batch is not counted: it compiles kernels and loads the tokenizer. Processor time, the best of three passes with a new
monitor.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks import texts
from benchmarks.one_core import TOKENIZER, Cost, machine, stay_on_one_core, table, timed
from dataaudit import DataMonitor
from dataaudit.monitor.vocabulary import MonitorTokenizer

PASSES = 3


@dataclass
class Measured:
    """What one kind of batches cost; seconds of processor time."""

    name: str
    batches: int
    bytes: int
    update: float
    check: float

    @property
    def speed(self) -> float:
        """MB of text a second."""
        return self.bytes / self.update / 1e6


def main() -> None:
    """Measures and prints a table."""
    options = _options()
    stay_on_one_core()
    documents = list(texts.take(texts.english(), int(options.mb * 1e6)))
    batches = [documents[first : first + options.batch] for first in range(0, len(documents), options.batch)]
    size = sum(len(text.encode()) for batch in batches[1:] for text in batch)
    tokenizer = MonitorTokenizer(TOKENIZER)
    ids = tokenizer.encoder.encode(pa.array(documents, pa.large_string())).ids.astype(np.int64)
    tokens = options.batch * options.length
    blocks = ids[: len(ids) // tokens * tokens].reshape(-1, options.batch, options.length)
    rows = [{"input_ids": block, "labels": block, "attention_mask": np.ones_like(block)} for block in blocks]
    packed = round(sum(map(len, map(str.encode, documents))) * (len(rows) - 1) * tokens / len(ids))
    found = [
        _measure("texts, in words", batches, size),
        _measure("texts, in tokens", batches, size, tokenizer=TOKENIZER),
        _measure(f"ids, rows of {options.length}", rows, packed, tokenizer=TOKENIZER),
        _measure(f"ids, rows of {options.length}, no tokenizer", rows, packed, vocab_size=1 << 17),
    ]
    print(_render(found, options.batch))
    if options.json:
        facts = {"machine": machine(), "measured": [asdict(each) for each in found]}
        options.json.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=float, default=20, help="megabytes of text (20)")
    parser.add_argument("--batch", type=int, default=16, help="samples of a batch (16)")
    parser.add_argument("--length", type=int, default=2048, help="ids of a row (2,048)")
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    return parser.parse_args()


def _measure(name: str, batches: Sequence[Any], size: int, **settings: Any) -> Measured:
    best: Measured | None = None
    for _ in range(PASSES):
        monitor = DataMonitor(**settings, window_size=1000)
        monitor.update(batches[0])
        update, check = Cost(), Cost()
        with timed(update):
            for batch in batches[1:]:
                monitor.update(batch)
        with timed(check):
            monitor.check_anomaly()
        if best is None or update.cpu < best.update:
            best = Measured(name, len(batches) - 1, size, update.cpu, check.cpu)
    assert best is not None
    return best


def _render(found: Sequence[Measured], batch: int) -> str:
    head = ["", "batches", "MB/s", f"ms a batch of {batch}", "ms a check"]
    rows = [
        [
            each.name,
            f"{each.batches:,}",
            f"{each.speed:.0f}",
            f"{each.update / each.batches * 1e3:.2f}",
            f"{each.check * 1e3:.0f}",
        ]
        for each in found
    ]
    return table(head, rows)


if __name__ == "__main__":
    main()
