"""What an audit leaves in the run folder."""

import json
from pathlib import Path

import datasets
import polars as pl
import pyarrow as pa
import pytest
from conftest import write_jsonl
from tests_support import contents
from tokenizers import Tokenizer

import dataaudit
from dataaudit.config.load import load_config
from dataaudit.errors import NoDocumentsError, RunError, UsageError
from dataaudit.pipeline.audit import run_audit
from dataaudit.pipeline.listener import Silent
from dataaudit.pipeline.lookup import look_up
from dataaudit.result import from_json


def texts_of(corpus: Path) -> dict[str, str]:
    """The texts of the corpus by the user's id, read without any help of the tool."""
    found = {}
    for path in corpus.rglob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").split("\n"):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            found[record["id"]] = record["text"]
    return found


@pytest.fixture(scope="module")
def run(corpus: Path, tokenizer_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "run"
    dataaudit.audit(corpus, out, tokenizer=tokenizer_file, workers=1)
    return out


def test_every_record_is_accounted_for(run: Path) -> None:
    result = dataaudit.load_result(run)
    assert (result.corpus.records, result.corpus.documents) == (241, 240)
    assert (result.corpus.unreadable, result.corpus.without_text) == (1, 0)
    for file in result.files:
        assert file.records == file.documents + file.unreadable + file.without_text
    assert sum(file.records for file in result.files) == 241


def test_token_shards_open_with_datasets_and_hold_the_reference_ids(
    run: Path, corpus: Path, tokenizer_file: Path
) -> None:
    reference = Tokenizer.from_file(str(tokenizer_file))
    shard = datasets.Dataset.from_file(str(run / "tokens" / "part-00000.arrow"))
    ids = dict(pl.read_parquet(run / "signals" / "part-00000.parquet").select("doc_id", "id").iter_rows())
    texts = texts_of(corpus)
    assert len(shard) == 240
    assert shard.features["input_ids"].feature.dtype == "uint16"
    for row in shard:
        assert row["input_ids"] == reference.encode(texts[ids[row["doc_id"]]]).ids


def test_signals_have_a_row_a_document_with_its_place(run: Path) -> None:
    signals = pl.read_parquet(run / "signals" / "part-00000.parquet")
    assert signals.height == 240
    row = signals.filter(pl.col("id") == "1-3").row(0, named=True)
    assert (row["file"], row["record"], row["source"]) == ("books/1.jsonl", 4, "books")
    assert signals["doc_id"].is_unique().all()
    pooled = pl.read_parquet(run / "signals_pooled" / "part-00000.parquet")
    assert pooled["doc_id"].to_list() == signals["doc_id"].to_list()
    assert {"rare_token_ratio", "token_surprisal_bits"} <= set(pooled.columns)


def test_the_offset_leads_to_the_record(run: Path, corpus: Path) -> None:
    signals = pl.read_parquet(run / "signals" / "part-00000.parquet")
    for row in signals.sample(20, seed=1).iter_rows(named=True):
        raw = (corpus / row["file"]).read_bytes()[row["offset"] :]
        assert json.loads(raw.split(b"\n")[0])["id"] == row["id"]


def test_the_ledger_locates_the_broken_record(run: Path) -> None:
    lines = (run / "ledger" / "part-00000.jsonl").read_text().splitlines()
    assert len(lines) == 1
    entry = json.loads(lines[0])
    assert (entry["file"], entry["record"], entry["kind"]) == ("books/1.jsonl", 41, "unreadable")
    assert entry["doc_id"] not in pl.read_parquet(run / "signals" / "part-00000.parquet")["doc_id"]


def test_report_json_is_the_result_and_holds_no_nan(run: Path) -> None:
    data = (run / "report.json").read_bytes()

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} in report.json")

    json.loads(data, parse_constant=refuse)
    assert from_json(data).to_json() == data


def test_the_mixture_is_given_in_documents_tokens_and_characters(run: Path, corpus: Path) -> None:
    by_name = {source.name: source for source in dataaudit.load_result(run).sources}
    texts = texts_of(corpus)
    assert by_name["books"].characters == sum(len(text) for id_, text in texts.items() if int(id_[0]) % 2)
    assert by_name["网页"].documents == 120
    assert sum(source.token_share or 0 for source in by_name.values()) == pytest.approx(1)


def test_token_counts_are_those_of_the_shards(run: Path) -> None:
    counts = pl.read_parquet(run / "sketches" / "token_counts.parquet")
    with pa.ipc.open_stream(run / "tokens" / "part-00000.arrow") as reader:
        ids = pl.Series(reader.read_all().column("input_ids").combine_chunks().flatten())
    expected = ids.value_counts(name="count").sort(ids.name)
    assert counts.sort("id")["count"].to_list() == expected["count"].to_list()


def test_workers_do_not_change_a_byte(corpus: Path, tokenizer_file: Path, tmp_path: Path, small_shards: str) -> None:
    for workers in (1, 2, 4):
        dataaudit.audit(corpus, tmp_path / str(workers), config=small_shards, tokenizer=tokenizer_file, workers=workers)
    assert len(list((tmp_path / "1" / "tokens").iterdir())) > 4
    assert contents(tmp_path / "1") == contents(tmp_path / "2") == contents(tmp_path / "4")


def test_a_finished_run_is_reused(run: Path, corpus: Path, tokenizer_file: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in run.rglob("part-*")}
    dataaudit.audit(corpus, run, tokenizer=tokenizer_file, workers=1)
    assert {path: path.stat().st_mtime_ns for path in run.rglob("part-*")} == before


