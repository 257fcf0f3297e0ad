"""A dataset by its name, filtered: a local folder stands for the hub, and is streamed by ``datasets`` as one of it."""

import json
from pathlib import Path

import pyarrow.parquet as pq

import dataaudit


def test_a_dataset_by_name_is_filtered_with_all_its_columns(tmp_path: Path) -> None:
    texts = {"train": ["a river runs past the house", "?!" * 9, None, "nobody knows why"], "test": ["one old stone"]}
    for split, rows in texts.items():
        lines = [
            json.dumps({"id": f"{split}-{at}", "text": text, "score": at / 2, "meta": {"tags": ["x", str(at)]}})
            for at, text in enumerate(rows)
        ]
        path = tmp_path / "mini" / f"{split}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
    result = dataaudit.audit(f"hub:{tmp_path}/mini", tmp_path / "run", workers=1)
    assert (result.corpus.records, result.corpus.documents, result.corpus.without_text) == (5, 4, 1)
    filtered = dataaudit.filter(tmp_path / "run", tmp_path / "out", workers=1)
    assert (filtered.records.total, filtered.records.clean, filtered.records.quarantine) == (5, 3, 1)
    assert filtered.records.without_text == 1
    clean = [
        row for path in sorted((tmp_path / "out" / "clean").rglob("*.*")) for row in pq.read_table(path).to_pylist()
    ]
    assert [row["id"] for row in clean] == ["test-0", "train-0", "train-3"]
    assert clean[2] == {"id": "train-3", "text": "nobody knows why", "score": 1.5, "meta": {"tags": ["x", "3"]}}
    taken = [
        row
        for path in sorted((tmp_path / "out" / "quarantine").rglob("*.*"))
        for row in pq.read_table(path).to_pylist()
    ]
    reasons = {row["id"]: [each["rule"] for each in row["dataaudit_reasons"]] for row in taken}
    assert "punctuation-only" in reasons["train-1"]
    assert reasons["train-2"] == ["without-text"]
