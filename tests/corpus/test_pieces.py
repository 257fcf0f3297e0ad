"""Cutting files into pieces, and finding formats and columns."""

import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataaudit.corpus import ReadOptions, cut_pieces, find_files
from dataaudit.errors import ReadError


def write(folder, name, data):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def plan(*paths, **options):
    return cut_pieces(find_files([str(path) for path in paths]).files, ReadOptions(**options))


def comparable(result):
    documents = [{key: value for key, value in each.items() if key != "row"} for each in result.documents]
    faults = [(name, fault.kind, fault.record, fault.offset, fault.reason, fault.raw) for name, fault in result.faults]
    return documents, faults


lines = st.one_of(
    st.builds(
        lambda text: json.dumps({"text": text, "id": text[:2]}, ensure_ascii=False).encode(), st.text(max_size=40)
    ),
    st.sampled_from([b"", b" ", b"{}", b"broken", b'{"text":"\xff"}', b"null", b"\r", b'{"text":"\\ud800"}']),
)


@given(
    st.lists(lines, max_size=12), st.integers(1, 200), st.sampled_from([b"\n", b"\r\n"]), st.booleans(), st.booleans()
)
def test_any_cut_gives_the_same_records(tmp_path_factory, read, found, target, end, final, mark):
    data = b"\xef\xbb\xbf" * mark + end.join([b'{"text":"first"}', *found]) + end * final
    path = write(tmp_path_factory.mktemp("cut"), "a.jsonl", data)
    whole, cut = read(path), read(path, target_bytes=target)
    assert comparable(cut) == comparable(whole)
    assert sum(each.size for each in cut.plan.pieces) == len(data)
    for before, after in zip(cut.plan.pieces, cut.plan.pieces[1:], strict=False):
        assert before.stop == after.start
        assert data[after.start - 1 : after.start] == b"\n"
    if len(data) > target:
        assert all(each.size < target + 400 for each in cut.plan.pieces)


def test_large_pieces_end_behind_multiples_of_the_target(tmp_path, read):
    rng = random.Random(3)
    body = "".join(json.dumps({"id": n, "text": "x" * rng.randint(0, 3000)}) + "\n" for n in range(2500))
    path = write(tmp_path, "a.jsonl", body)
    result = read(path, target_bytes=1_000_000)
    assert [each.start // 1_000_000 for each in result.plan.pieces] == list(range(len(body) // 1_000_000 + 1))
    assert [place[1] for place in result.places] == list(range(1, 2501))
    assert [each["id"] for each in result.documents] == [str(n) for n in range(2500)]


def test_lines_of_text_are_cut_and_files_of_text_are_not(tmp_path, read):
    path = write(tmp_path, "a.txt", "".join(f"line {n}\n" for n in range(100)))
    by_line = ReadOptions(document_per="line")
    assert len(read(path, target_bytes=50).plan.pieces) == 1
    cut = read(path, target_bytes=50, options=by_line)
    assert len(cut.plan.pieces) > 5
    assert comparable(cut) == comparable(read(path, options=by_line))


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
@pytest.mark.parametrize("target", [1, 700, 3000, 1 << 30])
def test_tables_are_cut_between_row_groups_and_batches(tmp_path, read, name, target):
    table = pa.table({"text": [f"{n} " * (n % 30) for n in range(300)], "id": range(300)})
    path = tmp_path / name
    if name == "a.parquet":
        pq.write_table(table, path, row_group_size=40)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=40)
    result = read(path, target_bytes=target)
    assert [place[1] for place in result.places] == list(range(300))
    assert [each["id"] for each in result.documents] == [str(n) for n in range(300)]
    if target == 1:
        assert [each.first_record for each in result.plan.pieces] == list(range(0, 300, 40))


@pytest.mark.parametrize(
    ("columns", "content", "kind"),
    [
        ({"text": "a", "content": "b"}, "text", "text"),
        ({"content": "b", "raw_content": "c"}, "content", "text"),
        ({"raw_content": "c", "body": "d", "input_ids": [1]}, "raw_content", "text"),
        ({"text": 1, "body": "d"}, "body", "text"),
        ({"doc": {"text": "a"}, "input_ids": [1]}, "doc.text", "text"),
        ({"doc": {"text": "a"}, "body": "b"}, "body", "text"),
        ({"input_ids": [1, 2], "labels": [1, 2]}, "input_ids", "ids"),
        ({"tokens": [1]}, "tokens", "ids"),
        ({"tokens": ["a"], "token_ids": [1]}, "token_ids", "ids"),
        ({"text": None, "tokens": [1]}, "tokens", "ids"),
        ({"text": None}, "text", "text"),
    ],
)
@pytest.mark.parametrize("table", [False, True])
def test_the_content_column_is_found(tmp_path, columns, content, kind, table):
    if table:
        path = tmp_path / "a.parquet"
        pq.write_table(pa.Table.from_pylist([columns]), path)
    else:
        path = write(tmp_path, "a.jsonl", json.dumps(columns))
    [note] = plan(path).notes
    assert (note.content, note.kind) == (content, kind)


