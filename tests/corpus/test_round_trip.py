"""Hostile records, written in every format, come back equal."""

import bz2
import csv
import gzip
import io
import json
import lzma

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

HOSTILE = [
    "",
    " ",
    "\0",
    "\ufeff",
    "\u2028",
    "\r",
    "\n",
    '"',
    "\\",
    "é",
    "e\u0301",
    "👩‍👩‍👧",
    "\U0010ffff",
    "ﷺ",
    "a,b\t;",
    "]}[{",
]
texts = st.text(max_size=30) | st.lists(st.sampled_from(HOSTILE), max_size=6).map("".join)
records = st.lists(
    st.fixed_dictionaries({"id": texts, "text": texts, "n": st.none() | st.integers(-(2**40), 2**40)}), max_size=12
)


def jsonl(rows):
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in rows).encode()


def table(rows):
    return pa.Table.from_pylist(rows, pa.schema({"id": pa.string(), "text": pa.string(), "n": pa.int64()}))


def parquet(rows):
    file = io.BytesIO()
    pq.write_table(table(rows), file, row_group_size=3)
    return file.getvalue()


def arrow(rows, new):
    file = io.BytesIO()
    with new(file, table(rows).schema) as writer:
        writer.write_table(table(rows), max_chunksize=3)
    return file.getvalue()


def csv_rows(rows):
    file = io.StringIO()
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    writer.writerow(["id", "text", "n"])
    writer.writerows((each["id"], each["text"], each["n"]) for each in rows)
    return file.getvalue().encode()


FORMATS = {
    "a.jsonl": jsonl,
    "a.jsonl.gz": lambda rows: gzip.compress(jsonl(rows)),
    "a.jsonl.zst": lambda rows: zstandard.compress(jsonl(rows)),
    "a.jsonl.bz2": lambda rows: bz2.compress(jsonl(rows)),
    "a.jsonl.xz": lambda rows: lzma.compress(jsonl(rows), preset=0),
    "a.json": lambda rows: json.dumps(rows).encode(),
    "a.json.gz": lambda rows: gzip.compress(json.dumps(rows, indent=1, ensure_ascii=False).encode()),
    "a.parquet": parquet,
    "a.arrow": lambda rows: arrow(rows, pa.ipc.new_file),
    "b.arrow": lambda rows: arrow(rows, pa.ipc.new_stream),
    "a.csv": csv_rows,
}


@pytest.mark.parametrize("name", FORMATS)
@given(rows=records, target=st.integers(1, 500))
def test_hostile_records_come_back(tmp_path_factory, read, name, rows, target):
    from dataaudit.corpus import ReadOptions

    path = tmp_path_factory.mktemp("trip") / name
    path.write_bytes(FORMATS[name](rows))
    options = ReadOptions(number_columns=("n",), batch_rows=5)
    result = read(path, options=options, target_bytes=target)
    found = [{"id": each["id"] or "", "text": each["text"], "n": each["n"]} for each in result.documents]
    assert found == rows
    assert (result.faults, result.damage, result.plan.damaged) == ([], {}, [])
