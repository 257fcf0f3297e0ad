"""A killed run, resumed, gives the same bytes as one that nobody disturbed."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests_support import contents


def command(corpus: Path, out: Path, config: str, tokenizer: Path, workers: int) -> list[str]:
    return [
        sys.executable, "-m", "dataaudit", "audit", str(corpus), "-o", str(out), "-c", config,
        "--tokenizer", str(tokenizer), "-j", str(workers), "--fail-on", "never",
    ]  # fmt: skip


def start(arguments: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)


def finished_tasks(out: Path) -> int:
    return len(list((out / "tasks").glob("*.json")))


@pytest.fixture(scope="module")
def undisturbed(
    corpus: Path, small_shards: str, tokenizer_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    out = tmp_path_factory.mktemp("undisturbed") / "run"
    subprocess.run(command(corpus, out, small_shards, tokenizer_file, 1), check=True, capture_output=True)
    return out


@pytest.mark.parametrize("workers", [1, 2])
def test_kill_and_resume(
    corpus: Path, small_shards: str, tokenizer_file: Path, tmp_path: Path, undisturbed: Path, workers: int
) -> None:
    out = tmp_path / "run"
    arguments = command(corpus, out, small_shards, tokenizer_file, workers)
    rng = random.Random(workers)
    kills = 0
    for goal in (1, 4, 7):
        process = start(arguments)
        while process.poll() is None and finished_tasks(out) < goal:
            time.sleep(0.005)
        time.sleep(rng.random() / 20)
        if process.poll() is None:
            kills += 1
            os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    assert kills, "the run was never killed; make the corpus larger"
    subprocess.run(arguments, check=True, capture_output=True)
    assert contents(out) == contents(undisturbed)
    assert not list(out.glob(".dataaudit-tmp*"))


def test_the_finished_run_says_that_there_is_nothing_to_do(
    corpus: Path, small_shards: str, tokenizer_file: Path, undisturbed: Path
) -> None:
    again = subprocess.run(
        command(corpus, undisturbed, small_shards, tokenizer_file, 1), check=True, capture_output=True, text=True
    )
    assert "nothing to do" in again.stderr


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_ends_the_run_and_says_how_to_resume(
    corpus: Path, small_shards: str, tokenizer_file: Path, tmp_path: Path, workers: int
) -> None:
    out = tmp_path / "run"
    process = start(command(corpus, out, small_shards, tokenizer_file, workers))
    while process.poll() is None and finished_tasks(out) < 1:
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"Run the same command again to resume" in stderr
    assert b"Traceback" not in stderr


def workers_of(parent: int) -> list[int]:
    """Process ids of a run's workers."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    lines = {int(child): Path(f"/proc/{child}/cmdline").read_bytes() for child in children}
    return [child for child, line in lines.items() if b"spawn_main" in line]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the workers through /proc")
def test_a_worker_that_dies_is_named(corpus: Path, small_shards: str, tokenizer_file: Path, tmp_path: Path) -> None:
    process = start(command(corpus, tmp_path / "run", small_shards, tokenizer_file, 2))
    while process.poll() is None and not (found := workers_of(process.pid)):
        time.sleep(0.005)
    os.kill(found[0], signal.SIGKILL)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 2
    assert b"died (exit code -9" in stderr
    assert b"Traceback" not in stderr
