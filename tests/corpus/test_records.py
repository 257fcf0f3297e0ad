"""The records as they stand in the file: the same rows as the documents, and every byte and column of them."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dataaudit.corpus import ReadOptions, Tally, cut_pieces, find_files, read_piece, read_records

ROWS = [{"id": f"r{at}", "text": f"line {at} 中文", "meta": {"n": at, "tags": ["a", None]}} for at in range(50)]


def pieces_of(path, options=None, target_bytes=128 << 20):
    return cut_pieces(find_files([str(path)]).files, options or ReadOptions(), target_bytes).pieces


def raw_records(piece, options=None):
    tally = Tally()
    batches = list(read_records(piece, options or ReadOptions(), tally))
    assert sum(batch.length for batch in batches) == tally.records
    return batches, tally


def bytes_of(batches):
    return [record for batch in batches for record in batch.records]


def assert_same_rows(path, options=None, target_bytes=128 << 20):
    for piece in pieces_of(path, options, target_bytes):
        wanted = Tally()
        for _ in read_piece(piece, options or ReadOptions(), wanted):
            wanted.faults.clear()
        _, tally = raw_records(piece, options)
        assert (tally.records, tally.digest, tally.bytes_read) == (wanted.records, wanted.digest, wanted.bytes_read)
        assert tally.damage == wanted.damage


def test_lines_come_back_byte_for_byte_with_all_that_is_wrong_in_them(tmp_path):
    lines = [b'{"text": "a",  "x": 1}\r', b"{broken", b'{"no": "text"}', b'"\xff"', b' {"text": "b"} ']
    path = tmp_path / "in.jsonl"
    path.write_bytes(b"\n\n".join(lines) + b"\n  \n")
    batches, _ = raw_records(pieces_of(path)[0])
    assert bytes_of(batches) == lines
    assert_same_rows(path)


def test_lines_of_a_file_that_is_cut(tmp_path):
    path = tmp_path / "in.jsonl"
    lines = [json.dumps(row).encode() for row in ROWS]
    path.write_bytes(b"\n".join(lines))
    pieces = pieces_of(path, target_bytes=700)
    assert len(pieces) > 3
    assert [line for piece in pieces for line in bytes_of(raw_records(piece)[0])] == lines
    assert_same_rows(path, target_bytes=700)


@pytest.mark.parametrize("begin", ["[", "  [\n", ""])
def test_elements_of_an_array_and_objects_over_lines(tmp_path, begin):
    path = tmp_path / "in.json"
    elements = [json.dumps(row, indent=2).encode() for row in ROWS]
    separator, end = (b",\n", b"]") if begin else (b"\n", b"")
    path.write_bytes(begin.encode() + separator.join(elements) + end)
    batches, _ = raw_records(pieces_of(path)[0])
    assert {batch.shape for batch in batches} == {"array" if begin else "objects"}
    assert bytes_of(batches) == elements
    assert_same_rows(path)


def test_csv_rows_keep_their_quotes_and_line_feeds(tmp_path):
    path = tmp_path / "in.csv"
    rows = [b'1,"a ""quoted""\ntext",x\r', b"2,short", b"3,plain,y\r"]
    path.write_bytes(b"\xef\xbb\xbfid,text, z\r\n" + b"\n".join(rows) + b"\n")
    batches, _ = raw_records(pieces_of(path)[0])
    assert bytes_of(batches) == rows
    assert batches[0].header.names == ("id", "text", "z")
    assert batches[0].header.data == b"id,text, z\r"
    assert_same_rows(path)


def test_text_is_a_file_or_a_line(tmp_path):
    path = tmp_path / "in.txt"
    path.write_bytes(b"one\r\n\ntwo\n")
    assert bytes_of(raw_records(pieces_of(path)[0])[0]) == [b"one\r\n\ntwo\n"]
    per_line = ReadOptions(document_per="line")
    assert bytes_of(raw_records(pieces_of(path, per_line)[0], per_line)[0]) == [b"one\r", b"two"]
    assert_same_rows(path, per_line)


def table():
    return pa.Table.from_pylist(ROWS).replace_schema_metadata({"mine": "kept"})


def whole(batches):
    return pa.Table.from_batches([batch.records for batch in batches])


def test_parquet_rows_have_all_columns(tmp_path):
    path = tmp_path / "in.parquet"
    pq.write_table(table(), path, row_group_size=7)
    assert whole(raw_records(pieces_of(path)[0])[0]).equals(table())
    parts = [whole(raw_records(piece)[0]) for piece in pieces_of(path, target_bytes=600)]
    assert len(parts) > 2
    assert pa.concat_tables(parts).equals(table())
    assert_same_rows(path, target_bytes=600)


@pytest.mark.parametrize(("new", "shape"), [(pa.ipc.new_file, "arrow_file"), (pa.ipc.new_stream, "arrow_stream")])
def test_arrow_rows_have_all_columns(tmp_path, new, shape):
    path = tmp_path / "in.arrow"
    with new(path, table().schema) as writer:
        writer.write_table(table(), max_chunksize=7)
    batches, _ = raw_records(pieces_of(path)[0])
    assert {batch.shape for batch in batches} == {shape}
    assert whole(batches).equals(table())
    assert_same_rows(path)


def test_damage_in_a_column_that_is_not_read_costs_only_its_rows(tmp_path):
    path = tmp_path / "in.parquet"
    rows = pa.table({"text": [f"text {at}" for at in range(60)], "other": [f"other value {at}" for at in range(60)]})
    pq.write_table(rows, path, row_group_size=20, use_dictionary=False, compression=None, write_page_checksum=True)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"other value 25", b"other valuX 25", 1))
    piece = pieces_of(path)[0]
    documents = sum(batch.num_rows for batch in read_piece(piece, ReadOptions(), Tally()))
    batches, tally = raw_records(piece)
    assert (documents, tally.records) == (60, 60)
    lost = [batch for batch in batches if batch.records is None]
    assert sum(batch.length for batch in lost) == 20
    assert "row group 1 is damaged" in lost[0].reason


def test_a_stream_that_breaks_off_gives_what_stands_before(tmp_path):
    path = tmp_path / "in.jsonl.gz"
    data = gzip.compress(b"".join(json.dumps(row).encode() + b"\n" for row in ROWS * 300), mtime=0)
    path.write_bytes(data[: len(data) // 2])
    batches, tally = raw_records(pieces_of(path)[0])
    assert "gzip" in tally.damage
    assert bytes_of(batches)[0] == json.dumps(ROWS[0]).encode()
    assert_same_rows(path)
