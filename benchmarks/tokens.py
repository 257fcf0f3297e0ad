"""How fast a corpus of token ids is audited on one core, measure by measure: ``python -m benchmarks.tokens`` (Linux).

It makes a file of nanoGPT (uint16) and one of llm.c (uint32): ids by Zipf's law, documents of about 800 tokens. Speeds
are megabytes (10^6 bytes) of the file a second of processor time; memory is that of all processes of the command.
"""

import argparse
import json
import struct
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.memory import Peak, watch
from benchmarks.one_core import Cost, machine, stay_on_one_core, table, timed
from dataaudit.corpus import Piece, ReadOptions, Tally, cut_pieces, find_files, read_piece
from dataaudit.corpus.token_facts import measure as raw_facts
from dataaudit.corpus.token_layout import TokenHints
from dataaudit.signals import DocumentBatch, all_signals
from dataaudit.signals.batch import SpecialIds
from dataaudit.signals.tokens import token_ids
from dataaudit.sketches.token_counts import TokenCounts

EOS = 50_256
ROWS = 50_304
BLOCK = 1 << 22
MEAN_LENGTH = 800
TYPES = {"nanogpt": "<u2", "llmc": "<u4"}
HEADERS = {"nanogpt": b"", "llmc": struct.pack("<2i", 20240801, 7)}
CONFIG = "model: {{vocab_size: {rows}, eos_id: {eos}}}\nduplicates: {{enabled: {duplicates}}}\n"

FACTS, COUNTS = "raw facts", "histogram of the ids"
SIGNALS = {
    "range": ("max_token_id", "negative_token_count", "negative_token_start", "oov_token_count", "oov_token_start"),
    "boundaries": (
        "first_token_id",
        "last_token_id",
        "inner_eos_count",
        "inner_eos_start",
        "double_special_count",
        "double_special_start",
    ),
    "periodic repetition": ("periodic_token_repeat", "periodic_token_start", "periodic_token_period"),
}
READING, COPY = "reading (raw facts and digest in it)", "copy to 64 bits (shared)"
TOGETHER = (COPY, *SIGNALS, COUNTS)
"""What has to run at 150 MB/s together."""

Seconds = dict[str, float]


@dataclass
class Measured:
    """What one format took: seconds of processor time by measure, and the whole command without and with duplicates."""

    bytes: int
    documents: int
    seconds: Seconds
    audit: Peak
    with_duplicates: Peak


def main() -> None:
    """Measures each format, prints a table and writes JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gb", type=float, default=1, help="gigabytes of each file (1)")
    parser.add_argument("--formats", nargs="+", choices=list(TYPES), default=list(TYPES))
    parser.add_argument("--folder", type=Path, help="where the files are made; needs four times their size")
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    options = parser.parse_args()
    if not Path("/proc/self/status").exists():
        sys.exit("benchmarks.tokens reads /proc, which only Linux has.")
    stay_on_one_core()
    found: dict[str, Measured] = {}
    for name in options.formats:
        print(f"measuring {name} ...", file=sys.stderr)
        with TemporaryDirectory(prefix="dataaudit-bench-", dir=options.folder) as folder:
            found[name] = _measure(name, Path(folder), int(options.gb * 1e9))
    print(_render(found))
    if options.json:
        facts = {"machine": machine(), "formats": {name: asdict(each) for name, each in found.items()}}
        options.json.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def write_corpus(path: Path, name: str, size: int, seed: int = 0) -> Path:
    """Writes about *size* bytes of ids; in llm.c's format the end token stands before a document, else after it."""
    dtype, rng = np.dtype(TYPES[name]), np.random.default_rng(seed)
    shares = 1 / (np.arange(EOS) + 2.7)
    limits = np.cumsum(shares / shares.sum())
    ids_of_ranks = rng.permutation(EOS)
    tokens = size // dtype.itemsize
    with path.open("wb") as file:
        head = HEADERS[name]
        file.write((head + struct.pack("<i", tokens)).ljust(1024, b"\0") if head else b"")
        for start in range(0, tokens, BLOCK):
            block = min(BLOCK, tokens - start)
            ids = ids_of_ranks[np.minimum(np.searchsorted(limits, rng.random(block)), EOS - 1)]
            ids[_edges(rng, block, at_start=bool(head))] = EOS
            file.write(ids.astype(dtype).data)
    return path


