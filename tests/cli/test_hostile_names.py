"""What stands in file names, ids, sources and column names reaches the terminal as text, and on its own line."""

import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dataaudit.cli import app as application
from dataaudit.cli.app import app
from dataaudit.cli.progress import TerminalListener
from dataaudit.errors import ReadError
from dataaudit.output.visible import one_line

ESCAPES = "\x1b]0;t\x07\x1b[31m\u202eX"
FILE = "\x1b[32mf\nPASS  all is good\tx.jsonl"


def raw_characters(text: str) -> set[str]:
    """The characters of a text that a terminal acts on."""
    return {each for each in text if unicodedata.category(each) in ("Cc", "Cf") and each != "\n"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two files with hostile names, sources, ids and a hostile number column."""
    folder = tmp_path_factory.mktemp("hostile")
    corpus = folder / "in"
    corpus.mkdir()
    record = {"text": "una canciÃ³n\r\x1b[2J y un niÃ±o", "id": f"i\n{ESCAPES}", "source": "\x1b[31m\ns\\"}
    (corpus / FILE).write_text(json.dumps(record) + "\n{broken\n", encoding="utf-8")
    (corpus / "b\x1b[0m.jsonl").write_text(json.dumps(record | {"source": "other"}) + "\n", encoding="utf-8")
    return folder / "run"


def test_no_command_lets_a_name_act_on_the_terminal(run: Path) -> None:
    told = CliRunner().invoke(app, ["audit", str(run.parent / "in"), "-o", str(run), "-j", "1"])
    assert told.exit_code == 1
    shown = [
        CliRunner().invoke(app, ["show", str(run), *what])
        for what in (["--check", "mojibake"], ["--check", "unreadable-records"], ["--doc", "0"])
    ]
    dry = CliRunner().invoke(app, ["filter", str(run), "--dry-run"])
    compared = CliRunner().invoke(app, ["compare", str(run), str(run)])
    for each in (told, *shown, dry, compared):
        assert raw_characters(each.stdout + each.stderr) == set(), each.stdout
        assert not any(line.startswith("PASS  all is good") for line in (each.stdout + each.stderr).split("\n"))
    assert "such as <U+001B>[32mf<U+000A>PASS  all is good<U+0009>x.jsonl:1" in told.stdout
    assert "<U+000A>s\\ " in told.stdout
    assert "s\\\\" not in told.stdout
    assert "(id i<U+000A><U+001B>]0;t<U+0007>" in told.stdout
    assert "source <U+001B>[31m<U+000A>s\\" in shown[0].stdout


def test_a_column_name_in_an_error_cannot_act_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "c.jsonl").write_text('{"\\u001b[31mcol\\nerror: none":1}\n')
    monkeypatch.setattr(sys, "argv", ["dataaudit", "audit", str(tmp_path / "c.jsonl"), "-o", str(tmp_path / "run")])
    with pytest.raises(SystemExit) as ended:
        application.main()
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert "<U+001B>[31mcol" in told
    assert raw_characters(told) == set()
    assert [line for line in told.split("\n") if line.startswith("error:")] == [told.split("\n")[0]]


def test_notes_and_warnings_stay_on_their_line(capsys: pytest.CaptureFixture[str]) -> None:
    listener = TerminalListener()
    listener.note(f"[red]found[/red] {ESCAPES}\nerror: none")
    listener.warn(f"{ESCAPES}\nerror: none")
    told = capsys.readouterr().err
    assert raw_characters(told) == set()
    assert len(told.splitlines()) == 2
    assert told.startswith("[red]found[/red] <U+001B>]0;t<U+0007>")


def test_an_error_of_several_lines_is_told_in_several_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> None:
        raise ReadError("first.\nsecond.")

    monkeypatch.setattr(application, "app", fails)
    with pytest.raises(SystemExit):
        application.main()
    assert capsys.readouterr().err == "error: first.\n  second.\n"


def test_one_line_holds_no_break() -> None:
    assert one_line("a\tb\nc\rd\u2028e") == "a<U+0009>b<U+000A>c<U+000D>d<U+2028>e"


@pytest.mark.parametrize("command", [["config"], ["config", "--schema"], ["explain"], ["explain", "--format", "json"]])
def test_a_reader_that_leaves_does_not_make_a_command_fail(command: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "dataaudit", *command], stdout=write, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")
