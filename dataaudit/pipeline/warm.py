"""Compiles every kernel once, before workers start, so that they find the machine code ready."""

import time

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.duplicates.clusters import clusters
from dataaudit.duplicates.fingerprint import fingerprint, fingerprint_ids
from dataaudit.duplicates.near import Found, Sets, SetSource, near_copies
from dataaudit.duplicates.records import COPY
from dataaudit.errors import RunError
from dataaudit.kernels.jit import CACHE_FOLDER
from dataaudit.kernels.overlap import SCALE, gather
from dataaudit.kernels.vocabulary import Vocabulary
from dataaudit.pipeline.listener import Listener
from dataaudit.signals import DocumentBatch, Lists, SpecialIds, measure
from dataaudit.signals.views import decoded, paragraphs_of
from dataaudit.sketches.histograms import SignalHistograms
from dataaudit.sketches.lengths import LengthHistogram, Lengths
from dataaudit.sketches.packing import packing
from dataaudit.sketches.repeats import RepeatCounts
from dataaudit.sketches.token_counts import TokenCounts

TEXTS = ("The cat sat. The cat sat.\n\nThe cat sat on <|x|>.", "很好,很好。café Ã©", "")


def warm_kernels(listener: Listener) -> None:
    """Runs every kernel on a few words, unless an earlier process has left its machine code behind.

    Raises:
        RunError: the folder of the machine code cannot be written.
    """
    done = CACHE_FOLDER / "warm"
    if done.exists():
        return
    listener.note("compiling the measuring kernels, once for this machine (about 20 s) ...")
    started = time.monotonic()
    try:
        _run_all()
        done.touch()
    except OSError as error:
        raise RunError(
            f"{CACHE_FOLDER}: the compiled kernels cannot be kept there ({error.strerror or error}). Make room, or set "
            "DATAAUDIT_CACHE to a folder on another disk, and run the same command again."
        ) from error
    listener.note(f"compiled in {time.monotonic() - started:.0f} s; the next audit starts at once.")


def _run_all() -> None:
    text = pa.array(TEXTS, pa.large_string())
    offsets = np.array([0, 8, 16, 16], np.int64)
    flags = np.zeros(16, np.bool_)
    vocabulary = Vocabulary(16, ~flags, flags, flags, flags, -1, ("<|x|>",))
    lists = Lists(np.ones(16, np.int64), offsets, flags[:3])
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
            given=True,
            special_ids=SpecialIds(0, 1, 2),
            labels=lists,
            attention_mask=lists,
        )
        signals = measure(batch, ["text", "tokens", "labels", "mask", "pooled"])
        counts = TokenCounts(16)
        counts.update(ids, offsets, np.arange(3, dtype=np.uint64))
    packing(Lengths(np.array([3, 9], np.int64), np.array([2, 1], np.int64)), 8)
    sources = pa.array(["a", "b", "a"], pa.large_string())
    lengths = signals.column("token_count").to_numpy()
    LengthHistogram().update(sources, lengths)
    SignalHistograms().update(sources, lengths, signals)
    _run_duplicates(text)


def _run_duplicates(text: pa.LargeStringArray) -> None:
    batch = DocumentBatch(text=text)
    doc_ids = np.arange(len(TEXTS), dtype=np.uint64)
    characters = batch.once(decoded)
    sets = fingerprint(characters, 5).sets
    fingerprint_ids(np.array([0, 8], np.int64), np.arange(8), 5)
    repeats = RepeatCounts(several_lines=True)
    repeats.update(characters, batch.once(paragraphs_of), doc_ids)
    repeats.make_room()
    hashes = np.concatenate([sets.hashes, sets.hashes])
    hashes.setflags(write=False)  # as the mapped files are
    size = len(sets.hashes)

    def fetch(documents: NDArray[np.uint64]) -> Sets:
        starts = documents.astype(np.int64) * size
        out, places = np.empty(size * len(starts), np.uint64), np.arange(len(starts)) * size
        gather(hashes, starts, starts + size, out, places)
        return Sets(np.append(places, len(out)), out)

    found = Found()
    source = SetSource(lambda documents: np.full(len(documents), size), fetch)
    near_copies(np.zeros(2, np.uint64), doc_ids[:2], source, SCALE, found)
    clusters(found.all_edges(), np.empty(0, COPY))
