"""``--format``: what goes to stdout and what to files; exit codes do not depend on it."""

import json
import random
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from conftest import prose, write_jsonl
from typer.testing import CliRunner

from dataaudit.cli.answer import SUMMARY_BYTES, append_summary
from dataaudit.cli.app import app
from dataaudit.errors import UsageError


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a check that fails."""
    folder = tmp_path_factory.mktemp("formats")
    rng = random.Random(3)
    corpus = write_jsonl(folder / "in.jsonl", [{"text": prose(rng)} for _ in range(9)])
    with corpus.open("a", encoding="utf-8") as file:
        file.write("{broken\n")
    assert CliRunner().invoke(app, ["audit", str(corpus), "-o", str(folder / "run"), "-j", "1", "-q"]).exit_code == 1
    return folder / "run"


def check(run: Path, *arguments: object, **environment: str):
    return CliRunner().invoke(app, ["check", str(run), "-q", *map(str, arguments)], env=environment)


def test_one_run_tells_several_formats(run: Path, tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("junit", "prometheus", "json", "table")}
    done = check(run, *(part for name, path in files.items() for part in ("--format", f"{name}={path}")))
    assert done.exit_code == 1
    assert "FAIL  unreadable-records" in done.stdout
    assert files["table"].read_text() == done.stdout
    assert files["json"].read_bytes() == (run / "report.json").read_bytes()
    assert ET.parse(files["junit"]).getroot().get("failures") == "1"
    assert 'dataaudit_verdict{run="' in files["prometheus"].read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(files)


def test_one_format_takes_the_place_of_the_table(run: Path, tmp_path: Path) -> None:
    done = check(run, "--format", "json", "--format", f"markdown={tmp_path / 'a.md'}")
    assert json.loads(done.stdout)["verdict"] == "fail"
    assert (tmp_path / "a.md").read_text().startswith("# dataaudit: ❌ FAIL")


@pytest.mark.parametrize("name", ["table", "github", "json", "junit", "markdown", "prometheus"])
def test_the_exit_code_is_the_same_for_every_format(run: Path, name: str) -> None:
    assert check(run, "--format", name).exit_code == 1
    assert check(run, "--format", name, "--fail-on", "never").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "jnit"], "Did you mean 'junit'?"),
        (["--format", "json", "--format", "github"], "one format can be printed on stdout, not json, github"),
        (["--format", "json=a", "--format", "junit=a"], "two formats go to a"),
        (["--format", "json=nowhere/a"], "nowhere/a is no file"),
        (["--format", "json="], "an empty name"),
        (["--format", "json=."], "is no file"),
    ],
)
def test_misuse_is_said_before_anything_is_read(arguments: list[str], said: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["audit", "nowhere.jsonl", "-o", str(tmp_path / "run"), *arguments])
    assert isinstance(done.exception, UsageError)
    assert said in str(done.exception)


def test_github_appends_the_table_to_the_jobs_summary(run: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("# before\n")
    done = check(run, "--format", "github", GITHUB_STEP_SUMMARY=str(summary))
    assert done.stdout.startswith("::error file=in.jsonl,line=10,title=dataaudit unreadable-records::")
    text = summary.read_text()
    assert text.startswith("# before\n# dataaudit: ❌ FAIL")
    assert "<code>unreadable-records</code>" in text
    done = check(run, "--format", "github", GITHUB_STEP_SUMMARY=str(tmp_path / "no" / "s"))
    assert isinstance(done.exception, SystemExit)
    assert done.exit_code == 1
    assert "cannot be written" in done.stderr


def test_a_summary_never_passes_the_size_that_github_shows(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    lines = "".join(f"| {number} ❌ |\n" for number in range(SUMMARY_BYTES // 10))
    for _ in range(3):
        append_summary(path, lines)
        assert path.stat().st_size <= SUMMARY_BYTES
    text = path.read_text(encoding="utf-8")
    assert text.startswith(lines[:1000])
    assert text.count("does not fit") == 1
    assert all(line.endswith("|") for line in text.splitlines() if line.startswith("|"))
