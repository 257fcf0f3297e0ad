"""CSV and TSV."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataaudit.corpus import ReadOptions


def write(folder, data, name="a.csv"):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_a_cell_is_a_text_whatever_it_says(tmp_path, read):
    words = ["NA", "null", "None", "nan", "n/a", "", "1", "001", " x ", "TRUE"]
    body = "id,text\n" + "".join(f"{n:03},{word}\n" for n, word in enumerate(words))
    result = read(write(tmp_path, body))
    assert result.texts == words
    assert [each["id"] for each in result.documents] == [f"{n:03}" for n in range(10)]


def test_rows_are_located_by_their_first_line(tmp_path, read):
    data = 'id,text\r\n1,"two\r\nlines, ""quoted"""\r\n\r\n2,last'
    result = read(write(tmp_path, data))
    assert result.texts == ['two\r\nlines, "quoted"', "last"]
    assert result.places == [("a.csv", 2, 9), ("a.csv", 5, 39)]
    assert data[39:] == "2,last"


def test_ragged_rows_are_unreadable_and_the_rest_is_read(tmp_path, read):
    result = read(write(tmp_path, "id,text\n1,a\n2\n3,b,c\n4,d\n"))
    assert result.texts == ["a", "d"]
    assert [(fault.kind, fault.record, fault.raw) for _, fault in result.faults] == [
        ("unreadable", 3, b"2"),
        ("unreadable", 4, b"3,b,c"),
    ]
    assert result.faults[0][1].reason == "the row has 1 cells, the header has 2"


def test_an_unclosed_quote_costs_only_its_row(tmp_path, read):
    result = read(write(tmp_path, 'id,text\n1,a\n2,"open\n3,b\n4,"c\nd"\n5,e\n'))
    assert result.texts[0] == "a"
    assert "e" in result.texts
    assert len(result.documents) + len(result.faults) == result.tallies[0].records
    result = read(write(tmp_path, 'id,text\n1,a\n2,"open\n3,b\n4,c\n'))
    assert result.texts == ["a", "b", "c"]
    assert [(fault.record, fault.reason) for _, fault in result.faults] == [(3, "a quoted cell is not closed")]


def test_many_unclosed_quotes_do_not_take_for_ever(tmp_path, read):
    result = read(write(tmp_path, "id,text\n" + 'a,b"\nx,"y"z\n"' * 3001 + "\n"))
    assert result.tallies[0].records > 0


def test_bytes_that_are_no_utf8_cost_only_their_row(tmp_path, read):
    result = read(write(tmp_path, "id,text\n1,é\n".encode() + b"2,\xff\n3,\xc3\xa9\n"))
    assert result.texts == ["é", "é"]
    assert result.fault_places == [("a.csv", "unreadable", 3, 13)]


def test_nul_lone_returns_and_large_cells(tmp_path, read):
    large = "x" * 300_000
    result = read(write(tmp_path, f'id,text\n1,a\0b\n2,"{large}"\n3,a\rb\n4,ok\n'))
    assert result.texts == ["a\0b", large, "ok"]
    assert [(fault.record, fault.kind) for _, fault in result.faults] == [(4, "unreadable")]


@pytest.mark.parametrize(("name", "mark"), [("a.tsv", "\t"), ("a.csv", ";"), ("a.csv", "\t"), ("a.csv", "|")])
def test_delimiters(tmp_path, read, name, mark):
    result = read(write(tmp_path, f"id{mark}text\n1{mark}a, b\n", name))
    assert result.texts == ["a, b"]


def test_a_byte_order_mark_and_utf16(tmp_path, read):
    assert read(write(tmp_path, b"\xef\xbb\xbftext,id\na,1\n")).places == [("a.csv", 2, 11)]
    result = read(write(tmp_path, "text,id\né,1\n".encode("utf-16")))
    assert result.texts == ["é"]
    assert result.places == [("a.csv", 2, None)]


def test_sources_numbers_and_empty_cells(tmp_path, read):
    options = ReadOptions(number_columns=("loss",))
    body = "text,source,loss\na,web,1.5\nb,,\nc,web,nan\nd,web,1_0\ne,web,x\n"
    result = read(write(tmp_path, body), options=options)
    assert [each["source"] for each in result.documents] == ["web", None, "web", "web", "web"]
    assert [each["loss"] for each in result.documents] == [1.5, None, None, None, None]


def test_a_header_alone_has_no_documents(tmp_path, read):
    for data in ("text,id\n", "text"):
        result = read(write(tmp_path, data))
        assert (result.documents, result.faults, result.damage) == ([], [], {})


cells = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\r") | st.sampled_from('",\n'), max_size=8
)


@given(st.lists(st.tuples(cells, cells), max_size=6))
def test_any_cells_come_back(tmp_path_factory, read, rows):
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["id", "text"])
    writer.writerows(rows)
    result = read(write(tmp_path_factory.mktemp("any"), file.getvalue()))
    assert [(each["id"] or "", each["text"]) for each in result.documents] == rows
    assert not result.faults
