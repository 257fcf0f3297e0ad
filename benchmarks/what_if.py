"""What-if on many documents: how long a changed rule takes to answer, from the stored signals alone.

    python benchmarks/what_if.py [--rows 5000000] [--set gopher/dup-lines.max=0.2]

Audits the sample corpus and repeats its rows, drawn at random, to a run of as many documents as asked for.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import dataaudit
from dataaudit.pipeline.plan import load_plan, write_plan
from dataaudit.pipeline.store import open_run

SAMPLE = Path(__file__).resolve().parents[1] / "sample_data"
SHARD_ROWS = 500_000
SIDES = ("signals", "signals_pooled", "signals_duplicates")


def make_run(folder: Path, rows: int) -> Path:
    """Writes a run folder of *rows* documents and returns it."""
    small = folder / "small"
    dataaudit.audit(SAMPLE / "corpus", small, tokenizer=SAMPLE / "tokenizer.json", workers=1)
    tables = {side: pq.read_table(small / side / "part-00000.parquet") for side in SIDES if (small / side).is_dir()}
    big = folder / "big"
    plan, shards = load_plan(small), -(-rows // SHARD_ROWS)
    with open_run(big, new=True) as run:
        write_plan(run, msgspec.structs.replace(plan, shards=plan.shards[:1] * shards))
    rng = np.random.default_rng(0)
    for shard in range(shards):
        count = min(SHARD_ROWS, rows - shard * SHARD_ROWS)
        drawn = pa.array(rng.integers(0, tables["signals"].num_rows, count))
        ids = pa.array((np.uint64(shard) << np.uint64(32)) + np.arange(count, dtype=np.uint64))
        for side, table in tables.items():
            (big / side).mkdir(exist_ok=True)
            chosen = table.take(drawn).set_column(0, table.schema.field(0), ids)
            pq.write_table(chosen, big / side / f"part-{shard:05d}.parquet", compression="zstd", row_group_size=65_536)
    for name in ("config.json", "report.json"):
        shutil.copy(small / name, big / name)
    return big


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--set", default="gopher/dup-lines.max=0.2")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = make_run(Path(folder), options.rows)
        size = sum(path.stat().st_size for path in run.rglob("*.parquet"))
        command = [sys.executable, "-m", "dataaudit", "filter", str(run), "--dry-run", "--set", options.set]
        for _ in range(3):
            started = time.perf_counter()
            answer = subprocess.run([*command, "-j", str(options.jobs)], capture_output=True, text=True, check=True)
            seconds = time.perf_counter() - started
            print(f"{options.rows:,} rows, {size / 1e6:,.0f} MB of signals: {seconds:.2f} s with -j {options.jobs}")
        print(answer.stdout)


if __name__ == "__main__":
    main()
