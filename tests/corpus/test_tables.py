"""Parquet and Arrow: types, nulls, damage, and values that are much larger than their file."""

import decimal
import struct
import tracemalloc

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xxhash

from dataaudit.corpus import CorpusFile, Piece, ReadOptions, Tally, cut_pieces, find_files, read_piece
from dataaudit.corpus.tables import Rows, documents

TEXTS = ["plain", None, "", "é😀\0", "x" * 300]
KINDS = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.binary(),
    pa.large_binary(),
    pa.binary_view(),
    pa.dictionary(pa.int16(), pa.string()),
    pa.dictionary(pa.int32(), pa.large_string()),
]


def texts_of(kind):
    if pa.types.is_dictionary(kind):
        return pa.array(TEXTS, kind.value_type).dictionary_encode().cast(kind)
    values = [each.encode() if each is not None else None for each in TEXTS]
    return pa.array(values, pa.large_binary()).cast(kind) if pa.types.is_binary(kind) else pa.array(TEXTS).cast(kind)


def write_parquet(path, table, **kwargs):
    pq.write_table(table, path, **kwargs)
    return path


def write_file(path, table, rows=None):
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)
    return path


def write_stream(path, table, rows=None):
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)
    return path


WRITERS = {"t.parquet": write_parquet, "t.arrow": write_file, "s.arrow": write_stream}


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("name", WRITERS)
def test_every_kind_of_text(tmp_path, read, name, kind):
    table = pa.table({"id": range(5), "text": texts_of(kind)})
    result = read(WRITERS[name](tmp_path / name, table))
    assert result.texts == [each for each in TEXTS if each is not None]
    assert result.places == [(name, row, None) for row in (0, 2, 3, 4)]
    assert result.fault_places == [(name, "without_text", 1, None)]
    assert [each["id"] for each in result.documents] == ["0", "2", "3", "4"]


@pytest.mark.parametrize("name", WRITERS)
def test_bytes_that_are_no_utf8_cost_only_their_row(tmp_path, read, name):
    offsets, data = pa.py_buffer(struct.pack("<4i", 0, 1, 2, 3)), pa.py_buffer(b"a\xffb")
    text = pa.Array.from_buffers(pa.string(), 3, [None, offsets, data])
    result = read(WRITERS[name](tmp_path / name, pa.table({"text": text})))
    assert result.texts == ["a", "b"]
    [(_, fault)] = result.faults
    assert (fault.kind, fault.record, fault.raw) == ("unreadable", 1, b"")
    assert "not valid UTF-8: byte 0xff at byte 1" in fault.reason


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(
    "kind", [pa.list_(pa.uint16()), pa.large_list(pa.int32()), pa.list_(pa.uint64()), pa.list_(pa.int64(), 2)], ids=str
)
def test_token_ids(tmp_path, read, name, kind):
    result = read(WRITERS[name](tmp_path / name, pa.table({"input_ids": pa.array([[1, 2], None, [3, 4]], kind)})))
    assert [each["input_ids"] for each in result.documents] == [[1, 2], [3, 4]]
    assert result.fault_places == [(name, "without_text", 1, None)]


def test_token_ids_that_are_none(tmp_path, read):
    ids = pa.array([[1, None], [2**63], [], [5]], pa.list_(pa.uint64()))
    result = read(write_parquet(tmp_path / "t.parquet", pa.table({"tokens": ids})))
    assert [each["input_ids"] for each in result.documents] == [[], [5]]
    assert [place[2] for place in result.fault_places] == [0, 1]


def test_list_views_of_token_ids(tmp_path, read):
    ids = pa.array([[1, 2], None, [3]], pa.list_view(pa.int32()))
    result = read(write_file(tmp_path / "t.arrow", pa.table({"input_ids": ids})))
    assert [each["input_ids"] for each in result.documents] == [[1, 2], [3]]


