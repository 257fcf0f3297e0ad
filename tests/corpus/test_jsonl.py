"""JSON lines: what is a record, what is a fault, and where it stands."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataaudit.corpus import RAW_LIMIT, ReadOptions


def write(folder, data, name="a.jsonl"):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_a_broken_line_costs_only_itself(tmp_path, read):
    path = write(tmp_path, '{"id":"a","text":"x"}\n{"id":"b","text":"cut\n{"id":"c","text":"y"}')
    result = read(path)
    assert result.texts == ["x", "y"]
    [(name, fault)] = result.faults
    assert (name, fault.kind, fault.row, fault.record, fault.offset) == ("a.jsonl", "unreadable", 1, 2, 22)
    assert fault.raw == b'{"id":"b","text":"cut'
    assert "unterminated string at column 18" in fault.reason
    assert result.places[1] == ("a.jsonl", 3, 44)
    assert [each["row"] for each in result.documents] == [0, 2]


@pytest.mark.parametrize("value", ['"text"', '["text"]', "42", "null", "true", "[[1], {}]"])
def test_json_that_is_no_object_is_unreadable(tmp_path, read, value):
    result = read(write(tmp_path, f'{{"text":"x"}}\n{value}\n{{"text":"y"}}\n'))
    assert result.texts == ["x", "y"]
    assert result.fault_places == [("a.jsonl", "unreadable", 2, 13)]
    assert "a JSON object was expected" in result.faults[0][1].reason


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{}", "there is no field 'text'"),
        ('{"text":null}', "holds null"),
        ('{"text":7}', "holds a number"),
        ('{"text":["a"]}', "holds a list"),
        ('{"text":{"a":1}}', "holds an object"),
        ('{"text":false}', "holds false"),
        ('{"text":"a","text":1}', "holds a number"),
    ],
)
def test_objects_without_text(tmp_path, read, line, reason):
    result = read(write(tmp_path, f'{{"text":"x"}}\n{line}\n'))
    assert result.texts == ["x"]
    assert result.fault_places == [("a.jsonl", "without_text", 2, 13)]
    assert reason in result.faults[0][1].reason


def test_blank_lines_are_no_records_but_count_as_lines(tmp_path, read):
    result = read(write(tmp_path, '\n{"text":"x"}\r\n \t\r\n\r\n{"text":"y"}\n\n'))
    assert result.places == [("a.jsonl", 2, 1), ("a.jsonl", 5, 21)]
    assert result.tallies[0].records == 2


def test_only_line_feeds_end_a_line(tmp_path, read):
    text = "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg\rh"
    result = read(write(tmp_path, json.dumps({"text": text}, ensure_ascii=False) + "\n" + '{"text":"a\rb"}\n'))
    assert result.texts == [text, "a\rb"]


def test_a_byte_order_mark_is_dropped(tmp_path, read):
    data = b'{"id":"r1","text":"x"}\n{"id":"r2","text":"\xef\xbb\xbfy"}\n'
    result = read(write(tmp_path, b"\xef\xbb\xbf" + data, "bom.jsonl"), write(tmp_path, data, "plain.jsonl"))
    assert [each["id"] for each in result.documents] == ["r1", "r2"] * 2
    assert result.texts == ["x", "\ufeffy"] * 2
    assert [place[2] for place in result.places] == [3, 26, 0, 23]


def test_lone_surrogates_are_replaced_and_pairs_are_not(tmp_path, read):
    result = read(
        write(tmp_path, r'{"text":"a \ud800 b"}' "\n" r'{"text":"\ud83d\ude00 \udc00\ud800"}' '\n{"text":"c"}')
    )
    assert result.texts == ["a \ufffd b", "😀 \ufffd\ufffd", "c"]
    assert [each["repaired"] for each in result.documents] == [True, True, False]


def test_a_lone_surrogate_in_a_field_that_is_not_read_changes_nothing(tmp_path, read):
    result = read(write(tmp_path, r'{"text":"a","other":"\ud800"}'))
    assert result.texts == ["a"]
    assert not result.documents[0]["repaired"]


def test_nul_control_characters_and_nan_are_let_in(tmp_path, read):
    result = read(write(tmp_path, b'{"text":"a\x00b\tc","n":NaN}\n{"text":"\\u0000","n":[Infinity,-Infinity]}\n'))
    assert result.texts == ["a\0b\tc", "\0"]


@pytest.mark.parametrize(
    "line", [b'{"text":"a\xff"}', b'{"text":"a","o":"\xff"}', b'{"text":"\xed\xa0\x80"}', b'{"\xc0":1}']
)
def test_bytes_that_are_no_utf8_make_a_record_unreadable(tmp_path, read, line):
    result = read(write(tmp_path, '{"text":"é"}\n'.encode() + line + b'\n{"text":"y"}\n'))
    assert result.texts == ["é", "y"]
    assert result.fault_places == [("a.jsonl", "unreadable", 2, 14)]
    assert "not valid UTF-8" in result.faults[0][1].reason
    assert result.faults[0][1].raw == line


def test_nesting_without_end_costs_only_its_line(tmp_path, read):
    deep = "[" * 200_000 + "]" * 200_000
    result = read(write(tmp_path, f'{{"text":"x"}}\n{{"text":"y","o":{deep}}}\n{{"text":"z"}}'))
    assert result.texts == ["x", "z"]
    assert "nested too deeply" in result.faults[0][1].reason
    assert len(result.faults[0][1].raw) == RAW_LIMIT


def test_ids_are_kept_whatever_their_type(tmp_path, read):
    values = [
        '"007"',
        "7",
        "1.0",
        "1e3",
        "-0",
        "12345678901234567890123",
        "true",
        "null",
        '""',
        "9" * 5000,
        '{"a":"b"}',
    ]
    result = read(write(tmp_path, "".join(f'{{"id":{each},"text":"x"}}\n' for each in values)))
    expected = ["007", "7", "1.0", "1e3", "0", "12345678901234567890123", "true", None, "", "9" * 5000, '{"a": "b"}']
    found = [each["id"] for each in result.documents]
    assert found[4] in ("0", "-0")
    assert found[:4] + found[5:] == expected[:4] + expected[5:]


def test_repeated_ids_are_fine(tmp_path, read):
    result = read(write(tmp_path, '{"id":"x","text":"a"}\n{"id":"x","text":"b"}\n{"text":"c"}\n'))
    assert [each["id"] for each in result.documents] == ["x", "x", None]


def test_the_last_of_two_equal_keys_wins(tmp_path, read):
    result = read(write(tmp_path, '{"text":1,"text":"a"}\n{"text":"b","text":"c"}\n{"te\\u0078t":"d"}\n'))
    assert result.texts == ["a", "c", "d"]


def test_a_nested_id_is_written_as_json_digit_for_digit(tmp_path, read):
    value = '{"a": [1, 2.50, 12345678901234567890123, "x\\"y", null, true], "é": {}}'
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "t", "id": ' + value + "}\n", encoding="utf-8")
    assert [each["id"] for each in read(path, options=ReadOptions(id_column="id")).documents] == [value]


def test_an_id_that_is_nested_too_deeply_loses_its_record_alone(tmp_path, read):
    deep = "[" * 900 + "1" + "]" * 900
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "t", "id": ' + deep + '}\n{"text": "u", "id": 1}\n', encoding="utf-8")
    result = read(path, options=ReadOptions(id_column="id"))
    assert result.texts[-1] == "u"
    assert all("nested too deeply" in fault.reason for _, fault in result.faults)


def test_nested_columns_by_dotted_name(tmp_path, read):
    lines = [
        {"doc": {"text": "a"}, "meta": {"source": "web"}},
        {"doc": {"text": "b"}, "meta": None},
        {"doc": {"text": "c"}, "meta": "none", "meta.source": "flat"},
        {"doc": "no", "meta": {}},
        {"doc": {"text": None}},
        {"doc.text": "d", "doc": {"text": "e"}},
    ]
    options = ReadOptions(text_column="doc.text", source_column="meta.source")
    result = read(write(tmp_path, "".join(json.dumps(each) + "\n" for each in lines)), options=options)
    assert [(each["text"], each["source"]) for each in result.documents] == [
        ("a", "web"),
        ("b", None),
        ("c", "flat"),
        ("d", None),
    ]
    assert [place[2] for place in result.fault_places] == [4, 5]


def test_number_columns_are_finite_numbers_or_null(tmp_path, read):
    values = ["1", "2.5", "1e400", "NaN", "-Infinity", '"3"', "true", "null", "[1]", "1" * 400]
    lines = [f'{{"text":"x","loss":{each},"q":{{"p":{each}}}}}' for each in values] + ['{"text":"x"}']
    options = ReadOptions(number_columns=("loss", "q.p"))
    result = read(write(tmp_path, "\n".join(lines)), options=options)
    expected = [1.0, 2.5] + [None] * 9
    assert [each["loss"] for each in result.documents] == expected
    assert [each["q.p"] for each in result.documents] == expected


def test_token_ids(tmp_path, read):
    lines = ["[1,2]", "[]", "[1,2.0]", "[1,null]", "[9223372036854775808]", "[true]", '"1"', "[-1,9223372036854775807]"]
    result = read(write(tmp_path, "".join(f'{{"id":{n},"input_ids":{each}}}\n' for n, each in enumerate(lines))))
    assert result.plan.notes[0].kind == "ids"
    assert [each["input_ids"] for each in result.documents] == [[1, 2], [], [-1, 2**63 - 1]]
    assert [place[1:3] for place in result.fault_places] == [("without_text", n) for n in (3, 4, 5, 6, 7)]


def test_token_ids_survive_the_slow_way(tmp_path, read):
    result = read(write(tmp_path, '{"input_ids":[1,-2],"x":NaN}\n{"input_ids":[1,2.5],"x":NaN}\n{"input_ids":[3]}'))
    assert [each["input_ids"] for each in result.documents] == [[1, -2], [3]]


def test_drifting_types_never_stop_the_audit(tmp_path, read):
    write(tmp_path, '{"text":"a","lang":null,"score":1}\n{"text":"b","lang":null,"score":2}\n', "00.jsonl")
    write(tmp_path, '{"text":"c","lang":"fo","score":0.5,"licence":"cc0"}\n', "01.jsonl")
    assert read(tmp_path).texts == ["a", "b", "c"]


def test_utf16_is_decoded_and_has_no_offsets(tmp_path, read):
    path = write(tmp_path, '{"text":"é"}\r\n{"text":"😀"}\r\n'.encode("utf-16"))
    result = read(path)
    assert result.plan.notes[0].encoding == "utf-16"
    assert result.places == [("a.jsonl", 1, None), ("a.jsonl", 2, None)]
    assert result.texts == ["é", "😀"]


def test_batches_hold_about_batch_bytes_and_at_most_batch_rows(tmp_path, read):
    path = write(tmp_path, "".join(f'{{"text":"{"x" * size}"}}\n' for size in (10, 10, 10, 500, 10, 10)))
    assert read(path, options=ReadOptions(batch_bytes=60)).batches == [2, 1, 1, 2]
    assert read(path, options=ReadOptions(batch_rows=4)).batches == [4, 2]


def test_many_faults_do_not_pile_up(tmp_path, read):
    result = read(write(tmp_path, '{"text":"a"}\n' + "{}\n" * 100), options=ReadOptions(batch_rows=8))
    assert len(result.batches) > 10
    assert len(result.faults) == 100


@given(texts=st.lists(st.text(), max_size=8), escaped=st.booleans(), final_newline=st.booleans())
def test_any_text_comes_back(tmp_path_factory, read, texts, escaped, final_newline):
    body = "\n".join(json.dumps({"text": each, "id": each}, ensure_ascii=escaped) for each in texts)
    path = write(tmp_path_factory.mktemp("any"), body + "\n" * (final_newline and bool(texts)))
    result = read(path)
    assert result.texts == texts
    assert [each["id"] for each in result.documents] == texts