def _edges(rng: np.random.Generator, tokens: int, *, at_start: bool) -> NDArray[np.int64]:
    lengths = 2 + rng.exponential(MEAN_LENGTH, 4 * tokens // MEAN_LENGTH).astype(np.int64)
    ends = np.cumsum(lengths)
    inside = ends[ends < tokens]
    return np.append(0, inside) if at_start else np.append(inside, tokens) - 1


def _measure(name: str, folder: Path, size: int) -> Measured:
    small = write_corpus(folder / "small.bin", name, 100_000)
    corpus = write_corpus(folder / "corpus.bin", name, size)
    _time_measures(small, name)  # loads the kernels
    seconds, documents = _time_measures(corpus, name)
    peaks = [_audit(corpus, name, folder / f"run{number}", bool(number)) for number in range(2)]
    return Measured(corpus.stat().st_size, documents, seconds, *peaks)


def _audit(corpus: Path, name: str, out: Path, duplicates: bool) -> Peak:
    config = out.with_suffix(".yaml")
    config.write_text(CONFIG.format(rows=ROWS, eos=EOS, duplicates=str(duplicates).lower()), encoding="utf-8")
    command = [sys.executable, "-m", "dataaudit", "audit", corpus, "--input-format", name, "-o", out, "-c", config]
    return watch([*map(str, command), "-j", "1", "--fail-on", "never"], Peak(corpus.stat().st_size // 1_000_000))


def _time_measures(corpus: Path, name: str) -> tuple[Seconds, int]:
    """Returns the processor time of each measure, by itself, over the batches that an audit has; and the documents."""
    costs: dict[str, Cost] = defaultdict(Cost)
    options = ReadOptions(format=name, tokens=TokenHints(eos_id=EOS, vocab_size=ROWS))
    counts, documents = TokenCounts(ROWS), 0
    for piece in cut_pieces(find_files([str(corpus)]).files, options).pieces:
        for batch in _batches(piece, options, costs[READING]):
            documents += batch.num_rows
            _time_batch(batch, np.dtype(TYPES[name]), counts, costs)
    return {stage: cost.cpu for stage, cost in costs.items()}, documents


def _batches(piece: Piece, options: ReadOptions, cost: Cost) -> Iterator[pa.RecordBatch]:
    batches = read_piece(piece, options, Tally())
    following = partial(next, batches, None)
    while True:
        with timed(cost):
            batch = following()
        if batch is None:
            return
        yield batch


def _time_batch(batch: pa.RecordBatch, dtype: np.dtype, counts: TokenCounts, costs: dict[str, Cost]) -> None:
    lists = batch.column("input_ids")
    ids, offsets = lists.values.to_numpy(), lists.offsets.to_numpy()
    stored = ids.astype(dtype.newbyteorder("="))
    with timed(costs[FACTS]):
        raw_facts(stored)
    documents = DocumentBatch(
        ids=ids,
        id_offsets=offsets,
        embedding_rows=ROWS,
        eos_id=EOS,
        given=True,
        special_ids=SpecialIds(-1, EOS, -1),
    )
    with timed(costs[COPY]):
        documents.once(token_ids)
    known = all_signals()
    for group, names in SIGNALS.items():
        with timed(costs[group]):
            for each in names:
                known[each].measure(documents)
    with timed(costs[COUNTS]):
        counts.update(ids, offsets, np.arange(batch.num_rows))


def _render(found: dict[str, Measured]) -> str:
    stages = (READING, FACTS, *TOGETHER)
    rows = [
        ["documents", *(f"{each.documents:,}" for each in found.values())],
        ["MB of the file", *(f"{each.bytes / 1e6:,.0f}" for each in found.values())],
        *([stage, *(_speed(each, each.seconds[stage]) for each in found.values())] for stage in stages),
        [
            "range, histogram, boundaries, repetition together",
            *(_speed(each, sum(each.seconds[stage] for stage in TOGETHER)) for each in found.values()),
        ],
        *_audits("whole audit, without duplicates", [(each, each.audit) for each in found.values()]),
        *_audits("whole audit, with duplicates", [(each, each.with_duplicates) for each in found.values()]),
    ]
    header = ["", *(f"{name} ({np.dtype(TYPES[name]).name})" for name in found)]
    facts = ", ".join(f"{name}: {value}" for name, value in machine().items())
    return f"{facts}\n\nMB of the file a second of processor time\n\n{table(header, rows)}"


def _audits(label: str, found: list[tuple[Measured, Peak]]) -> list[list[str]]:
    return [
        [label, *(_speed(each, peak.processor) for each, peak in found)],
        ["  processor s", *(f"{peak.processor:.1f}" for _, peak in found)],
        ["  resident MiB", *(f"{peak.resident:,.0f}" for _, peak in found)],
        ["  anonymous MiB", *(f"{peak.anonymous:,.0f}" for _, peak in found)],
    ]


def _speed(measured: Measured, seconds: float) -> str:
    return f"{measured.bytes / seconds / 1e6:,.0f}"


if __name__ == "__main__":
    main()