def test_only_the_changed_shard_is_measured_again(
    corpus: Path, tokenizer_file: Path, tmp_path: Path, small_shards: str
) -> None:
    copy = tmp_path / "corpus"
    for path in corpus.rglob("*.jsonl"):
        target = copy / path.relative_to(corpus)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    out = tmp_path / "run"
    dataaudit.audit(copy, out, config=small_shards, tokenizer=tokenizer_file, workers=1)
    before = {path.name: path.stat().st_mtime_ns for path in (out / "tokens").iterdir()}
    with (copy / "books" / "5.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "new", "text": "One more document."}\n')
    result = dataaudit.audit(copy, out, config=small_shards, tokenizer=tokenizer_file, workers=1)
    after = {path.name: path.stat().st_mtime_ns for path in (out / "tokens").iterdir()}
    assert 0 < len(after.items() - before.items()) < len(after) / 2
    assert result.corpus.documents == 241
    fresh = tmp_path / "fresh"
    dataaudit.audit(copy, fresh, config=small_shards, tokenizer=tokenizer_file, workers=1)
    assert contents(out) == contents(fresh)


def test_dropping_the_tokenizer_leaves_no_stale_tokens(corpus: Path, tokenizer_file: Path, tmp_path: Path) -> None:
    dataaudit.audit(corpus, tmp_path / "run", tokenizer=tokenizer_file, workers=1)
    result = dataaudit.audit(corpus, tmp_path / "run", workers=1)
    assert not list((tmp_path / "run").rglob("*.arrow"))
    assert result.corpus.tokens is None
    skipped = {finding.id: finding for finding in result.findings if finding.status == "skip"}
    assert "no tokenizer was given" in skipped["token-range"].message


def test_check_judges_again_without_the_corpus(tmp_path: Path, tokenizer_file: Path) -> None:
    source = tmp_path / "corpus.jsonl"
    source.write_text('{"text": "eight words that say nothing of interest here"}\n{"text": "!!!!"}\n')
    out = tmp_path / "run"
    first = dataaudit.audit(source, out, tokenizer=tokenizer_file, workers=1)
    tokens = first.corpus.tokens
    source.unlink()
    config = tmp_path / "model.yaml"
    config.write_text("extends: default\nmodel: {vocab_size: 100, max_length: 3}\n")
    again = dataaudit.check(out, config=str(config))
    findings = {finding.id: finding for finding in again.findings}
    assert findings["token-range"].status == "fail"
    assert findings["truncation"].details["tokens_lost"] > 0
    assert again.corpus.tokens == tokens
    assert dataaudit.check(out).to_json() == again.to_json()


def test_a_document_that_is_not_there_and_one_that_cannot_be_found_differ(tmp_path: Path) -> None:
    out = tmp_path / "run"
    dataaudit.audit(write_jsonl(tmp_path / "in.jsonl", [{"text": "a text"}]), out, workers=1)
    with pytest.raises(UsageError, match=f"has no document {5 << 32}"):
        look_up(out, [5 << 32])
    (out / "tasks" / "map-00000.json").write_bytes(b"{")
    with pytest.raises(RunError, match="marker of shard 0 is missing or damaged"):
        look_up(out, [0])


def test_a_damaged_config_of_a_run_says_to_audit_again(tmp_path: Path) -> None:
    out = tmp_path / "run"
    dataaudit.audit(write_jsonl(tmp_path / "in.jsonl", [{"text": "a text"}]), out, workers=1)
    config = (out / "config.json").read_bytes()
    (out / "config.json").write_bytes(config[: len(config) // 2])
    with pytest.raises(RunError, match=r"config.json is damaged or of another version. Run the same dataaudit audit"):
        dataaudit.check(out, workers=1)


def test_ids_without_a_tokenizer_are_not_called_text(tmp_path: Path) -> None:
    notes: list[str] = []

    class Notes(Silent):
        def note(self, text: str) -> None:
            notes.append(text)

    corpus = write_jsonl(tmp_path / "in.jsonl", [{"input_ids": [1, 2, 3]}])
    run_audit([str(corpus)], tmp_path / "run", load_config(), Notes(), workers=1)
    assert [note for note in notes if "tokenizer" in note] == [
        "no tokenizer given: ids are counted, but compared with no vocabulary. Give --tokenizer FILE for that."
    ]


def test_nothing_to_read_is_an_error_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text("{broken\n")
    with pytest.raises(NoDocumentsError, match=r"was read from 1 file \(records: 1 unreadable, 0 without text\)"):
        dataaudit.audit(tmp_path / "in.jsonl", tmp_path / "run")
    (tmp_path / "empty").mkdir()
    with pytest.raises(NoDocumentsError):
        dataaudit.audit(tmp_path / "empty", tmp_path / "run2")


def test_a_foreign_folder_is_never_written_to(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    with pytest.raises(RunError, match="not a run folder"):
        dataaudit.audit(corpus, tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.tex"]


def test_the_run_folder_may_not_lie_in_the_input(corpus: Path) -> None:
    with pytest.raises(UsageError, match="inside the input"):
        dataaudit.audit(corpus, corpus / "run")
    assert not (corpus / "run").exists()


def test_two_processes_do_not_share_a_run_folder(run: Path, corpus: Path) -> None:
    import fcntl

    with (run / "tasks" / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(RunError, match="another dataaudit process"):
            dataaudit.audit(corpus, run)