def test_id_and_source_columns_are_found(tmp_path):
    for columns, id_column, source_column in (
        ({"id": 1, "source": "a"}, "id", "source"),
        ({"doc_id": "x", "dataset": "a", "uuid": "y"}, "doc_id", "dataset"),
        ({"_id": "x", "meta": {"source": "a"}}, "_id", "meta.source"),
        ({"url": "x", "metadata": {"source": "a"}}, None, "metadata.source"),
        ({"id": {"a": 1}, "uuid": "x", "source": 4}, "uuid", None),
    ):
        [note] = plan(write(tmp_path, "a.jsonl", json.dumps({"text": "t", **columns}))).notes
        assert (note.id_column, note.source_column) == (id_column, source_column)


def test_plain_text_alone_has_no_column_to_ask_for(tmp_path):
    write(tmp_path, "a.txt", "words of a page")
    with pytest.raises(
        ReadError, match="'body' was asked for, but plain text, which is all that was found, has no col"
    ):
        plan(tmp_path, text_column="body")
    write(tmp_path, "b.jsonl", '{"body":"b"}\n')
    assert [note.content for note in plan(tmp_path, text_column="body").notes] == [None, "body"]


def test_a_column_that_is_asked_for_must_exist_somewhere(tmp_path):
    write(tmp_path, "a.jsonl", '{"txet":"a","n":1}\n')
    write(tmp_path, "b.jsonl", '{"story":"b"}\n')
    with pytest.raises(ReadError, match=r"'stroy' is in none of the files. Did you mean 'story'\?.*: txet, n, story\."):
        plan(tmp_path, text_column="stroy")
    with pytest.raises(ReadError, match=r"'n' holds no text in any of the files. Columns with text: txet, story"):
        plan(tmp_path, text_column="n")
    with pytest.raises(ReadError, match="the id column 'idd' is in none of the files"):
        plan(tmp_path, text_column="story", id_column="idd")
    assert [note.content for note in plan(tmp_path, text_column="story").notes] == ["story", "story"]


def test_no_usable_column_anywhere(tmp_path):
    write(tmp_path, "a.jsonl", '{"prompt":"a","messages":[{"content":"x"}]}\n')
    with pytest.raises(ReadError, match=r"no column with text was found .* Columns there are: prompt, messages"):
        plan(tmp_path)


def test_a_file_without_the_column_is_read_with_the_one_of_the_others(tmp_path, read):
    write(tmp_path, "a.jsonl", '{"x":1}\n')
    write(tmp_path, "b.jsonl", '{"content":"b"}\n')
    result = read(tmp_path)
    assert result.texts == ["b"]
    assert result.fault_places == [("a.jsonl", "without_text", 1, 0)]


def test_records_that_are_all_broken_are_faults_not_an_error(tmp_path, read):
    result = read(write(tmp_path, "a.jsonl", "broken\n{also\n"))
    assert [place[1] for place in result.fault_places] == ["unreadable"] * 2


def test_an_empty_file_is_listed_and_has_no_documents(tmp_path, read):
    write(tmp_path, "0.jsonl", b"")
    write(tmp_path, "1.txt", b"")
    write(tmp_path, "2.json", b" \n")
    write(tmp_path, "3.jsonl", '{"text":"a"}')
    result = read(tmp_path)
    assert [note.file.name for note in result.plan.notes] == ["0.jsonl", "1.txt", "2.json", "3.jsonl"]
    assert result.texts == ["a"]
    assert not result.faults


