"""The command line: what it prints where, and with which exit code it ends."""

import json
import random
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import prose, write_jsonl


def dataaudit(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs the command as a user does."""
    command = [sys.executable, "-m", "dataaudit", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = random.Random(5)
    records = [{"id": f"g{row}", "text": prose(rng)} for row in range(20)]
    return write_jsonl(tmp_path_factory.mktemp("good") / "good.jsonl", records)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = random.Random(6)
    path = write_jsonl(tmp_path_factory.mktemp("faulty") / "in.jsonl", [{"text": prose(rng)} for _ in range(9)])
    with path.open("a", encoding="utf-8") as file:
        file.write('{"id": "bidi", "text": "safe \\u202e<b>[red]not markup[/red] \\u001b[31m text"}\n{broken\n')
    return path


@pytest.fixture(scope="module")
def run(faulty: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "run"
    dataaudit("audit", faulty, "-o", out, "-j", 1)
    return out


def test_a_good_corpus_ends_with_0_and_says_where_the_report_is(good: Path, tmp_path: Path) -> None:
    done = dataaudit("audit", good, "-o", tmp_path / "run", "-j", 1)
    assert done.returncode == 0, done.stderr
    assert f"report {tmp_path}/run/report.html" in done.stdout
    assert "PASS" in done.stdout.splitlines()[-2]
    assert "text in 'text', id in 'id'" in done.stderr


def test_exit_codes(faulty: Path, good: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert dataaudit("audit", faulty, "-o", out, "-j", 1).returncode == 1
    assert dataaudit("check", out, "--fail-on", "never").returncode == 0
    assert dataaudit("check", out).returncode == 1
    warned = write_jsonl(tmp_path / "w.jsonl", [{"text": "!!!"}, {"text": "Some words of text."}])
    assert dataaudit("audit", warned, "-o", tmp_path / "w", "-j", 1).returncode == 0
    assert dataaudit("check", tmp_path / "w", "--fail-on", "warn").returncode == 1
    (tmp_path / "none.jsonl").write_text("")
    assert dataaudit("audit", tmp_path / "none.jsonl", "-o", tmp_path / "n").returncode == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["audit", "nowhere.jsonl", "-o", "run"], "nowhere.jsonl"),
        (["audit", "."], "--out"),
        (["audit", ".", "-o", "run", "-c", "defalt"], "Did you mean 'default'?"),
        (["audit", "in.jsonl", "-o", "run", "--text-column", "txt"], "text"),
        (["audit", "in.jsonl", "-o", "run", "--tokenizer", "nowhere.json"], "nowhere.json"),
        (["audit", "in.jsonl", "-o", "run", "--input-format", "xlsx"], "xlsx"),
        (
            ["audit", "in.jsonl", "-o", "run", "--input-format", "nanogtp"],
            "Did you mean 'nanogpt'? Formats: arrow, csv",
        ),
        (["audit", "in.jsonl", "-o", "run", "--token-dtype", "uint12"], "uint32"),
        (["audit", "in.jsonl", "-o", "in.jsonl"], "is a file"),
        (["check", "nowhere"], "not a finished run"),
        (["show", "nowhere", "--doc", "1"], "nowhere"),
        (["show", "nowhere"], "--doc ID"),
        (["explain", "special_char_ration"], "Did you mean 'special_char_ratio'?"),
        (["audti"], "audti"),
    ],
)
def test_misuse_ends_with_2_and_a_clear_message(arguments: list[str], said: str, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "in.jsonl", [{"text": "a text"}])
    done = dataaudit(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_raw_token_ids_by_options(tmp_path: Path) -> None:
    (tmp_path / "ids").write_bytes(struct.pack("<6I", 70_000, 5, 9, 6, 7, 9))
    options = ["--input-format", "nanogpt", "--token-dtype", "uint32", "--eos-id", 9, "-j", 1]
    done = dataaudit("audit", tmp_path / "ids", "-o", tmp_path / "run", *options)
    assert "nanogpt, uint32 ids, by the option, a document ends after each id 9" in done.stderr
    assert "2 records = 2 documents + 0 unreadable + 0 without text, in 1 file; 6 tokens" in done.stdout


def test_json_on_stdout_is_the_report_and_nothing_else(run: Path) -> None:
    done = dataaudit("check", run, "--format", "json", "-q")
    assert json.loads(done.stdout) == json.loads((run / "report.json").read_text())
    assert done.stderr == ""


def test_the_table_names_findings_their_documents_and_the_next_command(run: Path) -> None:
    lines = dataaudit("check", run, "--fail-on", "never").stdout
    assert "FAIL  unreadable-records  1 of 11 records (9.09 %) could not be read" in lines
    assert "such as in.jsonl:11" in lines
    assert "11 records = 10 documents + 1 unreadable + 0 without text" in lines
    assert f"next: dataaudit show {run} --check" in lines


def test_show_makes_hostile_text_visible(run: Path) -> None:
    done = dataaudit("show", run, "--check", "invisible-characters")
    assert done.returncode == 0, done.stderr
    assert "in.jsonl:10" in done.stdout
    assert "id bidi" in done.stdout
    assert "safe <U+202E><b>[red]not markup[/red] <U+001B>[31m text" in done.stdout


def test_show_one_document_as_json(run: Path) -> None:
    report = json.loads((run / "report.json").read_text())
    found = next(each for each in report["findings"] if each["id"] == "invisible-characters")
    shown = json.loads(dataaudit("show", run, "--doc", found["examples"][0]["doc_id"], "--format", "json").stdout)
    assert shown[0]["id"] == "bidi"
    assert shown[0]["text"].startswith("safe \u202e")
    assert shown[0]["signals"]["char_count"] == len(shown[0]["text"])


def test_show_a_record_that_gave_no_document(run: Path) -> None:
    done = dataaudit("show", run, "--check", "unreadable-records")
    assert "in.jsonl:11" in done.stdout
    assert "not valid JSON" in done.stdout


def test_a_finding_without_documents_says_what_it_found(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text('{"text": "some words"}\n')
    (tmp_path / "in" / "b.parquet").write_bytes(b"PAR1 cut off")
    done = dataaudit("audit", tmp_path / "in", "-o", tmp_path / "run", "-j", 1)
    assert done.stdout.rstrip().endswith("--check damaged-files")
    shown = dataaudit("show", tmp_path / "run", "--check", "damaged-files")
    assert (shown.returncode, "b.parquet" in shown.stdout) == (0, True)
    assert "dataaudit explain damaged-files" in shown.stdout


def test_show_what_the_run_does_not_have(run: Path) -> None:
    assert "Did you mean 'mojibake'?" in dataaudit("show", run, "--check", "mojibak").stderr
    assert "no rule 'nothing'" in dataaudit("show", run, "--rule", "nothing").stderr
    assert dataaudit("show", run, "--doc", 12345678901234).returncode == 2


def test_the_config_of_a_user_is_judged_with(faulty: Path, tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text(
        "extends: default\nchecks: {unreadable-records: {warn: null, fail: {above: 0.5}}}\n"
    )
    done = dataaudit("audit", faulty, "-o", tmp_path / "run", "-c", tmp_path / "my.yaml", "-j", 1)
    assert done.returncode == 0
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    assert report["method"]["config_name"] == str(tmp_path / "my.yaml")


def test_the_input_is_left_as_it_was(faulty: Path, run: Path) -> None:
    before = (faulty.read_bytes(), faulty.stat().st_mtime_ns)
    dataaudit("check", run)
    assert (faulty.read_bytes(), faulty.stat().st_mtime_ns) == before
    assert [path.name for path in faulty.parent.iterdir()] == ["in.jsonl"]
