"""Many small files give what one file of the same documents gives."""

import gc
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dataaudit
from dataaudit.pipeline.joined_batches import JoinedBatches
from dataaudit.pipeline.map_shard import ShardWriter


@given(st.lists(st.tuples(st.lists(st.text(max_size=9), max_size=5), st.booleans())), st.integers(1, 12))
def test_every_row_comes_once_and_in_order(parts: list[tuple[list[str], bool]], rows: int) -> None:
    given_on: list[pa.RecordBatch] = []
    joined = JoinedBatches(rows, 60)
    for texts, other in parts:
        given_on += joined.add(pa.record_batch({"other" if other else "text": pa.array(texts, pa.string())}))
    given_on += joined.flush()
    found = [(value, batch.schema.names[0]) for batch in given_on for value in batch.column(0).to_pylist()]
    assert found == [(value, "other" if other else "text") for texts, other in parts for value in texts]
    largest = max((len(texts) for texts, _ in parts), default=0)
    assert all(0 < batch.num_rows <= max(rows, largest) for batch in given_on)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [f"document {number} " + "some words 和中文 " * (number % 7) for number in range(150)]


def test_many_files_are_measured_as_one_is(texts: list[str], tokenizer_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / f"{number:03d}.txt").write_text(text, encoding="utf-8")
    one = tmp_path / "one.jsonl"
    pl.DataFrame({"text": texts}).write_ndjson(one)
    runs = [tmp_path / "run-many", tmp_path / "run-one"]
    for corpus, run in zip((folder, one), runs, strict=True):
        dataaudit.audit(corpus, run, tokenizer=tokenizer_file, workers=1)
    first, second = (
        pl.read_parquet(run / "signals" / "*.parquet").drop("file", "record", "offset", "id", "source") for run in runs
    )
    assert first.equals(second, null_equal=True)
    named = pl.read_parquet(runs[0] / "signals" / "*.parquet")["file"].to_list()
    assert named == [f"{number:03d}.txt" for number in range(150)]


def test_a_finished_shard_holds_no_memory(tmp_path: Path, tokenizer_file: Path) -> None:
    pl.DataFrame({"text": ["some words 和中文"] * 20}).write_ndjson(tmp_path / "a.jsonl")
    gc.collect()
    gc.disable()  # what only a collection of cycles would free piles up, for it comes by objects and not by bytes
    try:
        dataaudit.audit(tmp_path / "a.jsonl", tmp_path / "run", tokenizer=tokenizer_file, workers=1)
        assert not [each for each in gc.get_objects() if type(each) is ShardWriter]
    finally:
        gc.enable()
