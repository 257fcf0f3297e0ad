"""What an audit must never do: lose a user's file, mix two runs, or show what no longer holds."""

import json
from pathlib import Path

import pytest

import dataaudit
from dataaudit.errors import DataAuditError, RunError, TokenizerError, UsageError
from dataaudit.pipeline import versions as versions_module
from dataaudit.pipeline.lookup import look_up


def corpus(path: Path, *texts: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path


def test_a_folder_with_the_same_names_is_not_a_run_folder(tmp_path: Path) -> None:
    mine = tmp_path / "project"
    for name in ("tasks/todo.md", "tmp/x", "tokens/secret.txt", "signals/s", "plan.json"):
        (mine / name).parent.mkdir(parents=True, exist_ok=True)
        (mine / name).write_text("mine")
    before = sorted(path for path in mine.rglob("*"))
    with pytest.raises(RunError, match="not a run folder"):
        dataaudit.audit(corpus(tmp_path / "a.jsonl", "hello world"), mine, workers=1)
    assert sorted(path for path in mine.rglob("*")) == before


def test_a_users_file_in_a_run_folder_stays(tmp_path: Path) -> None:
    source = corpus(tmp_path / "a.jsonl", "hello world")
    dataaudit.audit(source, tmp_path / "run", workers=1)
    note = tmp_path / "run" / "signals" / "note.txt"
    note.write_text("mine")
    corpus(source, "hello world", "and more")
    dataaudit.audit(source, tmp_path / "run", workers=1)
    assert note.read_text() == "mine"


def test_an_input_inside_the_run_folder_is_refused(tmp_path: Path) -> None:
    dataaudit.audit(corpus(tmp_path / "a.jsonl", "hello world"), tmp_path / "run", workers=1)
    inside = corpus(tmp_path / "run" / "tokens" / "a.jsonl", "hello world")
    for given in (inside, tmp_path / "**"):
        with pytest.raises(UsageError, match="inside"):
            dataaudit.audit(given, tmp_path / "run", workers=1)
    assert inside.exists()


def test_the_run_folder_of_another_corpus_is_refused_and_stays(tmp_path: Path) -> None:
    dataaudit.audit(corpus(tmp_path / "a.jsonl", "hello world"), tmp_path / "run", workers=1)
    before = (tmp_path / "run" / "report.json").read_bytes()
    other = corpus(tmp_path / "b.jsonl", "good bye")
    with pytest.raises(UsageError, match="another corpus"):
        dataaudit.audit(other, tmp_path / "run", workers=1)
    assert (tmp_path / "run" / "report.json").read_bytes() == before
    grown = dataaudit.audit([tmp_path / "a.jsonl", other], tmp_path / "run", workers=1)
    assert grown.corpus.documents == 2


def test_the_same_corpus_named_from_another_folder_or_moved_is_no_other_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus(tmp_path / "in" / "a.jsonl", "hello world")
    monkeypatch.chdir(tmp_path)
    dataaudit.audit("in", "run", workers=1)
    monkeypatch.chdir(tmp_path / "in")
    assert dataaudit.audit("a.jsonl", tmp_path / "run", workers=1).corpus.documents == 1
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").rename(tmp_path / "moved")
    assert dataaudit.audit(tmp_path / "moved", tmp_path / "run", workers=1).corpus.documents == 1


def test_no_report_outlives_the_corpus_it_was_about(tmp_path: Path) -> None:
    source = corpus(tmp_path / "a.jsonl", "hello world")
    dataaudit.audit(source, tmp_path / "run", workers=1)
    source.write_text('{"text": null, "more": "bytes than before"}\n')
    with pytest.raises(DataAuditError):
        dataaudit.audit(source, tmp_path / "run", workers=1)
    with pytest.raises(RunError, match=r"no report\.json"):
        dataaudit.load_result(tmp_path / "run")


def test_another_version_of_a_library_measures_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = corpus(tmp_path / "a.jsonl", "hello world")
    dataaudit.audit(source, tmp_path / "run", workers=1)
    part = tmp_path / "run" / "signals" / "part-00000.parquet"
    before = part.stat().st_mtime_ns
    real = versions_module.version
    monkeypatch.setattr(versions_module, "version", lambda name: "99.0" if name == "pyarrow" else real(name))
    dataaudit.audit(source, tmp_path / "run", workers=1)
    assert part.stat().st_mtime_ns != before
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["versions"]["pyarrow"] == "99.0"


def test_check_refuses_another_tokenizer_under_the_same_path(tmp_path: Path, tokenizer_file: Path) -> None:
    tokenizer = tmp_path / "tokenizer.json"
    tokenizer.write_bytes(tokenizer_file.read_bytes())
    dataaudit.audit(corpus(tmp_path / "a.jsonl", "hello world"), tmp_path / "run", tokenizer=tokenizer, workers=1)
    tokenizer.write_bytes(tokenizer_file.read_bytes() + b"\n")
    with pytest.raises(RunError, match="no longer the tokenizer"):
        dataaudit.check(tmp_path / "run", workers=1)
    tokenizer.unlink()
    with pytest.raises(RunError, match="cannot be read"):
        dataaudit.check(tmp_path / "run", workers=1)


def test_a_document_that_changed_is_not_shown_beside_its_old_signals(tmp_path: Path) -> None:
    source = corpus(tmp_path / "a.jsonl", "aaaa")
    dataaudit.audit(source, tmp_path / "run", workers=1)
    corpus(source, "bbbb")
    with pytest.raises(RunError, match="has changed since the audit"):
        look_up(tmp_path / "run", [0])


def test_a_source_a_document_does_not_make_the_sketches_large(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"text": "some words", "source": f"https://x/{n}"}) + "\n" for n in range(3000)))
    result = dataaudit.audit(path, tmp_path / "run", workers=1)
    assert result.corpus.documents == 3000
    import polars as pl

    lengths = pl.read_parquet(tmp_path / "run" / "sketches" / "lengths-00000.parquet")
    assert lengths["source"].n_unique() == 1001
    assert lengths.filter(pl.col("source") == "(other sources)")["documents"].sum() == 2000
    signals = pl.read_parquet(tmp_path / "run" / "signals" / "part-00000.parquet")
    assert signals["source"].n_unique() == 3000


