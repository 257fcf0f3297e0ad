"""Filters of single files of token ids: sidecars, tables, damage, formats that are only read, other formats out."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import datasets
import numpy as np
import pytest
from corpus.token_files import read_tokens, write_tokens
from tests_support import contents

import dataaudit
from dataaudit.errors import RunError, UsageError
from dataaudit.filter_result import FilterResult

EOS, VOCABULARY = 2, 1000
LISTS = [[10 + at, 20, 30 + at % 7, VOCABULARY + 5 if at % 4 == 1 else 40, EOS] for at in range(24)]
CLEAN = [ids for ids in LISTS if max(ids) < VOCABULARY]
GONE = [ids for ids in LISTS if max(ids) >= VOCABULARY]


def audit(
    source: Path, folder: Path, model: str = f"{{vocab_size: {VOCABULARY}, eos_id: {EOS}}}", read: str = ""
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "config.yaml"
    rule = "{id: rows, signal: oov_token_count, max: 0, source: here}"
    config.write_text(f"version: 1\n{read}duplicates: {{enabled: false}}\nmodel: {model}\nrules: [{rule}]\n")
    dataaudit.audit(source, folder / "run", config=str(config), workers=1)
    return folder / "run"


def filtered(source: Path, folder: Path, **options: str) -> FilterResult:
    return dataaudit.filter(audit(source, folder), folder / "out", workers=1, **options)


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_losses_and_the_name_of_the_tokenizer_stay_beside_datatrove_ids(tmp_path: Path) -> None:
    main = write_tokens("datatrove", tmp_path / "in", LISTS, "uint16")
    losses = [[at % 2, 1, 0, 1, 1] for at in range(len(LISTS))]
    Path(f"{main}.loss").write_bytes(np.array(losses, np.uint8).tobytes())
    filtered(tmp_path / "in", tmp_path)
    for kind, wanted in (("clean", CLEAN), ("quarantine", GONE)):
        found = tmp_path / "out" / kind / main.name
        kept = [loss for loss, ids in zip(losses, LISTS, strict=True) if ids in wanted]
        assert np.fromfile(f"{found}.loss", np.uint8).reshape(-1, 5).tolist() == kept
        assert np.fromfile(found, np.uint16).reshape(-1, 5).tolist() == wanted
        assert Path(f"{found}.metadata").read_text().splitlines()[0] == "tokenizer.json|2"
        assert not read_tokens(found).problems


@pytest.mark.parametrize("dtype", ["<u2", ">u2", "<i8"])
def test_tables_of_numpy_stay_tables(tmp_path: Path, dtype: str) -> None:
    (tmp_path / "in").mkdir()
    np.save(tmp_path / "in/rows.npy", np.array(LISTS, dtype))
    result = filtered(tmp_path / "in", tmp_path)
    assert np.load(tmp_path / "out/clean/rows.npy").tolist() == CLEAN
    assert np.load(tmp_path / "out/quarantine/rows.npy").tolist() == GONE
    assert result.bytes.total == result.tokens.total * np.dtype(dtype).itemsize
    assert [line["record"] for line in lines(tmp_path / "out/quarantine/rows.npy.reasons.jsonl")] == list(
        range(1, 24, 4)
    )


def test_sequences_that_cannot_be_read_have_their_place_and_the_rest_is_whole(tmp_path: Path) -> None:
    main = write_tokens("megatron", tmp_path / "in", LISTS, "uint16")
    main.write_bytes(main.read_bytes()[:-4])
    result = filtered(tmp_path / "in", tmp_path)
    assert result.conserved
    assert (result.records.clean, result.records.quarantine, result.records.unreadable) == (17, 6, 1)
    (line,) = lines(tmp_path / "out/quarantine/tokens_document.bin.unreadable.jsonl")
    assert (line["record"], line["offset"], line["dataaudit_reasons"][0]["rule"]) == (23, 230, "unreadable")
    assert read_tokens(tmp_path / "out/clean").documents == CLEAN[:-1]
    assert read_tokens(tmp_path / "out/quarantine").documents == GONE


def test_ids_that_only_the_input_can_hold_are_quarantined_as_they_are(tmp_path: Path) -> None:
    huge = [[10, 20, (1 << 63) + 1, EOS], [10, 20, 30, EOS]]
    write_tokens("olmo", tmp_path / "in", [[10, 20, 30, EOS]], "uint64")
    np.array(huge, np.uint64).tofile(tmp_path / "in/part-00000.npy")
    with gzip.open(tmp_path / "in/part-00000.csv.gz", "wt") as rows:
        rows.write("0,4,a,x,1\n4,8,b,x,2\n")
    result = filtered(tmp_path / "in", tmp_path)
    assert (result.records.clean, result.records.without_text) == (1, 1)
    assert result.conserved
    assert np.fromfile(tmp_path / "out/quarantine/part-00000.npy", np.uint64).tolist() == huge[0]
    assert np.fromfile(tmp_path / "out/clean/part-00000.npy", np.uint64).tolist() == huge[1]
    with gzip.open(tmp_path / "out/clean/part-00000.csv.gz", "rt") as rows:
        assert rows.read() == "0,4,b,part-00000.npy,1\n"


@pytest.mark.parametrize("name", ["megatron", "nanogpt", "llmc", "datatrove", "olmo", "npy"])
def test_clean_ids_come_out_in_another_format(tmp_path: Path, name: str) -> None:
    (tmp_path / "in").mkdir()
    rows = [{"input_ids": ids, "labels": ids} for ids in LISTS]
    (tmp_path / "in/rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = filtered(tmp_path / "in", tmp_path, format=name)
    assert result.conserved
    found = read_tokens(tmp_path / "out/clean", eos_id=EOS)
    assert {piece.format for piece in found.plan.pieces} == {name}
    assert [each for ids in found.documents for each in ids] == [each for ids in CLEAN for each in ids]
    assert [row["input_ids"] for row in lines(tmp_path / "out/quarantine/rows.jsonl")] == GONE
    exported = dataaudit.export(tmp_path / "out", tmp_path / "exported", format=name)
    assert exported.tokens_written == result.records.clean * 5
    before = contents(tmp_path / "out")
    dataaudit.filter(tmp_path / "run", tmp_path / "out", workers=1, format=name)
    assert contents(tmp_path / "out") == before


def test_what_a_format_cannot_be_is_said_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/rows.jsonl").write_text("".join(json.dumps({"input_ids": ids}) + "\n" for ids in LISTS))
    run = audit(tmp_path / "in", tmp_path, f"{{vocab_size: {VOCABULARY}}}")
    with pytest.raises(UsageError, match="nanogpt files have an id at the end"):
        dataaudit.filter(run, tmp_path / "out", format="nanogpt", workers=1)
    with pytest.raises(UsageError, match=r"no format 'megatrn' of clean files\. Did you mean 'megatron'"):
        dataaudit.filter(run, tmp_path / "out", format="megatrn", workers=1)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/a.jsonl").write_text('{"text": "some words"}\n')
    dataaudit.audit(tmp_path / "texts", tmp_path / "run2", workers=1)
    with pytest.raises(RunError, match="without a tokenizer"):
        dataaudit.filter(tmp_path / "run2", tmp_path / "out", format="megatron", workers=1)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["litdata/tokens", "mds/declared"])
def test_formats_that_are_only_read_become_arrow(tmp_path: Path, name: str) -> None:
    fixture = Path(__file__).parents[1] / "fixtures/tokens"
    result = filtered(fixture / name, tmp_path)
    rows = [
        row
        for kind in ("clean", "quarantine")
        for path in sorted((tmp_path / "out" / kind).rglob("*.arrow"))
        for row in datasets.Dataset.from_file(str(path))
    ]
    written = json.loads((fixture / name).with_name("documents.json").read_text())
    assert result.conserved
    assert sorted(row["input_ids"] for row in rows) == sorted(written)
    assert "mds" not in name or all(row["labels"] == row["input_ids"] for row in rows)


def test_a_killed_filter_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    for number in range(4):
        write_tokens("megatron", tmp_path / f"in/{number}", LISTS * 40, "uint16")
    run = audit(tmp_path / "in", tmp_path, read="read: {shard_bytes: 4096}\n")
    whole = tmp_path / "whole"
    dataaudit.filter(run, whole, workers=1)
    out = tmp_path / "killed"
    command = [sys.executable, "-m", "dataaudit", "filter", str(run), "--to", str(out), "-j", "1", "-q"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    while process.poll() is None and len(list((out / "tasks").glob("*.json"))) < 2:
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert not (out / "filter.json").exists()
    dataaudit.filter(run, out, workers=1)
    assert contents(out) == contents(whole)
