"""Readers of stdout and stderr that leave early, full and closed streams: no traceback, the right exit code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import write_jsonl

COMMAND = [sys.executable, "-m", "dataaudit"]


def left(*arguments: object, both: bool = False) -> subprocess.CompletedProcess[str]:
    """Runs a command whose stdout (and stderr with *both*) nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run(
            [*COMMAND, *map(str, arguments)],
            stdout=writer,
            stderr=writer if both else subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(writer)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("streams")
    corpus = write_jsonl(folder / "in.jsonl", [{"text": "A small bell rings over the wide lake."}])
    with corpus.open("a") as file:
        file.write("{broken\n" * 3)
    done = left("audit", corpus, "-o", folder / "run", "-j", 1, "--fail-on", "warn", both=True)
    assert done.returncode == 1, "a check failed, whoever reads"
    assert (folder / "run" / "report.html").is_file()
    return folder / "run"


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["--help"], ["audit", "--help"], ["explain"], ["config", "--schema"]])
def test_a_reader_that_has_left_is_no_fault(
    arguments: list[str], unbuffered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    done = left(*arguments)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_exit_code_is_that_of_the_answer(run: Path) -> None:
    for arguments, code in (
        (["show", run, "--doc", 0], 0),
        (["compare", run, run], 0),
        (["report", run], 0),
        (["check", run, "-q", "--fail-on", "warn"], 1),
    ):
        done = left(*arguments)
        assert (done.returncode, done.stderr) == (code, ""), arguments
        assert left(*arguments, both=True).returncode == code, arguments
    assert left("show", run, "--check", "nothing", both=True).returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
@pytest.mark.parametrize("arguments", [["--help"], ["explain"]])
def test_a_full_disk_is_an_error_of_one_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "No space left" in done.stderr


@pytest.mark.parametrize("closed", ["1", "2"])
def test_a_closed_stream_is_no_fault(closed: str) -> None:
    command = f"{COMMAND[0]} -m dataaudit --help {closed}>&-"
    assert subprocess.run(["sh", "-c", command], capture_output=True, check=False).returncode == 0


def test_help_has_a_short_name_and_says_what_exit_codes_mean() -> None:
    done = subprocess.run([*COMMAND, "-h"], capture_output=True, text=True, check=True)
    commands = [name for name in ("audit", "check", "show", "filter") if f"│ {name}" in done.stdout]
    assert commands == ["audit", "check", "show", "filter"]
    assert done.stdout.index("│ audit") < done.stdout.index("│ check") < done.stdout.index("│ explain")
    assert "Exit codes: 0 good" in done.stdout
