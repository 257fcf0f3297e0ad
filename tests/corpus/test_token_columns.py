"""Token ids with labels and an attention mask beside them, and lists that hold something else."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dataaudit.corpus import ReadOptions, Tally, cut_pieces, find_files, read_piece

ROWS = [
    {"input_ids": [1, 2, 3], "labels": [-100, 2, 3], "attention_mask": [1, 1, 1]},
    {"input_ids": [4], "labels": None, "attention_mask": [1]},
    {"input_ids": [5, 6], "labels": [5, 6], "attention_mask": [1, 0]},
]


def read(path):
    (piece,) = cut_pieces(find_files([str(path)]).files).pieces
    tally = Tally()
    rows = [row for batch in read_piece(piece, ReadOptions(), tally) for row in batch.to_pylist()]
    return rows, [(fault.record, fault.kind, fault.reason) for fault in tally.faults]


def write(path, table):
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    elif path.suffix == ".arrow":
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".jsonl"])
def test_labels_and_masks_come_with_the_ids(tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    write(path, pa.Table.from_pylist(ROWS))
    rows, faults = read(path)
    assert [{name: row[name] for name in ROWS[0]} for row in rows] == ROWS
    assert not faults


def test_small_types_and_booleans_become_whole_numbers(tmp_path):
    path = tmp_path / "x.parquet"
    mask = pa.array([[True, False]], pa.list_(pa.bool_()))
    labels = pa.FixedSizeListArray.from_arrays(pa.array([-100, 7], pa.int16()), 2)
    write(path, pa.table({"input_ids": [[1, 7]], "attention_mask": mask, "labels": labels}))
    rows, _ = read(path)
    assert (rows[0]["attention_mask"], rows[0]["labels"]) == ([1, 0], [-100, 7])


def test_labels_that_are_no_whole_numbers_are_none(tmp_path):
    path = tmp_path / "x.parquet"
    labels = [[1.0, -100.0], [1.5], [float("nan")], [1.0, None]]
    write(path, pa.table({"input_ids": [[1, 2], [1], [1], [1, 2]], "labels": labels}))
    rows, faults = read(path)
    assert [row["labels"] for row in rows] == [[1, -100], None, None, None]
    assert not faults


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("NaN", "NaN at position 1"),
        ("-Infinity", "an infinite number at position 1"),
        ("2.5", "the float 2.5 at position 1"),
        ("3.0", "the float 3.0 at position 1"),
        ("null", "null at position 1"),
        ("true", "true at position 1"),
        ('"7"', "a text at position 1"),
        ("9223372036854775808", "9223372036854775808, too large, at position 1"),
        ("1" * 400, "111111111111111111111..., too large, at position 1"),
    ],
)
def test_json_lists_that_hold_no_ids_are_named(tmp_path, value, reason):
    path = tmp_path / "x.jsonl"
    path.write_text(f'{{"input_ids": [4, {value}]}}\n{{"input_ids": [4]}}\n')
    rows, faults = read(path)
    assert [row["input_ids"] for row in rows] == [[4]]
    expected = f"token ids: {reason}, where a whole number that fits 64 bits was expected"
    assert faults == [(1, "without_text", expected)]


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_floats_in_a_table_are_named_row_by_row(tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    write(path, pa.table({"input_ids": pa.array([[1.0, 2.0], [1.0, np.nan], [], None], pa.list_(pa.float64()))}))
    rows, faults = read(path)
    assert [row["input_ids"] for row in rows] == [[]]
    assert [(record, reason.partition(",")[0]) for record, _, reason in faults] == [
        (0, "token ids: the float 1.0 at position 0"),
        (1, "token ids: the float 1.0 at position 0"),
        (3, "column 'input_ids' holds null"),
    ]


def test_nulls_in_a_list_of_whole_numbers_are_named(tmp_path):
    path = tmp_path / "x.parquet"
    write(path, pa.table({"input_ids": [[1, None], [2]]}))
    rows, faults = read(path)
    assert [row["input_ids"] for row in rows] == [[2]]
    assert faults[0][2].startswith("token ids: null at position 1")
