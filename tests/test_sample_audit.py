"""An audit of sample_data finds exactly what is planted there."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

import dataaudit
from dataaudit.pipeline.lookup import documents_of_rule, look_up
from dataaudit.result import AuditResult, Finding

SAMPLE = Path(__file__).resolve().parents[1] / "sample_data"

FOUND_BY = {
    "empty-documents": {"empty", "white_space_only"},
    "punctuation-only": {"punctuation_only"},
    "special-characters": {"special_characters", "punctuation_only"},
    "control-characters": {"control_characters", "nul_characters"},
    "replacement-characters": {"replacement_characters", "lone_surrogate"},
    "invisible-characters": {"invisible_characters"},
    "private-use-characters": {"private_use_characters"},
    "mojibake": {"mojibake_utf8_as_latin1", "mojibake_gbk"},
    "repaired-text": {"lone_surrogate"},
    "repetition": {"repeated_lines", "repeated_ngram", "repeated_paragraph"},
    "periodic-tokens": {"periodic_tokens"},
    "digit-tokens": {"digit_table"},
    "special-text": {"special_token_text"},
    "truncation": {"too_long"},
}
"""The faults that each check's documents have; all of them, and no other."""

QUARANTINED = {fault for faults in FOUND_BY.values() for fault in faults} - {
    "digit_table",  # flagged: a table is no garbage
    "special_token_text",  # flagged: harmless while it is encoded as text
    "too_long",  # no fault of the document
} | {"repeated_character"}


COPIES = {"exact_duplicate", "near_duplicate", "equal_across_sources"}


@pytest.fixture(scope="module")
def planted() -> dict[str, set[str]]:
    """The ids of the documents with each fault."""
    found = defaultdict(set)
    for row in json.loads((SAMPLE / "planted.json").read_text(encoding="utf-8")):
        found[row["fault"]].add(row["id"])
    return found


@pytest.fixture(scope="module")
def copies() -> set[str]:
    """The ids of documents that repeat an earlier one: all of a group of copies but its first, in corpus order."""
    groups = defaultdict(list)
    for row in json.loads((SAMPLE / "planted.json").read_text(encoding="utf-8")):
        if row["fault"] in COPIES:
            groups[row["group"]].append((row["file"], row["record"], row["id"]))
    return {id_ for group in groups.values() for _, _, id_ in sorted(group)[1:]}


@pytest.fixture(scope="module")
def places() -> dict[str, set[tuple[str, int]]]:
    """File and record of each fault."""
    found = defaultdict(set)
    for row in json.loads((SAMPLE / "planted.json").read_text(encoding="utf-8")):
        found[row["fault"]].add((row["file"], row["record"]))
    return found


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sample") / "run"
    tokenizer = SAMPLE / "tokenizer.json"
    dataaudit.audit(SAMPLE / "corpus", out, tokenizer=tokenizer, max_length=1024, workers=1)
    return out


@pytest.fixture(scope="module")
def result(run: Path) -> AuditResult:
    return dataaudit.load_result(run)


@pytest.fixture(scope="module")
def findings(result: AuditResult) -> dict[str, Finding]:
    return {finding.id: finding for finding in result.findings}


@pytest.mark.parametrize("check", FOUND_BY)
def test_a_check_finds_exactly_the_planted_documents(
    check: str, findings: dict[str, Finding], planted: dict[str, set[str]]
) -> None:
    expected = set().union(*(planted[fault] for fault in FOUND_BY[check]))
    assert {example.id for example in findings[check].examples} == expected
    assert findings[check].documents == len(expected)


def test_copies_are_found_and_nothing_else(findings: dict[str, Finding], copies: set[str]) -> None:
    checks = ("exact-duplicates", "near-duplicates")
    assert {example.id for check in checks for example in findings[check].examples} == copies


def test_the_rules_take_out_exactly_the_planted_documents(
    run: Path, result: AuditResult, planted: dict[str, set[str]], copies: set[str]
) -> None:
    out = set()
    for rule in result.rules:
        if rule.action == "quarantine":
            out.update(documents_of_rule(run, rule.id, 1000))
    expected = copies.union(*(planted[fault] for fault in QUARANTINED))
    assert {shown.identity["id"] for shown in look_up(run, sorted(out))} == expected


def test_the_document_of_rare_characters_leads_the_byte_fallback(
    findings: dict[str, Finding], planted: dict[str, set[str]]
) -> None:
    assert {findings["byte-fallback"].examples[0].id} == planted["rare_tokens"]


def test_lost_records_are_located(run: Path, places: dict[str, set[tuple[str, int]]]) -> None:
    lost = defaultdict(set)
    for line in (run / "ledger" / "part-00000.jsonl").read_text().splitlines():
        entry = json.loads(line)
        lost[entry["kind"]].add((entry["file"], entry["record"]))
    assert lost["unreadable"] == places["broken_json"] | places["not_an_object"] | places["invalid_utf8"]
    assert lost["without_text"] == places["without_text"] | places["text_is_null"]


def test_the_damaged_file_is_named(findings: dict[str, Finding], places: dict[str, set[tuple[str, int]]]) -> None:
    assert {(file["file"], None) for file in findings["damaged-files"].details["files"]} == places["truncated_gzip"]


def test_the_repeated_id_is_named(findings: dict[str, Finding], planted: dict[str, set[str]]) -> None:
    assert {entry["id"] for entry in findings["repeated-ids"].details["ids"]} == planted["repeated_id"]


def test_what_only_looks_like_a_fault_is_read_like_anything_else(
    result: AuditResult, places: dict[str, set[tuple[str, int]]]
) -> None:
    files = {file.name: file for file in result.files}
    for fault in ("byte_order_mark", "crlf_lines", "line_separator"):
        for name, _ in places[fault]:
            assert files[name].documents == files[name].records > 0
    for name, _ in places["empty_file"]:
        assert (files[name].records, files[name].damage) == (0, None)


def test_no_other_check_complains(findings: dict[str, Finding]) -> None:
    explained = {*FOUND_BY, "unreadable-records", "documents-without-text", "damaged-files", "repeated-ids"}
    loud = {name for name, finding in findings.items() if finding.status in ("fail", "warn", "error")}
    assert loud <= explained
