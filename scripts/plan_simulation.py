"""How long planning a million files takes, and how much memory: ``python scripts/plan_simulation.py`` (Linux, macOS).

The listing is made up and no file is there. All of the planner runs but what lists folders and what looks at the
beginning of each file. The times of those depend on the file system and add to these.
"""

import argparse
import random
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from dataaudit.config.load import load_config
from dataaudit.corpus import pieces
from dataaudit.corpus.columns import Column
from dataaudit.corpus.documents import CorpusFile
from dataaudit.corpus.find import Found
from dataaudit.corpus.naming import Candidate, name_files
from dataaudit.corpus.readers import Span
from dataaudit.corpus.sniff import Kind
from dataaudit.pipeline.listener import Silent
from dataaudit.pipeline.plan import load_plan
from dataaudit.pipeline.shared_run import run_plan
from dataaudit.pipeline.stages import map_tasks

COLUMNS = [Column("id", "text"), Column("text", "text"), Column("url", "text")]
FOLDERS = 200
MEDIAN_BYTES, SPREAD = 1_000_000, 1.5
"""Sizes are log-normal; so a few files are as large as a shard."""


def main() -> None:
    """Plans, then loads the plan as a worker does, and prints what each took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1_000_000, help="files of the made-up corpus (1,000,000)")
    files: int = parser.parse_args().files
    listing = list(made_up(files))
    _tell("the listing itself", 0.0)
    with TemporaryDirectory(prefix="dataaudit-plan-") as folder, simulated(listing):
        run = Path(folder) / "run"
        started = time.perf_counter()
        plan = run_plan(["corpus"], run, load_config(), Silent())
        _tell("planned", time.perf_counter() - started)
        size = sum(piece.size for shard in plan.shards for piece in shard)
        print(f"{files:,} files, {size / 1e12:.2f} TB, {len(plan.shards):,} shards, ", end="")
        print(f"shards.jsonl of {(run / 'shards.jsonl').stat().st_size / 1e6:,.0f} MB")
        del plan
        started = time.perf_counter()
        tasks = map_tasks(load_plan(run))
        _tell(f"loaded by a worker, with the keys of {len(tasks):,} tasks", time.perf_counter() - started)


def made_up(files: int) -> Iterator[Candidate]:
    """Yields files in some folders, in no order."""
    rng = random.Random(0)
    for number in rng.sample(range(files), files):
        folder, name = f"CC-MAIN-{number % FOLDERS:03d}", f"part-{number:07d}-of-{files:07d}.jsonl.gz"
        path = f"/corpus/crawl/{folder}/{name}"
        size = int(rng.lognormvariate(0, SPREAD) * MEDIAN_BYTES)
        stamp = str(1_700_000_000_000_000_000 + rng.randrange(10**15))
        yield Candidate(path, (folder, name), tuple(path.split("/")), size, stamp)


@contextmanager
def simulated(listing: list[Candidate]) -> Iterator[None]:
    """Puts the listing where the planner looks for files, and says of each that it is compressed lines."""

    def find(_: object) -> Found:
        found = Found(name_files(listing))
        listing.clear()
        return found

    def look(file: CorpusFile, kind: Kind, *_: object) -> pieces._Looked:
        return pieces._Looked(file, kind, list(COLUMNS), [Span(0, None, 1, file.size or 0)])

    with (
        patch("dataaudit.pipeline.planning.find_files", find),
        patch.object(pieces, "sniff", lambda *_: Kind("jsonl", "gzip", "utf-8", False)),
        patch.object(pieces, "_look", look),
    ):
        yield


def _tell(what: str, seconds: float) -> None:
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20
    print(f"{what}: {seconds:.1f} s; at most {peak:,.0f} MiB so far", flush=True)


if __name__ == "__main__":
    main()
