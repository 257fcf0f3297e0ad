"""Filters of corpora of token ids: the same format out, reasons beside it, nothing lost, and the faults gone."""

import json
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from corpus.token_files import read_tokens, write_tokens
from tests_support import contents

import dataaudit
from dataaudit.filter_result import FilterResult
from dataaudit.result import AuditResult

EOS, PAD, VOCABULARY = 2, 3, 1000
ARRAYS = [
    ("megatron", "uint16"),
    ("megatron", "int16"),
    ("nanogpt", "uint16"),
    ("llmc", "uint16"),
    ("llmc", "uint32"),
    ("datatrove", "uint16"),
    ("datatrove", "uint32"),
    ("olmo", "uint64"),
    ("npy", "uint16"),
]
SHARDS = "read: {shard_bytes: 4096}\n"


def documents(name: str, count: int = 60) -> list[list[int]]:
    """Documents, of which every fifth holds an id that the model has no row for."""
    rng = np.random.default_rng(sum(name.encode()))
    found = []
    for number in range(count):
        ids = rng.integers(10, VOCABULARY, int(rng.integers(30, 90))).tolist()
        if number % 5 == 2:
            ids[number % 7] = VOCABULARY + number
        found.append([EOS, *ids] if name.startswith("llmc") else [*ids, EOS])
    return found


def faulty(ids: list[int]) -> bool:
    return max(ids) >= VOCABULARY


def rows_of(name: str) -> list[dict[str, Any]]:
    """Rows as a trainer for chats has them: padded ids, masks, labels of the second half, and the user's own."""
    rows = []
    for number, ids in enumerate(documents(name)):
        blank, half = 100 - len(ids), len(ids) // 2
        rows.append(
            {
                "id": f"{name}-{number}",
                "input_ids": ids + [PAD] * blank,
                "attention_mask": [1] * len(ids) + [0] * blank,
                "labels": [-100] * half + ids[half:] + [-100] * blank,
                "meta": {"turn": number},
            }
        )
    return rows


