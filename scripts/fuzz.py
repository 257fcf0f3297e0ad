"""Searches for bytes that the readers cannot bear, guided by coverage; needs atheris, which is no dependency.

Usage: python scripts/fuzz.py FOLDER [options of libFuzzer, such as -max_total_time=600]

FOLDER is where libFuzzer keeps the inputs that reached something new; the valid inputs of the tests are put there
first. An input is a byte that chooses the format, one that chooses the file of it, one that chooses how it is read, and
the bytes that stand there instead of the file's own. It ends at the first input that breaks what must hold of any input
(tests/corpus/fuzzing.py), and writes it as crash-...; give that file instead of FOLDER to see it again.
"""

import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import atheris

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
with atheris.instrument_imports(include=["dataaudit.corpus"]):
    from dataaudit.corpus import ReadOptions
    from tests.corpus.fuzzing import SEEDS, read_and_account, seed

HOW = [
    (ReadOptions(), 1 << 27),
    (ReadOptions(number_columns=("n",), batch_rows=1, document_per="line"), 60),
    (ReadOptions(batch_bytes=100, batch_rows=5, max_record_bytes=100), 1),
]


def look(data: bytes) -> None:
    """Reads one input."""
    if len(data) < 3:
        return
    files = dict(seed(SEEDS[data[0] % len(SEEDS)]))
    files[sorted(files)[data[1] % len(files)]] = data[3:]
    options, target_bytes = HOW[data[2] % len(HOW)]
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        read_and_account(Path(folder), options, target_bytes)


def plant(folder: Path) -> None:
    """Writes the valid inputs."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(SEEDS):
        for at, content in enumerate(seed(name)[each] for each in sorted(seed(name))):
            for how in range(len(HOW)):
                (folder / f"seed-{number}-{at}-{how}").write_bytes(bytes([number, at, how]) + content)


def main() -> None:
    """Plants the seeds and runs libFuzzer."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if not Path(sys.argv[1]).is_file():
        plant(Path(sys.argv[1]))
    warnings.simplefilter("ignore")
    atheris.Setup(sys.argv, look)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