@pytest.mark.parametrize(
    ("name", "data", "found"),
    [
        ("a", '{"text":"a"}\n{"text":"b"}\n', "jsonl"),
        ("a.txt", '{"text":"a"}\n{"text":"b"}\n', "jsonl"),
        ("a.csv", '{"text":"a"}\n', "jsonl"),
        ("a", '[{"text":"a"}]', "json_array"),
        ("a.md", "[link](x) and more\n", "text"),
        ("a.md", "[ ] to do\n", "text"),
        ("a", "# Title, with, commas\n", "text"),
        ("a", "Text, body, and a first line\nthen a second\n", "text"),
        ("a", 'id,text\n1,"a\nb, c"\n2,d\n', "csv"),
        ("a", "id;text\n1;a\n", "csv"),
        ("a.json", '{\n  "text": "a",\n  "meta":\n  {"b": 1}\n}\n', "json_array"),
        ("a", "id,text\n1,a\n", "csv"),
        ("a.tsv", "id\ttext\n1\ta\n", "csv"),
        ("A.CSV", "id,text\n1,a\n", "csv"),
        ("a.tex", "{% raw %}\nSome {text}\n", "text"),
        ("a.py", "x = {}\n" * 9 + '{"a": 1}\n', "text"),
        ("a.txt", b"caf\xe9\n", "text"),
        ("a.txt", b"a\0b", "text"),
        ("a.txt", "été".encode("utf-16"), "text"),
        ("a.jsonl", 'null\n{"text":"a"}\n', "jsonl"),
    ],
)
def test_the_format_is_told_by_the_content(tmp_path, name, data, found):
    [note] = plan(write(tmp_path, name, data), text_column=None).notes
    assert note.format == found


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"PK\x03\x04...", "ZIP archive; unpack it first"),
        (b"%PDF-1.7", "PDF file"),
        (b"\x93NUMPY\x01\0", "NumPy array"),
        (b"\x80\x04\x95abc.", "a pickle; it is never loaded"),
        (b"x" * 257 + b"ustar\0" + b"x" * 300, "tar archive"),
        (b"\0\1\2\3" * 20, "it begins with the bytes 00 01 02 03"),
    ],
)
def test_files_of_another_kind_are_named(tmp_path, read, data, reason):
    name = "a.data" if data.startswith(b"\0") else "a.bin"  # any other bytes under that name may be token ids
    write(tmp_path, name, data)
    write(tmp_path, "b.jsonl", '{"text":"x"}')
    result = read(tmp_path)
    [(file, why)] = result.plan.damaged
    assert file.name == name
    assert reason in why
    assert result.texts == ["x"]


def test_a_format_can_be_forced(tmp_path, read):
    path = write(tmp_path, "a", '{"text":"a"}\n')
    assert read(path, options=ReadOptions(format="text")).texts == ['{"text":"a"}\n']
    with pytest.raises(ReadError, match=r"no format 'jsnl'. Did you mean 'jsonl'\?"):
        read(path, options=ReadOptions(format="jsnl"))
    result = read(path, options=ReadOptions(format="parquet"))
    assert "not a Parquet file" in result.plan.damaged[0][1]


def test_a_file_that_cannot_be_opened_is_named(tmp_path, read, monkeypatch):
    write(tmp_path, "a.jsonl", '{"text":"x"}')
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    result = read(tmp_path)
    assert [(file.name, why) for file, why in result.plan.damaged] == [
        ("gone.jsonl", "cannot be opened: No such file or directory")
    ]
    assert result.texts == ["x"]


def test_a_file_that_went_away_after_the_plan_is_damage(tmp_path):
    from dataaudit.corpus import Tally, read_piece

    path = write(tmp_path, "a.jsonl", '{"text":"x"}\n' * 10)
    pieces = cut_pieces(find_files([str(path)]).files, ReadOptions(), 40).pieces
    path.write_bytes(b'{"text":"x"}\n{"te')
    tally = Tally()
    assert sum(batch.num_rows for batch in read_piece(pieces[0], ReadOptions(), tally)) == 1
    assert "the file ends at byte 17; it was longer when the run was planned" in tally.damage
    path.unlink()
    tally = Tally()
    assert not list(read_piece(pieces[0], ReadOptions(), tally))
    assert tally.damage == "cannot be read: No such file or directory"


def test_a_number_column_must_not_have_a_name_of_ours(tmp_path, read):
    path = write(tmp_path, "a.jsonl", '{"text":"x"}')
    with pytest.raises(ReadError, match="the number column 'row' cannot be read"):
        read(path, options=ReadOptions(number_columns=("row",)))


def test_pieces_travel_between_processes(tmp_path):
    import msgspec

    from dataaudit.corpus import Piece

    [piece] = plan(write(tmp_path, "a.jsonl", '{"text":"x"}')).pieces
    assert msgspec.json.decode(msgspec.json.encode(piece), type=Piece) == piece
