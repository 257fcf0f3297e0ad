"""What packing and padding cost, as the checks say it."""

import json
from pathlib import Path
from typing import Any

from token_corpora import MODEL, PAD, audit_ids, documents, with_sides

from dataaudit.result import AuditResult, Finding, Status


def finding(result: AuditResult, name: str) -> Finding:
    return next(each for each in result.findings if each.id == name)


def write(folder: Path, lists: list[list[int]]) -> Path:
    path = folder / "x.jsonl"
    path.write_text("".join(json.dumps({"input_ids": each}) + "\n" for each in lists))
    return path


def test_padding_is_counted_and_is_information_without_a_level(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = with_sides(documents(20))
    lists = [row["input_ids"] for row in rows]
    found = finding(audit_ids(write(tmp_path, lists), tmp_path), "padding-waste")
    padding = sum(each.count(PAD) for each in lists)
    assert padding > 0
    assert found.status is Status.INFO
    assert found.value == padding / sum(map(len, lists))
    assert (found.documents, found.details["padding_tokens"]) == (20, padding)


def test_padding_is_not_judged_without_its_id(tmp_path: Path) -> None:
    model = {name: value for name, value in MODEL.items() if name != "pad_id"}
    assert finding(audit_ids(write(tmp_path, documents(5)), tmp_path, model), "padding-waste").status is Status.SKIP


def test_packing_is_shown_at_the_context_and_at_every_further_length(tmp_path: Path) -> None:
    # The example of Ding et al. 2024: best fit needs 4 windows of 8.
    lists = [[9] * length for length in (14, 7, 5, 2, 3)]
    model: dict[str, Any] = {"vocab_size": 10, "max_length": 16, "context_lengths": [8, 16, 32]}
    table = finding(audit_ids(write(tmp_path, lists), tmp_path, model), "packing").details["packing"]
    assert [row["context"] for row in table] == [16, 8, 32]
    assert (table[1]["best_fit_windows"], table[1]["best_fit_padding"]) == (4, 1)
