"""An audit that runs out of room says so, and once there is room the same command goes on to the same bytes."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from tests_support import contents


def command(corpus: Path, out: Path, config: str, tokenizer: Path, workers: int) -> list[str]:
    return [
        sys.executable, "-m", "dataaudit", "audit", str(corpus), "-o", str(out), "-c", config,
        "--tokenizer", str(tokenizer), "-j", str(workers), "--fail-on", "never", "-q",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def undisturbed(
    corpus: Path, small_shards: str, tokenizer_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    out = tmp_path_factory.mktemp("undisturbed") / "run"
    subprocess.run(command(corpus, out, small_shards, tokenizer_file, 1), check=True, capture_output=True)
    return out


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("first_too_large", ["plan.json", "signals/part-00002.parquet", "report.json", "report.html"])
def test_no_room_is_said_and_the_same_command_goes_on(
    corpus: Path,
    small_shards: str,
    tokenizer_file: Path,
    tmp_path: Path,
    undisturbed: Path,
    first_too_large: str,
    workers: int,
) -> None:
    room = (undisturbed / first_too_large).stat().st_size - 1

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    out = tmp_path / "run"
    arguments = command(corpus, out, small_shards, tokenizer_file, workers)
    failed = subprocess.run(arguments, capture_output=True, text=True, check=False, preexec_fn=little_room)
    assert failed.returncode == 2
    assert failed.stderr.startswith(f"error: {out}")
    assert "cannot be written" in failed.stderr
    assert "Traceback" not in failed.stderr
    assert failed.stdout == ""
    assert not (out / "report.html").exists()
    assert not any(path.name.startswith((".report", ".dataaudit-tmp")) for path in out.iterdir())
    subprocess.run(arguments, check=True, capture_output=True)
    assert contents(out) == contents(undisturbed)


def test_no_room_for_the_compiled_kernels_is_said_of_their_folder(tmp_path: Path) -> None:
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))

    cache = tmp_path / "cache"
    (tmp_path / "one.txt").write_text("a text\n")
    failed = subprocess.run(
        [sys.executable, "-m", "dataaudit", "audit", "one.txt", "-o", "run", "-j", "1", "-q"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=little_room,
        cwd=tmp_path,
        env={**os.environ, "DATAAUDIT_CACHE": str(cache)},
    )
    assert failed.returncode == 2
    assert failed.stderr.startswith(f"error: {cache}")
    assert "set DATAAUDIT_CACHE" in failed.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_answer_that_cannot_be_printed_is_no_verdict(undisturbed: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "dataaudit", "check", str(undisturbed), "-q", "--fail-on", "never"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("error: stdout: ")
