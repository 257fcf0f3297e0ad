"""A filter of sample_data takes out what is planted there, with the right reason, and a second one nothing."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

import dataaudit
from dataaudit.filter_result import FilterResult
from dataaudit.pipeline.filter_run import run_filter
from dataaudit.pipeline.listener import Silent

SAMPLE = Path(__file__).resolve().parents[1] / "sample_data"

REASONS = {
    "empty": "empty",
    "white_space_only": "empty",
    "punctuation_only": "punctuation-only",
    "special_characters": "special-characters",
    "control_characters": "control-characters",
    "nul_characters": "control-characters",
    "replacement_characters": "replacement-characters",
    "lone_surrogate": "replacement-characters",
    "invisible_characters": "invisible-characters",
    "private_use_characters": "private-use-characters",
    "mojibake_utf8_as_latin1": "mojibake",
    "mojibake_gbk": "mojibake",
    "repeated_character": "longest-run",
    "repeated_lines": "gopher/dup-lines",
    "repeated_paragraph": "gopher/dup-paragraphs",
    "repeated_ngram": "gopher/dup-5gram-chars",
    "periodic_tokens": "periodic-tokens",
    "without_text": "without-text",
    "text_is_null": "without-text",
}
"""A reason that a document with each fault must have."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sample")


@pytest.fixture(scope="module")
def result(folder: Path) -> FilterResult:
    dataaudit.audit(SAMPLE / "corpus", folder / "run", tokenizer=SAMPLE / "tokenizer.json", workers=1)
    return run_filter(folder / "run", folder / "out", Silent(), workers=1)


def rows_of(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    if path.suffix == ".arrow":
        return pa.ipc.open_file(path).read_all().to_pylist()
    if path.suffix == ".json":
        return json.loads(path.read_text())
    data = path.read_bytes()
    if path.suffix == ".zst":
        data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
    elif path.suffix == ".gz":
        import gzip

        data = gzip.decompress(data)
    return [json.loads(line) for line in data.split(b"\n") if line.strip()]


def test_each_planted_fault_is_quarantined_with_its_reason(folder: Path, result: FilterResult) -> None:
    assert result.conserved
    reasons = defaultdict(set)
    files = [path for path in (folder / "out" / "quarantine").rglob("*") if path.is_file()]
    for row in (row for path in files for row in rows_of(path)):
        reasons[row.get("id")] |= {reason["rule"] for reason in row["dataaudit_reasons"]}
    for fault in json.loads((SAMPLE / "planted.json").read_text(encoding="utf-8")):
        if wanted := REASONS.get(fault["fault"]):
            assert wanted in reasons[fault["id"]], fault
    copies = [names for names in reasons.values() if names & {"exact-duplicate", "near-duplicate"}]
    assert len(copies) == 6


def test_a_second_filter_removes_nothing(folder: Path, result: FilterResult) -> None:
    dataaudit.audit(
        folder / "out" / "clean", folder / "again", tokenizer=SAMPLE / "tokenizer.json", config="default", workers=1
    )
    second = run_filter(folder / "again", folder / "second", Silent(), workers=1)
    assert second.records.total == second.records.clean == result.records.clean
