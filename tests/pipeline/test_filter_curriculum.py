"""A filter for a curriculum: what some step admits is kept, with the steps in each record."""

import csv
import json
import math
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from conftest import write_jsonl
from typer.testing import CliRunner

import dataaudit
from dataaudit.cli.app import app
from dataaudit.errors import UsageError
from dataaudit.pipeline.filter_run import run_restore
from dataaudit.pipeline.listener import Silent

CONFIG = """
rules:
  - {id: long, signal: char_count, max: {initial: 60, final: 300, decay_steps: 50}, source: "the test"}
  - {id: short, signal: char_count, min: {initial: 10, final: 100, decay_steps: 50}, source: "the test"}
  - {id: digits, signal: digit_char_ratio, max: 0.5, source: "the test"}
"""
LENGTHS = [0, 5, 10, 12, 40, 60, 61, 99, 100, 101, 200, 290, 299, 300, 400]


def text_of(length):
    return ("abcdefghij" * 50)[:length]


def steps_of(length):
    """First and last step that admit a text without digits, by trying them; None where there is none."""
    if not length:
        return None
    found = []
    for step in range(4000):
        moved = math.exp(-step / 50) if step else 1.0
        if 100 - 90 * moved <= length <= 300 - 240 * moved:
            found.append(step)
    return (found[0], found[-1]) if found else None


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("curriculum")
    rows = [{"id": f"n{length}", "text": text_of(length), "k": 1} for length in LENGTHS]
    rows.append({"id": "digits", "text": "7" * 150, "k": 1})
    write_jsonl(root / "in" / "a.jsonl", rows)
    with (root / "in" / "b.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["id", "text"], *([row["id"], row["text"]] for row in rows)])
    (root / "rules.yaml").write_text(CONFIG)
    dataaudit.audit(root / "in", root / "run", config=str(root / "rules.yaml"), workers=1)
    return root / "run"


def judged(records):
    """Compares kept records with the definition; returns their ids."""
    for record in records:
        first, last = steps_of(len(record["text"]))
        until = record["admit_until_step"]
        assert record["admit_from_step"] == first, record["id"]
        # Where the limit only comes ever closer, the last step is far beyond those that are tried.
        assert until == last or (last == 3999 and (until is None or until > last)), record["id"]
    return [record["id"] for record in records]


WANTED = [f"n{length}" for length in LENGTHS if steps_of(length)]


def test_the_steps_are_those_of_the_definition(run, tmp_path):
    out = tmp_path / "out"
    result = CliRunner().invoke(app, ["filter", str(run), "--to", str(out), "--curriculum", "-j", "1"])
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in (out / "clean").iterdir()) == ["a.jsonl", "b.csv.jsonl"]
    for name in ("a.jsonl", "b.csv.jsonl"):
        records = [json.loads(line) for line in (out / "clean" / name).read_text().splitlines()]
        assert judged(records) == WANTED
    gone = [json.loads(line) for line in (out / "quarantine" / "a.jsonl").read_text().splitlines()]
    assert {each["id"] for each in gone} == {"n0", "n5", "n400", "digits"}
    assert all(each["dataaudit_reasons"] for each in gone)
    again = CliRunner().invoke(app, ["filter", str(run), "--to", str(out), "--curriculum", "-j", "1"])
    assert again.exit_code == 0


def test_a_table_gets_columns(run, tmp_path):
    dataaudit.filter(run, tmp_path / "out", format="parquet", curriculum=True, workers=1)
    assert judged(pq.read_table(tmp_path / "out" / "clean" / "a.parquet").to_pylist()) == WANTED


def test_the_dry_run_counts_what_no_step_admits(run):
    shown = CliRunner().invoke(app, ["filter", str(run), "--dry-run", "--curriculum", "--json"])
    assert json.loads(shown.stdout)["removed"]["documents"] == 8


def test_what_cannot_be_used_says_why(run, tmp_path):
    with pytest.raises(UsageError, match="--at-step at one"):
        dataaudit.filter(run, tmp_path / "a", curriculum=True, at_step=3, workers=1)
    with pytest.raises(UsageError, match="no rule of gopher has a limit that moves"):
        dataaudit.filter(run, tmp_path / "b", curriculum=True, config="gopher", workers=1)
    dataaudit.filter(run, tmp_path / "c", curriculum=True, workers=1)
    with pytest.raises(UsageError, match="is a curriculum, in which nothing is restored"):
        run_restore(tmp_path / "c", ["long"], None, Silent(), workers=1)
