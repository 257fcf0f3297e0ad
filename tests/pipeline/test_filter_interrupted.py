"""A filter that is killed, or that runs out of room, leaves nothing half and goes on where it was."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import prose, write_jsonl
from tests_support import contents

import dataaudit
from dataaudit.pipeline.filter_run import run_filter
from dataaudit.pipeline.listener import Silent

FILES = 6


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("killed")
    rng = random.Random(2)
    for number in range(FILES):
        rows = [{"id": f"{number}-{row}", "text": prose(rng, 30) if row % 9 else "!?" * row} for row in range(30)]
        write_jsonl(root / "in" / f"{number}.jsonl", rows)
    config = root / "small.yaml"
    config.write_text("extends: default\nread: {shard_bytes: 30000}\nduplicates: {enabled: false}\n")
    dataaudit.audit(root / "in", root / "run", config=str(config), workers=1)
    return root / "run"


@pytest.fixture(scope="module")
def undisturbed(run: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    run_filter(run, out, Silent(), workers=1)
    return contents(out)


def command(run: Path, out: Path, workers: int) -> list[str]:
    return [sys.executable, "-m", "dataaudit", "filter", str(run), "--to", str(out), "-j", str(workers)]


def half_files(out: Path) -> list[Path]:
    """Files under a final name that no finished task wrote as they are."""
    known = {}
    for path in (out / "tasks").glob("*.json"):
        known |= {name: facts["bytes"] for name, facts in json.loads(path.read_text())["outputs"].items()}
    found = [path for kind in ("clean", "quarantine", "tokens") for path in (out / kind).rglob("*") if path.is_file()]
    sizes = {str(path.relative_to(out)): path.stat().st_size for path in found}
    return [out / name for name, size in sizes.items() if known.get(name, size) != size]


@pytest.mark.parametrize("seed", range(10))
def test_kill_and_resume(run: Path, undisturbed: dict[str, bytes], tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    out, goal = tmp_path / "out", rng.randrange(FILES)
    process = subprocess.Popen(
        command(run, out, 2 if seed < 2 else 1),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while process.poll() is None and len(list((out / "tasks").glob("*.json"))) < goal:
        time.sleep(0.002)
    time.sleep(rng.random() / 50)
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert not half_files(out)
    if goal < 6:
        assert not (out / "filter.json").exists()
    run_filter(run, out, Silent(), workers=1)
    assert contents(out) == undisturbed
    assert not (out / ".dataaudit-tmp").exists()


def test_the_finished_filter_says_that_there_is_nothing_to_do(run: Path, tmp_path: Path) -> None:
    run_filter(run, tmp_path / "out", Silent(), workers=1)
    again = subprocess.run(command(run, tmp_path / "out", 1), check=True, capture_output=True, text=True)
    assert "nothing to do" in again.stderr
    assert "conserved" in again.stdout


def test_a_full_disk_is_said_and_the_same_command_goes_on(
    run: Path, undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (26_000, 26_000))

    out = tmp_path / "out"
    failed = subprocess.run(command(run, out, 1), capture_output=True, text=True, check=False, preexec_fn=little_room)
    assert failed.returncode == 2
    assert "cannot be written" in failed.stderr
    assert "run the same command again" in failed.stderr
    assert "Traceback" not in failed.stderr
    assert not (out / "filter.json").exists()
    run_filter(run, out, Silent(), workers=1)
    assert contents(out) == undisturbed


@pytest.mark.parametrize("seed", ["0", "1", None])
def test_the_seed_of_hashes_does_not_change_a_byte(
    run: Path, undisturbed: dict[str, bytes], tmp_path: Path, seed: str | None
) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONHASHSEED"}
    environment |= {} if seed is None else {"PYTHONHASHSEED": seed}
    subprocess.run(command(run, tmp_path / "out", 1), check=True, capture_output=True, env=environment)
    assert contents(tmp_path / "out") == undisturbed
