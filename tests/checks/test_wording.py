"""The sentences of findings, with one of everything and with many."""

import re
from pathlib import Path

import pytest
from conftest import write_jsonl
from hypothesis import given
from hypothesis import strategies as st

import dataaudit
from dataaudit.checks.wording import agree, every, percent
from dataaudit.output.wording import accounting, share
from dataaudit.report.numbers import percent as percent_in_report
from dataaudit.result import Finding, Status

WRONG = r"\b1 (?!of )\w+s\b(?!')|\b1 of [\d,]+ \w+ \([^)]*\) (are|have|hold|spell|do)\b|\ball 1 "


@given(st.integers(0, 10**7), st.integers(1, 10**7))
def test_only_all_is_100_and_only_none_is_0(part: int, whole: int) -> None:
    part = min(part, whole)
    for shown in (percent(part / whole), percent_in_report(part / whole)):
        assert (shown == "100 %") == (part == whole)
        assert (shown == "0 %") == (part == 0)
        assert "e" not in shown
    assert (share(part / whole) == "100.0%") == (part == whole)
    assert (share(part / whole) == "0.0%") == (part == 0)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(4092 / 4094, "99.95 %"), (5.23e-8, "< 0.001 %"), (0.01234, "1.23 %"), (0.99951, "99.95 %"), (None, "no value")],
)
def test_a_share_is_written_as_percent(value: float | None, shown: str) -> None:
    assert percent(value) == shown


def test_verbs_agree() -> None:
    assert [agree(1, verb) for verb in ("are x", "have", "hold y", "held z", "do not start", "spell out")] == [
        "is x",
        "has",
        "holds y",
        "held z",
        "does not start",
        "spells out",
    ]
    assert agree(2, "are x") == "are x"
    assert every(1, "file") == "The only file"
    assert every(2000, "file") == "All 2,000 files"


def findings(folder: Path, rows: list[dict[str, object]], **options: object) -> dict[str, Finding]:
    result = dataaudit.audit(write_jsonl(folder / "in.jsonl", rows), folder / "run", workers=1, **options)
    said = [accounting(result.corpus), *(each.message for each in result.findings)]
    assert [each for each in said if re.search(WRONG, each)] == []
    return {each.id: each for each in result.findings}


def test_one_record_is_told_in_the_singular(tmp_path: Path, tokenizer_file: Path) -> None:
    found = findings(tmp_path, [{"text": "one text", "id": "a"}], tokenizer=tokenizer_file, max_length=1)
    assert found["unreadable-records"].message == "The only record could be read."
    assert found["documents-without-text"].message == "The only record has a text."
    assert found["damaged-files"].message == "The only file was read to the end."
    assert found["truncation"].message.startswith("1 document (100 %) is longer than 1 token; truncating there loses")
    assert "0 ids" not in found["token-concentration"].message


def test_one_fault_is_told_in_the_singular(tmp_path: Path) -> None:
    texts = ["canciÃ³n \x00 \ufffd \u200b a", " ", "see <|endoftext|>", "#$%^&*()_+{}|:<>?~"]
    found = findings(tmp_path, [{"text": text, "id": "same"} for text in texts[:2]] + [{"text": t} for t in texts[2:]])
    assert found["mojibake"].message.startswith("1 of 4 documents (25 %;")
    assert "holds wrongly decoded text" in found["mojibake"].message
    assert "is empty after stripping" in found["empty-documents"].message
    assert "spells out a special token" in found["special-text"].message
    assert found["repeated-ids"].message == ("1 id stands on more than one document (2 documents). Warns at 1.")


def test_what_is_too_small_to_judge_is_skipped_with_its_numbers(tmp_path: Path, tokenizer_file: Path) -> None:
    found = findings(tmp_path, [{"text": f"text {row} of some"} for row in range(3)], tokenizer=tokenizer_file)
    for name in ("rare-tokens", "vocabulary-coverage", "token-concentration"):
        assert (found[name].status, found[name].value) == (Status.SKIP, None)
        assert "Not judged below" in found[name].message
    assert found["vocabulary-coverage"].details["never_seen"] > 0


def test_packing_speaks_of_all_documents(tmp_path: Path, tokenizer_file: Path) -> None:
    rows = [{"text": f"number {row} " * 9} for row in range(9)]
    message = findings(tmp_path, rows, tokenizer=tokenizer_file, max_length=8)["packing"].message
    assert re.search(r"concatenating cuts about [\d.]+ % of documents more often than it must\.", message)