def make_corpus(root: Path) -> Path:
    for name, dtype in ARRAYS:
        write_tokens(name, root / f"{name}-{dtype}", documents(f"{name}-{dtype}"), dtype)
    for name in ("parquet", "hf", "jsonl"):
        (root / name).mkdir()
    features = {
        "input_ids": pa.list_(pa.int32()),
        "attention_mask": pa.list_(pa.int8()),
        "labels": pa.list_(pa.int64()),
    }
    table = pa.Table.from_pylist(rows_of("parquet"))
    for at, field in enumerate(table.schema):
        table = table.set_column(at, field.name, table.column(at).cast(features.get(field.name, field.type)))
    pq.write_table(table, root / "parquet/rows.parquet")
    datasets.Dataset.from_list(rows_of("hf")).save_to_disk(root / "hf")
    (root / "jsonl/rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows_of("jsonl")))
    return root


def audit(source: Path, run: Path, more: str = SHARDS, workers: int = 1) -> AuditResult:
    run.parent.mkdir(parents=True, exist_ok=True)
    config = run.parent / f"{run.name}.yaml"
    config.write_text(
        f"extends: default\n{more}duplicates: {{enabled: false}}\n"
        f"model: {{vocab_size: {VOCABULARY}, eos_id: {EOS}, pad_id: {PAD}}}\n"
    )
    return dataaudit.audit(source, run, config=str(config), workers=workers)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def run(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audit") / "run"
    audit(corpus, folder)
    return folder


@pytest.fixture(scope="module")
def filtered(run: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[FilterResult, Path]:
    out = tmp_path_factory.mktemp("filter") / "out"
    return dataaudit.filter(run, out, workers=1), out


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize(("name", "dtype"), ARRAYS)
def test_arrays_come_out_in_their_format(filtered: tuple[FilterResult, Path], name: str, dtype: str) -> None:
    _, out = filtered
    folder = f"{name}-{dtype}"
    for kind, wanted in (("clean", False), ("quarantine", True)):
        found = read_tokens(out / kind / folder, eos_id=EOS, dtype=dtype)
        assert found.documents == [ids for ids in documents(folder) if faulty(ids) is wanted]
        assert {piece.format for piece in found.plan.pieces} == {name}
        assert {facts.dtype for facts in found.facts.values()} == {dtype}
        assert not any(facts.problem_counts for facts in found.facts.values())
        assert not found.plan.damaged
        assert not found.damage


@pytest.mark.parametrize(("name", "dtype"), ARRAYS)
def test_reasons_say_where_each_sequence_was_and_is(filtered: tuple[FilterResult, Path], name: str, dtype: str) -> None:
    _, out = filtered
    folder = f"{name}-{dtype}"
    lists = documents(folder)
    ends = np.cumsum([len(ids) for ids in lists])
    found = []
    for path in sorted((out / "quarantine" / folder).rglob("*.reasons.jsonl")):
        there = read_tokens(path.with_name(path.name.removesuffix(".reasons.jsonl")), eos_id=EOS, dtype=dtype).documents
        beside = lines(path)
        assert [there[line["quarantine_record"]] for line in beside] == [lists[line["record"]] for line in beside]
        flat = [each for ids in there for each in ids]
        for line in beside:
            start = line["quarantine_position"]
            assert flat[start : start + line["tokens"]] == lists[line["record"]]
        found += beside
    taken = [at for at, ids in enumerate(lists) if faulty(ids)]
    assert [line["record"] for line in found] == taken
    assert [line["position"] for line in found] == [int(ends[at]) - len(lists[at]) for at in taken]
    assert {line["file"].partition("/")[0] for line in found} == {folder}
    reasons = [reason for line in found for reason in line["dataaudit_reasons"]]
    assert {(each["rule"], each["signal"], each["value"]) for each in reasons} == {
        ("token-range", "oov_token_count", 1)
    }


def saved(folder: Path) -> list[dict[str, Any]]:
    """All rows of the tables and lines below a folder, in their order."""
    found: list[dict[str, Any]] = []
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".jsonl":
            found += lines(path)
        elif path.suffix == ".parquet":
            found += pq.read_table(path).to_pylist()
        elif path.suffix == ".arrow":
            found += datasets.Dataset.from_file(str(path)).to_list()
    return found


@pytest.mark.parametrize("name", ["parquet", "hf", "jsonl"])
def test_records_keep_their_labels_masks_and_columns(filtered: tuple[FilterResult, Path], name: str) -> None:
    _, out = filtered
    rows = rows_of(name)
    assert saved(out / "clean" / name) == [row for row in rows if not faulty(row["input_ids"])]
    gone = saved(out / "quarantine" / name)
    assert all(row.pop("dataaudit_doc_id") is not None and row.pop("dataaudit_reasons") for row in gone)
    assert gone == [row for row in rows if faulty(row["input_ids"])]


def test_types_of_columns_stay(filtered: tuple[FilterResult, Path], corpus: Path) -> None:
    _, out = filtered
    before = pq.read_schema(corpus / "parquet/rows.parquet")
    for kind in ("clean", "quarantine"):
        after = pq.read_schema(next((out / kind / "parquet").rglob("*.parquet")))
        assert [after.field(name).type for name in before.names] == before.types


def test_nothing_is_lost_in_sequences_tokens_and_bytes(filtered: tuple[FilterResult, Path]) -> None:
    result, _ = filtered
    assert result.conserved
    lists = {f"{name}-{dtype}": documents(f"{name}-{dtype}") for name, dtype in ARRAYS}
    lists |= {name: [row["input_ids"] for row in rows_of(name)] for name in ("parquet", "hf", "jsonl")}
    tokens = {name: (_size(each), _size(each, False), _size(each, True)) for name, each in lists.items()}
    for file in result.files:
        folder = file.name.partition("/")[0]
        assert (file.tokens.total, file.tokens.clean, file.tokens.quarantine) == tokens[folder], file.name
        assert (file.records.total, file.records.clean, file.records.quarantine) == (60, 48, 12)
        dtype = {"parquet": "int32", "hf": "int32"}.get(folder, folder.partition("-")[2])
        if dtype:
            assert file.bytes.total == tokens[folder][0] * np.dtype(dtype).itemsize, file.name
    assert result.tokens.total == sum(total for total, *_ in tokens.values())


def _size(lists: list[list[int]], wanted: bool | None = None) -> int:
    return sum(len(ids) for ids in lists if wanted is None or faulty(ids) is wanted)


def test_a_second_audit_finds_nothing_to_take_out(filtered: tuple[FilterResult, Path], tmp_path: Path) -> None:
    _, out = filtered
    result = audit(out / "clean", tmp_path / "run", "")
    assert result.corpus.documents == 48 * (len(ARRAYS) + 3)
    assert dataaudit.filter(tmp_path / "run", tmp_path / "out", workers=1).records.quarantine == 0
    assert not [each.id for each in result.findings if each.status in ("fail", "error") and "token" in each.id]


def test_quarantine_alone_is_a_corpus_without_problems(filtered: tuple[FilterResult, Path], tmp_path: Path) -> None:
    _, out = filtered
    result = audit(out / "quarantine/megatron-uint16", tmp_path / "run", "")
    assert (result.corpus.records, result.corpus.documents) == (12, 12)
    assert {file.format for file in result.files} == {"megatron"}


def test_workers_do_not_change_a_byte(run: Path, filtered: tuple[FilterResult, Path], tmp_path: Path) -> None:
    dataaudit.filter(run, tmp_path / "out", workers=2)
    assert contents(tmp_path / "out") == contents(filtered[1])


def test_restored_sequences_come_back_to_their_place(run: Path, tmp_path: Path) -> None:
    from dataaudit.pipeline.filter_run import run_restore
    from dataaudit.pipeline.listener import Silent

    dataaudit.filter(run, tmp_path / "out", workers=1)
    result = run_restore(tmp_path / "out", ["token-range"], None, Silent(), workers=1)
    assert result.conserved
    assert result.records.quarantine == 0
    assert not [path for path in (tmp_path / "out/quarantine").rglob("*") if path.is_file()]
    for name, dtype in ARRAYS:
        folder = f"{name}-{dtype}"
        found = read_tokens(tmp_path / "out/clean" / folder, eos_id=EOS, dtype=dtype)
        assert found.documents == documents(folder)