@pytest.mark.parametrize("name", WRITERS)
def test_ids_sources_and_numbers_of_every_type(tmp_path, read, name):
    table = pa.table(
        {
            "text": ["a", "b", "c"],
            "id": pa.array([1.0, None, 2.5]),
            "meta": pa.array([{"source": "web", "q": 1}, None, {"source": None, "q": 2**53}]),
            "loss": pa.array([float("nan"), float("inf"), 0.25]),
            "price": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("2.25")]),
            "flag": pa.array([True, False, None]),
        }
    )
    options = ReadOptions(number_columns=("loss", "meta.q", "price", "flag", "none"))
    result = read(WRITERS[name](tmp_path / name, table), options=options)
    columns = ("id", "source", "loss", "meta.q", "price", "flag", "none")
    assert [tuple(each[column] for column in columns) for each in result.documents] == [
        ("1.0", "web", None, 1.0, 1.5, None, None),
        (None, None, None, None, None, None, None),
        ("2.5", None, 0.25, 2.0**53, 2.25, None, None),
    ]


@pytest.mark.parametrize("name", WRITERS)
def test_nested_text_and_names_with_dots(tmp_path, read, name):
    table = pa.table({"doc": pa.array([{"text": "a"}, None, {"text": "b"}]), "meta.source": ["x", "y", "z"]})
    result = read(WRITERS[name](tmp_path / name, table))
    assert [(each["text"], each["source"]) for each in result.documents] == [("a", "x"), ("b", "z")]
    assert result.plan.notes[0].content == "doc.text"


def test_types_that_drift_from_file_to_file_never_stop_the_audit(tmp_path, read):
    write_parquet(tmp_path / "0.parquet", pa.table({"text": ["a"], "id": [1], "source": pa.nulls(1)}))
    write_parquet(tmp_path / "1.parquet", pa.table({"text": ["b"], "id": ["x"], "source": ["web"]}))
    write_parquet(tmp_path / "2.parquet", pa.table({"text": pa.nulls(1), "id": [True]}))
    write_parquet(tmp_path / "3.parquet", pa.table({"text": [4]}))
    write_parquet(tmp_path / "4.parquet", pa.table({"other": ["c"]}))
    result = read(tmp_path)
    assert [(each["text"], each["id"]) for each in result.documents] == [("a", "1"), ("b", "x")]
    assert [fault.reason for _, fault in result.faults] == [
        "column 'text' holds null",
        "column 'text' holds int64, not text",
        "there is no column 'text'",
    ]


@pytest.mark.parametrize("name", WRITERS)
def test_no_rows_and_no_bytes(tmp_path, read, name):
    WRITERS[name](tmp_path / name, pa.table({"text": pa.array([], pa.string())}))
    (tmp_path / "empty.parquet").write_bytes(b"")
    (tmp_path / "empty.arrow").write_bytes(b"")
    result = read(tmp_path)
    assert (result.documents, result.faults, result.damage, result.plan.damaged) == ([], [], {}, [])
    assert len(result.plan.notes) == 3


