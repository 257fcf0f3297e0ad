"""``show`` with rules: what each rule says of a document, and which documents show what a rule does."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import prose, write_jsonl


def dataaudit(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dataaudit", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run and what it was filtered to: documents with 5 to 95 % special characters."""
    root = tmp_path_factory.mktemp("show")
    rng = random.Random(4)
    records = [{"id": f"s{share}", "text": "#" * share + "a" * (100 - share)} for share in range(5, 100, 5)]
    records += [{"id": "prose", "text": prose(rng)}, {"id": "line", "text": "the same line again\n" * 20}]
    write_jsonl(root / "in.jsonl", records)
    assert dataaudit("audit", root / "in.jsonl", "-o", root / "run", "-j", 1, "--fail-on", "never").returncode == 0
    assert dataaudit("filter", root / "run", "--to", root / "out", "-j", 1).returncode == 0
    return root


@pytest.mark.parametrize("place", ["run", "out"])
def test_examples_of_a_rule_are_nearest_and_furthest(folder: Path, place: str) -> None:
    done = dataaudit("show", folder / place, "--rule", "special-characters", "-n", 2, "--format", "json")
    shown = {each["id"]: each for each in json.loads(done.stdout)}
    groups = {
        name: [each["id"] for each in shown.values() if name in each["groups"]] for name in shown["s50"]["groups"]
    }
    assert groups["borderline, kept"] == ["s50", "s45"]
    assert [name for name, each in shown.items() if "borderline, taken out" in each["groups"]] == ["s55", "s60"]
    assert [name for name, each in shown.items() if "extreme" in each["groups"]] == ["s95", "s90"]
    assert len([each for each in shown.values() if "random, taken out" in each["groups"]]) == 2
    assert shown["s55"]["rules"][0]["margin"] == pytest.approx(0.05)
    again = dataaudit("show", folder / place, "--rule", "special-characters", "-n", 2, "--format", "json")
    assert again.stdout == done.stdout


def test_a_document_is_shown_with_what_every_rule_says_and_where(folder: Path) -> None:
    table = {
        each["id"]: each
        for each in json.loads(
            dataaudit("show", folder / "run", "--rule", "special-characters", "-n", 9, "--format", "json").stdout
        )
    }
    printed = dataaudit("show", folder / "out", "--doc", table["s95"]["doc_id"]).stdout
    fails = next(line for line in printed.splitlines() if "FAILS" in line and "special-characters" in line)
    assert "special_char_ratio 0.95, max 0.5, past by 0.45" in fails
    assert "not applicable  unique-characters-cjk" in printed
    assert "not measured    token-range" in printed
    assert f"at 0: ⟦{'#' * 95}⟧aaaaa" in printed


def test_the_place_of_a_repeated_line(folder: Path) -> None:
    shown = json.loads(dataaudit("show", folder / "run", "--rule", "dup-10gram-chars", "--format", "json").stdout)
    line = next(each for each in shown if each["id"] == "line")
    start, stop = line["rules"][0]["span"].values()
    assert line["text"][start:stop].split() == ["the", "same", "line", "again"] * 2 + ["the", "same"]
