"""plan, work and finish, by any number of workers in any order, leave the bytes that audit leaves."""

import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from tests_support import contents

from dataaudit.cli.app import main
from dataaudit.errors import RunError
from dataaudit.pipeline.tasks import MapSpec, Task, execute

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"
TASKS = 8


class Done(NamedTuple):
    """What a command ended with."""

    code: int
    out: str
    err: str


Command = Callable[..., Done]


@pytest.fixture
def dataaudit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in this process, which has the kernels at hand."""

    def run(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["dataaudit", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capsys.readouterr()
        return Done(end.value.code or 0, out, err)

    return run


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    path = tmp_path_factory.mktemp("config") / "small.yaml"
    path.write_text("extends: default\nread: {shard_bytes: 65536}\n")
    return ["-c", str(path), "--tokenizer", str(SAMPLE / "tokenizer.json"), "--max-length", "1024"]


@pytest.fixture(scope="module")
def audited(options: list[str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("audited") / "run"
    command = ["audit", str(SAMPLE / "corpus"), "-o", str(out), *options, "-j", "1", "--fail-on", "never"]
    subprocess.run([sys.executable, "-m", "dataaudit", *command], check=True, capture_output=True)
    return contents(out)


@pytest.fixture
def planned(dataaudit: Command, options: list[str], tmp_path: Path) -> Path:
    assert dataaudit("plan", SAMPLE / "corpus", "-o", tmp_path / "run", *options).code == 0
    return tmp_path / "run"


def started(run: Path, *arguments: object) -> subprocess.Popen[str]:
    """A worker in a process of its own."""
    command = [sys.executable, "-m", "dataaudit", "work", str(run), "-j", "1", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def markers(run: Path, stage: str = "") -> set[str]:
    return {path.stem for path in (run / "tasks").glob(f"{stage}*.json")}


@pytest.mark.parametrize("workers", [1, 3])
def test_shares_in_any_order_leave_the_bytes_of_an_audit(
    workers: int, dataaudit: Command, planned: Path, audited: dict[str, bytes]
) -> None:
    rng = random.Random(workers)
    for _ in range(4):
        for index in rng.sample(range(workers), workers):
            done = dataaudit("work", planned, "--shard-index", index, "--num-shards", workers, "-j", 1)
            assert done.code == 0, done.err
    assert "all tasks are done" in done.out
    assert dataaudit("finish", planned).code == 1
    assert contents(planned) == audited


def test_two_workers_at_once_leave_the_bytes_of_an_audit(
    dataaudit: Command, planned: Path, audited: dict[str, bytes]
) -> None:
    for worker in [started(planned), started(planned)]:
        out, err = worker.communicate()
        assert worker.returncode == 0, err
        assert "all tasks are done" in out
    assert dataaudit("finish", planned, "--fail-on", "never").code == 0
    assert contents(planned) == audited


def test_shares_that_wait_for_each_other_need_one_round(
    dataaudit: Command, planned: Path, audited: dict[str, bytes]
) -> None:
    workers = [started(planned, "--shard-index", at, "--num-shards", 2, "--wait", 300) for at in (1, 0)]
    for worker in workers:
        out, err = worker.communicate()
        assert worker.returncode == 0, err
        assert "all tasks are done" in out
    assert dataaudit("finish", planned, "--fail-on", "never").code == 0
    assert contents(planned) == audited


def test_what_a_killed_worker_leaves_is_done_again(
    dataaudit: Command, planned: Path, audited: dict[str, bytes]
) -> None:
    worker = started(planned)
    while worker.poll() is None and len(markers(planned, "map")) < 2:
        time.sleep(0.005)
    worker.send_signal(signal.SIGKILL)
    worker.communicate()
    assert worker.returncode == -signal.SIGKILL
    (planned / ".dataaudit-tmp" / "torn").mkdir(parents=True)
    finished = markers(planned, "map")
    assert 2 <= len(finished) < TASKS
    kept = {name: (planned / "tasks" / f"{name}.json").stat().st_mtime_ns for name in finished}
    done = dataaudit("work", planned, "-j", 1)
    assert f"{TASKS} tasks, {TASKS - len(finished)} of them done here, all done" in done.out
    assert {name: (planned / "tasks" / f"{name}.json").stat().st_mtime_ns for name in finished} == kept
    assert dataaudit("finish", planned, "--fail-on", "never").code == 0
    assert contents(planned) == audited
    assert not (planned / ".dataaudit-tmp").exists()


def test_finish_names_what_is_missing_and_the_command_that_does_it(
    dataaudit: Command, planned: Path, audited: dict[str, bytes]
) -> None:
    done = dataaudit("work", planned, "--shard-index", 1, "--num-shards", 3, "-j", 1)
    assert f"{TASKS} tasks, 3 of them done here, 5 open: map-00000, map-00002, map-00003, ..." in done.out
    missing = dataaudit("finish", planned)
    assert (missing.code, missing.out) == (2, "")
    assert f"5 of {TASKS} tasks of measuring are not done: map-00000, map-00002, " in missing.err
    assert f"dataaudit work {planned}" in missing.err
    assert not (planned / "report.json").exists()
    assert dataaudit("work", planned, "--task", "map-00003", "--task", "map-00005", "-j", 1).code == 0
    assert markers(planned) == {f"map-{shard:05d}" for shard in (1, 3, 4, 5, 7)}
    assert dataaudit("work", planned, "-j", 1).code == 0
    (planned / "tasks" / "drift-00004.json").unlink()
    missing = dataaudit("finish", planned)
    assert f"1 of {TASKS} tasks of looking for drift are not done: drift-00004." in missing.err
    assert dataaudit("work", planned, "--task", "drift-00004", "-j", 1).code == 0
    assert dataaudit("finish", planned).code == 1
    assert contents(planned) == audited


def test_an_audit_goes_on_where_workers_stopped(
    dataaudit: Command, planned: Path, options: list[str], audited: dict[str, bytes]
) -> None:
    dataaudit("work", planned, "--shard-index", 0, "--num-shards", 2, "-j", 1)
    done = dataaudit("audit", SAMPLE / "corpus", "-o", planned, *options, "-j", 1)
    assert f"measuring: 4 of {TASKS} tasks are done, 4 to do." in done.err
    assert contents(planned) == audited


def test_a_share_without_tasks_ends_well(dataaudit: Command, planned: Path) -> None:
    done = dataaudit("work", planned, "--shard-index", 90, "--num-shards", 100)
    assert done.code == 0, done.err
    assert "8 tasks, 0 of them done here, 8 open: map-00000, map-00001, map-00002, ..." in done.out
    assert markers(planned) == set()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--shard-index", 3, "--num-shards", 3], "workers are numbered from 0 to 2"),
        (["--shard-index", -1, "--num-shards", 3], "workers are numbered from 0 to 2"),
        (["--shard-index", 0, "--num-shards", 0], "--num-shards 0: there has to be one worker at least"),
        (["--shard-index", 0], "go together"),
        (["--num-shards", 3], "go together"),
        (["--task", "map-00000", "--shard-index", 0, "--num-shards", 1], "by --task, or by --shard-index"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(
    arguments: list[object], said: str, dataaudit: Command, planned: Path
) -> None:
    done = dataaudit("work", planned, *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert markers(planned) == set()


def test_a_task_that_is_not_there_is_refused_with_what_is(dataaudit: Command, planned: Path) -> None:
    done = dataaudit("work", planned, "--task", "map-0003")
    assert done.code == 2
    assert "no task 'map-0003' can be done now. Did you mean 'map-00003'?" in done.err


def test_the_plan_says_how_many_tasks_there_are_and_how_to_go_on(
    dataaudit: Command, options: list[str], tmp_path: Path
) -> None:
    done = dataaudit("plan", SAMPLE / "corpus", "-o", tmp_path / "run", *options)
    assert "measuring                           8 tasks, which read 0.4 MB" in done.out
    assert f"dataaudit work {tmp_path}/run --shard-index I --num-shards N" in done.out
    assert f"dataaudit finish {tmp_path}/run" in done.out
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        ".dataaudit", "config.json", "plan.json", "shards.jsonl", "tasks",
    ]  # fmt: skip


def test_an_input_that_changed_since_the_plan_is_not_measured(
    dataaudit: Command, options: list[str], tmp_path: Path
) -> None:
    corpus = shutil.copytree(SAMPLE / "corpus", tmp_path / "corpus")
    dataaudit("plan", corpus, "-o", tmp_path / "run", *options)
    changed = max(corpus.rglob("*.jsonl"))
    with changed.open("a") as file:
        file.write('{"text": "one more"}\n')
    done = dataaudit("work", tmp_path / "run", "-j", 1)
    assert done.code == 2
    assert f"{changed} has changed since the run was planned" in done.err
    dataaudit("plan", corpus, "-o", tmp_path / "run", *options)
    assert dataaudit("work", tmp_path / "run", "-j", 1).code == 0
    dataaudit("finish", tmp_path / "run")
    dataaudit("audit", corpus, "-o", tmp_path / "audited", *options, "-j", 1)
    assert contents(tmp_path / "run") == contents(tmp_path / "audited")


def test_relative_paths_start_where_the_plan_was_made(
    dataaudit: Command, options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(SAMPLE / "corpus", tmp_path / "here" / "corpus")
    monkeypatch.chdir(tmp_path / "here")
    dataaudit("plan", "corpus", "-o", tmp_path / "run", *options)
    monkeypatch.chdir(tmp_path)
    done = dataaudit("work", tmp_path / "run", "-j", 1)
    assert (done.code, markers(tmp_path / "run")) == (2, set())
    assert "Relative paths start at the folder where that was" in done.err
    monkeypatch.chdir(tmp_path / "here")
    assert dataaudit("work", tmp_path / "run", "-j", 1).code == 0
    monkeypatch.chdir(tmp_path)
    done = dataaudit("finish", tmp_path / "run")
    assert done.code == 2
    assert "is not here, and excerpts are read from the corpus" in done.err
    assert dataaudit("finish", tmp_path / "run", "--examples", 0).code == 1


def test_a_plan_of_other_versions_is_refused(dataaudit: Command, planned: Path) -> None:
    plan = json.loads((planned / "plan.json").read_text())
    plan["map"]["versions"]["numpy"] = "1.0"
    (planned / "plan.json").write_text(json.dumps(plan))
    for command in ("work", "finish"):
        done = dataaudit(command, planned)
        assert done.code == 2
        assert "the plan was made with numpy 1.0, and here is" in done.err


def test_shards_of_another_plan_are_refused(dataaudit: Command, planned: Path) -> None:
    lines = (planned / "shards.jsonl").read_bytes().splitlines(keepends=True)
    (planned / "shards.jsonl").write_bytes(b"".join(reversed(lines)))
    done = dataaudit("work", planned)
    assert done.code == 2
    assert "damaged or of another version" in done.err
    plan_of_before = Task("map-00000", "key of another plan", 0, MapSpec(0))
    with pytest.raises(RunError, match="the plan has been changed meanwhile"):
        execute(plan_of_before, planned, lambda _: None)


def test_files_that_are_not_there_are_planned_by_the_simulation() -> None:
    script = SAMPLE.parent / "scripts" / "plan_simulation.py"
    done = subprocess.run([sys.executable, script, "--files", "5000"], capture_output=True, text=True, check=True)
    assert "5,000 files, 0.01 TB, 116 shards, shards.jsonl of 2 MB" in done.stdout
    assert "with the keys of 116 tasks" in done.stdout


def test_work_waits_for_nobody_who_needs_the_folder_alone(dataaudit: Command, planned: Path) -> None:
    with (planned / "tasks" / ".lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = dataaudit("work", planned)
        assert (done.code, "is at work in this run folder" in done.err) == (2, True)
        fcntl.flock(lock, fcntl.LOCK_SH)
        done = dataaudit("finish", planned)
        assert (done.code, "another dataaudit process is using this run folder" in done.err) == (2, True)


@pytest.mark.parametrize("command", ["work", "finish"])
def test_a_folder_without_a_plan_is_refused(command: str, dataaudit: Command, tmp_path: Path) -> None:
    done = dataaudit(command, tmp_path)
    assert done.code == 2
    assert "dataaudit plan INPUT" in done.err
    assert not list(tmp_path.iterdir())


def test_a_second_plan_with_other_settings_takes_the_verdict_back(
    dataaudit: Command, planned: Path, options: list[str]
) -> None:
    dataaudit("work", planned, "-j", 1)
    dataaudit("finish", planned)
    assert dataaudit("plan", SAMPLE / "corpus", "-o", planned, *options).code == 0
    assert (planned / "report.json").exists()
    assert dataaudit("plan", SAMPLE / "corpus", "-o", planned, *options, "--eos-id", 0).code == 0
    assert not (planned / "report.json").exists()


SBATCH = """#!/bin/bash
# Runs the jobs of an array one after another, as Slurm would if it had room for one.
script="${@: -1}"
if [ "${@: -2:1}" = --wrap ]; then bash -c "$script" >&2; echo 9; exit; fi
size=$(sed -n 's/^#SBATCH --array=0-\\([0-9]*\\).*/\\1/p' "$script")
for ((at = size; at >= 0; at--)); do
    SLURM_ARRAY_TASK_ID=$at SLURM_ARRAY_TASK_COUNT=$((size + 1)) SLURM_CPUS_PER_TASK=1 bash "$script" >&2 || exit 1
done
echo "$RANDOM"
"""


def test_the_slurm_script_of_the_docs_audits_a_corpus(
    tmp_path: Path, options: list[str], audited: dict[str, bytes]
) -> None:
    text = (SAMPLE.parent / "docs" / "scale.md").read_text()
    script = text.partition("```bash\n")[2].partition("```")[0]
    (tmp_path / "audit.sh").write_text(script.replace("--array=0-31", "--array=0-1").replace("--wait 90", "--wait 0"))
    for name, content in (
        ("sbatch", SBATCH),
        ("dataaudit", f'#!/bin/bash\nexec {sys.executable} -m dataaudit "$@"\n'),
    ):
        (tmp_path / name).write_text(content)
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    cache = os.environ.get("DATAAUDIT_CACHE") or str(Path.home() / ".cache" / "dataaudit")
    (tmp_path / f"dataaudit-{os.environ.get('USER', '')}").symlink_to(cache)
    run = tmp_path / "run"
    done = subprocess.run(
        ["bash", tmp_path / "audit.sh", SAMPLE / "corpus", *options],
        env={**os.environ, "RUN": str(run), "PATH": path, "TMPDIR": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "report.html   next: dataaudit show" in done.stderr
    assert contents(run) == audited
