"""Reading some documents of a run again, at their places or by their rows."""

import gzip
import json
from pathlib import Path

import polars as pl
import pytest

import dataaudit
from dataaudit.errors import RunError
from dataaudit.pipeline.document_texts import texts_of
from dataaudit.pipeline.plan import load_plan
from dataaudit.pipeline.store import RunFolder

TEXTS = [
    "first\u2028not a line end",
    "短い文書",
    "x" * 70_000,
    "tab\t\x00 nul",
    "\U0001f600" * 300_000,
    "a lone \ud800 surrogate",
    "last",
]


def _lines() -> bytes:
    lines = [json.dumps({"text": text, "n": n}).encode() for n, text in enumerate(TEXTS)]
    lines[1:1] = [b"", b"   ", b'{"text": broken', b"\xff\xfe", b'{"text": ""}']
    lines[3] += b"\r"
    return b"\xef\xbb\xbf" + b"\n".join(lines)


@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.jsonl.gz", "utf16.jsonl"])
def test_each_document_is_found_again(name: str, tmp_path: Path) -> None:
    data = _lines()
    if name.startswith("utf16"):
        data = data.replace(b"\xff\xfe", b"?").removeprefix(b"\xef\xbb\xbf").decode().encode("utf-16")
    corpus = tmp_path / name
    corpus.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    config = tmp_path / "small.yaml"
    config.write_text("extends: default\nread: {shard_bytes: 65536}\n", encoding="utf-8")
    run = tmp_path / "run"
    dataaudit.audit(corpus, run, config=str(config), workers=1)
    doc_ids = pl.read_parquet(run / "signals" / "*.parquet")["doc_id"].sort().to_list()
    found = dict(texts_of(RunFolder(run), load_plan(run), doc_ids))
    assert list(found) == doc_ids
    expected = [text.replace("\ud800", "\ufffd") for text in TEXTS]
    assert [text for text in found.values() if text] == expected
    for doc_id in doc_ids[::3]:
        assert dict(texts_of(RunFolder(run), load_plan(run), [doc_id])) == {doc_id: found[doc_id]}


def test_a_document_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"text": "one"}\n', encoding="utf-8")
    dataaudit.audit(corpus, tmp_path / "run", workers=1)
    run, plan = RunFolder(tmp_path / "run"), load_plan(tmp_path / "run")
    with pytest.raises(RunError, match="behind the end"):
        list(texts_of(run, plan, [5]))
    corpus.write_text('{"text": "two"}\n\n', encoding="utf-8")
    with pytest.raises(RunError, match="has changed"):
        list(texts_of(run, plan, [0]))
