"""Compiles every kernel once, before workers start, so that they find the machine code ready."""

import time

import numpy as np
import pyarrow as pa

from dataaudit.kernels.jit import CACHE_FOLDER
from dataaudit.kernels.vocabulary import Vocabulary
from dataaudit.pipeline.listener import Listener
from dataaudit.signals import DocumentBatch, measure
from dataaudit.sketches.histograms import SignalHistograms
from dataaudit.sketches.lengths import LengthHistogram, Lengths
from dataaudit.sketches.packing import packing
from dataaudit.sketches.token_counts import TokenCounts

TEXTS = ("The cat sat. The cat sat.\n\nThe cat sat on <|x|>.", "很好,很好。café Ã©", "")


def warm_kernels(listener: Listener) -> None:
    """Runs every kernel on a few words, unless an earlier process has left its machine code behind."""
    done = CACHE_FOLDER / "warm"
    if done.exists():
        return
    listener.note("compiling the measuring kernels, once for this machine (about 20 s) ...")
    started = time.monotonic()
    _run_all()
    done.touch()
    listener.note(f"compiled in {time.monotonic() - started:.0f} s; the next audit starts at once.")


def _run_all() -> None:
    text = pa.array(TEXTS, pa.large_string())
    offsets = np.array([0, 8, 16, 16], np.int64)
    flags = np.zeros(16, np.bool_)
    vocabulary = Vocabulary(16, ~flags, flags, flags, flags, -1, ("<|x|>",))
    for dtype in (np.uint32, np.int64):
        ids = np.tile(np.arange(4, dtype=dtype), 4)
        batch = DocumentBatch(
            text=text,
            ids=ids,
            id_offsets=offsets,
            vocabulary=vocabulary,
            embedding_rows=16,
            max_length=4,
            eos_id=1,
            pooled_counts=np.ones(16, np.int64),
            special_strings=("<|x|>",),
        )
        signals = measure(batch, ["text", "tokens", "pooled"])
        counts = TokenCounts(16)
        counts.update(ids, offsets, np.arange(3, dtype=np.uint64))
    packing(Lengths(np.array([3, 9], np.int64), np.array([2, 1], np.int64)), 8)
    sources = pa.array(["a", "b", "a"], pa.large_string())
    lengths = signals.column("token_count").to_numpy()
    LengthHistogram().update(sources, lengths)
    SignalHistograms().update(sources, lengths, signals)
