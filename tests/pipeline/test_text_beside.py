"""--text: the ids of a corpus beside the text they were made of, as a column of it and as files of their own."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import chinese, prose
from tests_support import contents
from tokenizers import Tokenizer

import dataaudit
from dataaudit.errors import ReadError, UsageError
from dataaudit.result import Finding

Record = dict[str, Any]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    rng = random.Random(6)
    return [prose(rng, 10) if number % 2 else chinese(rng, 200) for number in range(60)]


@pytest.fixture(scope="module")
def records(texts: list[str], tokenizer_file: Path) -> list[Record]:
    """Records with id, text and ids, which begin and end with the special token 0."""
    library = Tokenizer.from_file(str(tokenizer_file))
    return [
        {"id": f"s{n}", "text": text, "input_ids": [0, *library.encode(text).ids, 0]} for n, text in enumerate(texts)
    ]


def lines(path: Path, records: list[Record], *without: str) -> Path:
    rows = ({name: value for name, value in each.items() if name not in without} for each in records)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def finding(corpus: Path, run: Path, tokenizer: Path | None, text: Path | str | None, **options: Any) -> Finding:
    result = dataaudit.audit(corpus, run, tokenizer=tokenizer, text=text, workers=1, **options)
    return next(each for each in result.findings if each.id == "text-identity")


def test_ids_of_the_text_in_a_column_pass(records, tokenizer_file, tmp_path):
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "c.parquet", row_group_size=20)
    found = finding(tmp_path / "c.parquet", tmp_path / "run", tokenizer_file, "text")
    assert (found.status, found.value) == ("pass", 0)
    assert (found.details["same"], found.details["begin_with_a_special_id"]) == (60, 60)
    assert "60 begin and 60 end with one" in found.message


def test_the_first_document_of_another_text_is_located(records, tokenizer_file, tmp_path):
    changed = [dict(each) for each in records]
    changed[7]["text"], changed[8]["text"] = records[8]["text"], records[7]["text"]
    found = finding(lines(tmp_path / "c.jsonl", changed), tmp_path / "run", tokenizer_file, "text")
    assert (found.status, found.value) == ("warn", pytest.approx(2 / 60))
    assert [(each.id, each.file, each.record) for each in found.examples] == [
        ("s7", "c.jsonl", 8),
        ("s8", "c.jsonl", 9),
    ]
    library = Tokenizer.from_file(str(tokenizer_file))
    ours, theirs = records[7]["input_ids"][1:-1], library.encode(records[8]["text"]).ids
    at = next(k for k in range(len(ours)) if ours[k] != theirs[k])
    first = found.details["differences"][0]
    assert (first["position"], first["given"], first["encoded"]) == (at + 1, ours[at : at + 8], theirs[at : at + 8])
    assert f"c.jsonl, record 8, first at position {at + 1}:" in found.message


def test_a_raw_array_beside_files_of_text_in_their_order(records, tokenizer_file, tmp_path):
    np.array([id_ for each in records for id_ in each["input_ids"][1:]], np.uint16).tofile(tmp_path / "c.bin")
    folder = tmp_path / "texts"
    folder.mkdir()
    lines(folder / "b.jsonl", records[25:], "input_ids")
    lines(folder / "a.jsonl", records[:25], "input_ids")
    found = finding(tmp_path / "c.bin", tmp_path / "run", tokenizer_file, folder, eos_id=0)
    assert (found.status, found.details["records"], found.details["text_records"]) == ("pass", 60, 60)
    assert found.details["same"] == 60


def test_numbers_of_records_that_do_not_agree_fail_and_are_said(records, tokenizer_file, tmp_path):
    corpus = lines(tmp_path / "c.jsonl", records, "text")
    text = lines(tmp_path / "t.jsonl", [*records[:50], *records[51:]], "input_ids")
    found = finding(corpus, tmp_path / "run", tokenizer_file, text)
    assert (found.status, found.value) == ("fail", 1)
    assert found.message.startswith("The ids have 60 records and the text 59,")
    assert found.details["same"] == 50
    assert found.details["without_text"] == 1
    assert {each.id for each in found.examples} == {f"s{number}" for number in range(50, 60)}


def test_lost_records_keep_ids_and_texts_in_step(records, tokenizer_file, tmp_path):
    corpus = lines(tmp_path / "c.jsonl", records, "text")
    corpus.write_text(corpus.read_text().replace('"s3"', '"s3" no JSON', 1))
    changed = [dict(each) for each in records]
    changed[5]["text"] = None
    found = finding(corpus, tmp_path / "run", tokenizer_file, lines(tmp_path / "t.jsonl", changed, "input_ids"))
    assert found.details["same"] == 58
    assert [(each.id, each.reason) for each in found.examples] == [("s5", "has no text beside its ids")]


def test_ids_cut_to_the_context_and_other_ends_are_the_same(records, tokenizer_file, tmp_path):
    cut = [{**each, "input_ids": each["input_ids"][:100]} for each in records]
    found = finding(lines(tmp_path / "c.jsonl", cut), tmp_path / "run", tokenizer_file, "text")
    assert (found.status, found.details["same_apart_from_the_ends"]) == ("pass", 60)


def test_special_text_as_the_config_says(records, tokenizer_file, tmp_path):
    library = Tokenizer.from_file(str(tokenizer_file))
    text = f"{records[1]['text']}<|endoftext|>{records[3]['text']}"
    ids = library.encode(text).ids
    assert 0 in ids
    corpus = lines(tmp_path / "c.jsonl", [{"text": text, "input_ids": ids}])
    assert finding(corpus, tmp_path / "run", tokenizer_file, "text").value == 1
    config = tmp_path / "token.yaml"
    config.write_text("extends: default\ntokenizer: {special_text: token}\n")
    assert finding(corpus, tmp_path / "other", tokenizer_file, "text", config=str(config)).value == 0


def test_it_is_skipped_by_name_without_a_text(records, tokenizer_file, tmp_path):
    found = finding(lines(tmp_path / "c.jsonl", records, "text"), tmp_path / "run", tokenizer_file, None)
    assert (found.status, found.message) == ("skip", "Not measured: no text was given beside the ids (--text).")


def test_a_text_that_does_not_fit_is_refused(records, tokenizer_file, tmp_path):
    both, ids = lines(tmp_path / "both.jsonl", records), lines(tmp_path / "ids.jsonl", records, "text")
    text = lines(tmp_path / "text.jsonl", records, "input_ids")
    with pytest.raises(UsageError, match="needs the tokenizer"):
        finding(both, tmp_path / "run", None, "text")
    with pytest.raises(UsageError, match="is read as text"):
        finding(text, tmp_path / "run", tokenizer_file, text)
    with pytest.raises(UsageError, match=r"holds token ids \(ids\.jsonl\)"):
        finding(ids, tmp_path / "run", tokenizer_file, ids)
    with pytest.raises(ReadError, match=r"no column 'txt'.*\(columns with text: id, text\).*no such file"):
        finding(both, tmp_path / "run", tokenizer_file, "txt")


def test_a_run_is_the_same_again_and_is_judged_without_the_text(records, tokenizer_file, tmp_path):
    corpus, text = lines(tmp_path / "c.jsonl", records, "text"), lines(tmp_path / "t.jsonl", records, "input_ids")
    found = finding(corpus, tmp_path / "run", tokenizer_file, text)
    before = contents(tmp_path / "run")
    assert finding(corpus, tmp_path / "run", tokenizer_file, text) == found
    assert contents(tmp_path / "run") == before
    text.unlink()
    again = dataaudit.check(tmp_path / "run", workers=1)
    assert next(each for each in again.findings if each.id == "text-identity") == found
    finding(corpus, tmp_path / "run", tokenizer_file, None)
    assert not (tmp_path / "run" / "sketches" / "text_beside.json").exists()