def test_files_that_are_damaged_as_a_whole_are_named(tmp_path, read):
    table = pa.table({"text": ["a", "b"]})
    good = write_parquet(tmp_path / "good.parquet", table).read_bytes()
    (tmp_path / "cut.parquet").write_bytes(good[: len(good) * 6 // 10])
    (tmp_path / "stub.parquet").write_bytes(b"PAR1\0")
    (tmp_path / "html.parquet").write_bytes(b"<html>404</html>")
    arrow = write_file(tmp_path / "good.arrow", table).read_bytes()
    (tmp_path / "cut.arrow").write_bytes(arrow[: len(arrow) // 2])
    result = read(tmp_path)
    assert result.texts == ["a", "b"] * 2
    assert [file.name for file, _ in result.plan.damaged] == [
        "cut.arrow",
        "cut.parquet",
        "html.parquet",
        "stub.parquet",
    ]
    assert all(reason for _, reason in result.plan.damaged)


def test_a_damaged_row_group_costs_only_its_rows(tmp_path, read):
    table = pa.table({"id": range(400), "text": [f"text {n} " + "y" * (n % 50) for n in range(400)]})
    path = write_parquet(
        tmp_path / "t.parquet", table, row_group_size=100, compression="zstd", write_page_checksum=True
    )
    column = pq.ParquetFile(path).metadata.row_group(1).column(1)
    data = bytearray(path.read_bytes())
    at = column.dictionary_page_offset + column.total_compressed_size // 2
    data[at : at + 20] = b"\xaa" * 20
    path.write_bytes(data)
    for target in (1, 1 << 30):
        result = read(path, target_bytes=target)
        assert [place[1] for place in result.places] == [*range(100), *range(200, 400)]
        assert [fault.record for _, fault in result.faults] == list(range(100, 200))
        assert {fault.kind for _, fault in result.faults} == {"unreadable"}
        assert "row group 1 is damaged" in result.damage["t.parquet"]


@pytest.mark.parametrize("rows", [3, 100])
def test_a_stream_that_is_cut_is_read_up_to_the_cut(tmp_path, read, rows):
    path = write_stream(tmp_path / "s.arrow", pa.table({"text": [f"t{n}" for n in range(100)]}), rows)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 7 // 10])
    result = read(path)
    assert result.texts == [f"t{n}" for n in range(len(result.texts))]
    assert len(result.texts) > (50 if rows == 3 else -1)
    assert "damaged or ends early" in result.damage["s.arrow"]


def test_offsets_that_lead_out_of_a_buffer_are_damage(tmp_path, read):
    table = pa.table({"text": ["aaaa", "bbbb", "cccc"]})
    for name in ("t.arrow", "s.arrow"):
        path = WRITERS[name](tmp_path / name, table)
        data = path.read_bytes().replace(struct.pack("<4i", 0, 4, 8, 12), struct.pack("<4i", 0, 4000, 8, 12))
        path.write_bytes(data)
        result = read(path)
        assert result.texts == []
        assert "record batch 0" in result.damage[name]


def test_indices_that_lead_out_of_a_dictionary_are_damage(tmp_path, read):
    indices = pa.array([0, 7], pa.int32())
    text = pa.DictionaryArray.from_arrays(indices, pa.array(["a"]), safe=False)
    result = read(write_stream(tmp_path / "s.arrow", pa.table({"text": text})))
    assert result.texts == []
    assert "an index leads out of the dictionary" in result.damage["s.arrow"]


@pytest.mark.parametrize("encoding", ["dictionary", "DELTA_BYTE_ARRAY"])
def test_a_small_parquet_file_that_is_very_large_inside(tmp_path, encoding):
    rows, size = 600, 1 << 20
    text = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["x" * size]))
    if encoding == "dictionary":
        path = write_parquet(tmp_path / "t.parquet", pa.table({"text": text}), compression="zstd")
    else:
        options = {"use_dictionary": False, "column_encoding": {"text": encoding}, "compression": "zstd"}
        table = pa.table({"text": text.dictionary_decode()})
        path = write_parquet(tmp_path / "t.parquet", table, **options)
        del table
    assert path.stat().st_size < 1 << 20
    [piece] = cut_pieces(find_files([str(path)]).files).pieces
    before = pa.total_allocated_bytes()
    tally, characters, most = Tally(), 0, 0
    for batch in read_piece(piece, ReadOptions(), tally):
        characters += batch.column("text").nbytes
        most = max(most, pa.total_allocated_bytes() - before)
        assert batch.num_rows <= 4
    assert tally.records == rows
    assert characters >= rows * size
    assert most < 150 << 20


def test_a_dictionary_is_not_written_out_as_a_whole(tmp_path):
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 5000, pa.int32()), pa.array(["x" * (1 << 20)]))
    path = write_stream(tmp_path / "s.arrow", pa.table({"text": text}))
    [piece] = cut_pieces(find_files([str(path)]).files).pieces
    before, count, most = pa.total_allocated_bytes(), 0, 0
    for batch in read_piece(piece, ReadOptions(), Tally()):
        count += batch.num_rows
        most = max(most, pa.total_allocated_bytes() - before)
    assert count == 5000
    assert most < 60 << 20