def test_ids_beyond_any_model_are_refused(tmp_path: Path, tokenizer_file: Path) -> None:
    content = json.loads(tokenizer_file.read_text())
    content["added_tokens"].append({**content["added_tokens"][0], "content": "<|far|>", "id": 4_000_000_000})
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    with pytest.raises(DataAuditError, match="4,000,000,000"):
        dataaudit.audit(
            corpus(tmp_path / "a.jsonl", "hello"), tmp_path / "run", tokenizer=tmp_path / "tokenizer.json", workers=1
        )


def test_a_record_that_is_too_long_is_located_and_conserved(tmp_path: Path) -> None:
    source = corpus(tmp_path / "in.jsonl", "a river and a stone", "x" * 5000, "the wind and the sun")
    config = tmp_path / "short.yaml"
    config.write_text("extends: default\nread: {max_record_bytes: 4096}\n")
    result = dataaudit.audit(source, tmp_path / "run", config=str(config), workers=1)
    assert (result.corpus.records, result.corpus.documents, result.corpus.unreadable) == (3, 2, 1)
    ledger = json.loads((tmp_path / "run" / "ledger" / "part-00000.jsonl").read_text())
    assert (ledger["record"], ledger["kind"]) == (2, "unreadable")
    dataaudit.filter(tmp_path / "run", tmp_path / "out", workers=1)
    (lost,) = (tmp_path / "out" / "quarantine" / "in.jsonl.unreadable.jsonl").read_text().splitlines()
    line = json.loads(lost)
    assert line["record"] == 2
    assert "read.max_record_bytes" in line["dataaudit_reasons"][0]["message"]
    assert not {"raw", "raw_base64"} & line.keys()
    assert len((tmp_path / "out" / "clean" / "in.jsonl").read_text().splitlines()) == 2


def test_a_missing_tokenizer_is_said_before_the_corpus_is_looked_through(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere.json"
    with pytest.raises(TokenizerError, match="no such tokenizer file"):
        dataaudit.audit(tmp_path / "no corpus either", tmp_path / "run", tokenizer=nowhere, workers=1)