def test_batches_end_where_the_piece_and_the_options_say(tmp_path, read):
    table = pa.table({"text": ["x" * 100] * 5000})
    path = write_parquet(tmp_path / "t.parquet", table, row_group_size=700)
    assert max(read(path, options=ReadOptions(batch_rows=2000)).batches) <= 2000
    assert max(read(path, options=ReadOptions(batch_bytes=10_000)).batches) <= 100
    assert sum(read(path).batches) == 5000


def test_lost_rows_do_not_pile_up():
    file = CorpusFile("x", "x", "x", 0, "")
    piece = Piece(file, "parquet", None, 0, None, 0, 0, "text", "text", None, None)
    tally, faults = Tally(), 0
    for _ in documents([Rows(0, 50_000, None, "lost")], piece, ReadOptions(batch_rows=100), tally):
        assert len(tally.faults) <= 200
        faults += len(tally.faults)
        tally.faults.clear()
    assert faults == tally.records == 50_000


def test_the_digest_is_that_of_the_row_groups(tmp_path, read):
    path = write_parquet(tmp_path / "t.parquet", pa.table({"text": ["a" * 50] * 90}), row_group_size=30)
    data = path.read_bytes()
    metadata = pq.ParquetFile(path).metadata
    bounds = [metadata.row_group(n).column(0) for n in range(3)]
    result = read(path, target_bytes=1)
    assert len(result.tallies) == 3
    for tally, column in zip(result.tallies, bounds, strict=True):
        start = column.dictionary_page_offset
        assert tally.digest == xxhash.xxh3_128(data[start : start + column.total_compressed_size]).hexdigest()
        assert tally.bytes_read == column.total_compressed_size


def test_the_digests_of_arrow_pieces_change_with_their_own_bytes(tmp_path, read):
    texts = [f"text {n:04}" for n in range(100)]
    path = write_file(tmp_path / "t.arrow", pa.table({"text": texts}), 25)
    before = [tally.digest for tally in read(path, target_bytes=1).tallies]
    path.write_bytes(path.read_bytes().replace(b"text 0060", b"TEXT 0060"))
    after = [tally.digest for tally in read(path, target_bytes=1).tallies]
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, True, False, True]


def test_a_tables_text_is_not_copied_into_python(tmp_path, read):
    path = write_parquet(tmp_path / "t.parquet", pa.table({"text": ["x" * 10_000] * 1000}))
    [piece] = cut_pieces(find_files([str(path)]).files).pieces
    tracemalloc.start()
    try:
        for _ in read_piece(piece, ReadOptions(), Tally()):
            pass
        assert tracemalloc.get_traced_memory()[1] < 6 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("column", ["id", "source"])
def test_ids_and_sources_that_are_very_large_inside(tmp_path, column):
    large = pa.DictionaryArray.from_arrays(pa.array([0] * 3000, pa.int32()), pa.array(["x" * (1 << 20)]))
    table = pa.table({"text": ["a"] * 3000, column: large})
    for name in ("t.parquet", "s.arrow"):
        path = WRITERS[name](tmp_path / name, table)
        [piece] = cut_pieces(find_files([str(path)]).files).pieces
        before, most, count = pa.total_allocated_bytes(), 0, 0
        for batch in read_piece(piece, ReadOptions(), Tally()):
            count += batch.num_rows
            most = max(most, pa.total_allocated_bytes() - before)
        assert count == 3000
        assert most < 150 << 20


def test_columns_with_the_same_name(tmp_path, read):
    table = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"]), pa.array([1])], names=["text", "text", "id"])
    assert read(write_file(tmp_path / "t.arrow", table)).texts == ["a"]
