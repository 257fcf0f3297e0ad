"""JSON arrays, and objects that span lines."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataaudit.corpus import ReadOptions, Tally
from dataaudit.corpus.json_scan import values


def write(folder, data, name="a.json"):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_elements_have_a_row_and_an_offset(tmp_path, read):
    data = ' [\n {"id": 1, "text": "a]}[{,"},{"text":"\\"b\\\\"} ,\n{"o":[{"x":[1,{}]}],"text":"c"}]\n '
    result = read(write(tmp_path, data))
    assert result.plan.notes[0].format == "json_array"
    assert result.texts == ["a]}[{,", '"b\\', "c"]
    assert [place[1] for place in result.places] == [0, 1, 2]
    assert [data[place[2]] for place in result.places] == ["{"] * 3
    assert not result.damage


def test_a_bad_element_costs_only_itself(tmp_path, read):
    bad = ['{"text":tru}', '{"text":"x"', "7", '"s"', "null", '{"o":[1,2}', '{"text":"a"}}', '{"text":1}']
    for element in bad:
        result = read(write(tmp_path, f'[{{"text":"a"}}, {element}, {{"text":"b"}}, {{"text":"c"}}]'))
        if element == '{"text":"x"':
            assert result.texts == ["a"], "what follows an object that is not closed belongs to it"
            assert result.damage
            continue
        assert result.texts == ["a", "b", "c"], element
        assert [(fault.record, fault.offset) for _, fault in result.faults] == [(1, 15)]
        assert result.faults[0][1].raw == element.encode()


def test_a_cut_array_keeps_its_whole_elements(tmp_path, read):
    data = '[{"text":"a"},{"text":"b"},{"text":"c"}]'
    for stop, texts in ((len(data) - 1, "abc"), (len(data) - 2, "ab"), (20, "a"), (14, "a"), (13, "a"), (12, "")):
        result = read(write(tmp_path, data[:stop]))
        assert "".join(result.texts) == texts
        assert "the JSON array is not closed" in result.damage["a.json"]
        assert not result.faults


def test_bytes_after_the_array_are_damage(tmp_path, read):
    result = read(write(tmp_path, '[{"text":"a"}] [{"text":"b"}]'))
    assert result.texts == ["a"]
    assert "bytes follow after the end of the JSON array, at byte 14" in result.damage["a.json"]


@pytest.mark.parametrize("data", ["[]", " [ ] ", "[\n]\n"])
def test_an_empty_array_has_no_documents(tmp_path, read, data):
    result = read(write(tmp_path, data))
    assert (result.documents, result.faults, result.damage) == ([], [], {})


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_pretty_printed_objects_one_after_the_other(tmp_path, read, name):
    objects = [{"text": "a\n{", "meta": {"x": [1, 2]}}, {"text": "b"}]
    result = read(write(tmp_path, "\n".join(json.dumps(each, indent=2) for each in objects), name))
    assert result.texts == ["a\n{", "b"]
    assert [place[1] for place in result.places] == [0, 1]


def test_a_pretty_printed_object_that_is_cut(tmp_path, read):
    result = read(write(tmp_path, json.dumps({"text": "a"}, indent=2) + '\n{\n "text": "b'))
    assert result.texts == ["a"]
    assert "the JSON value at byte" in result.damage["a.json"]


def test_json_lines_named_json_are_read_as_lines(tmp_path, read):
    for first in ('{"text":"a"}', "[1, 2]", '[{"text": "no"}]'):
        result = read(write(tmp_path, f'{first}\n{{"text":"b"}}\n{{"text":"c"}}\n'))
        assert result.plan.notes[0].format == "jsonl"
        assert result.texts[-2:] == ["b", "c"]


def test_invalid_utf8_costs_only_its_element(tmp_path, read):
    result = read(write(tmp_path, b'[{"text":"a"},{"text":"\xff"},{"text":"\xc3\xa9"}]'))
    assert result.texts == ["a", "é"]
    assert result.faults[0][1].kind == "unreadable"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.lists(st.tuples(st.text(max_size=12), json_values), max_size=6),
    st.sampled_from([None, 0, 3]),
    st.sampled_from([1, 2, 7, 1 << 20]),
    st.booleans(),
)
def test_any_array_comes_back(records, indent, chunk, ascii_only):
    objects = [{"text": text, "o": value} for text, value in records]
    data = json.dumps(objects, indent=indent, ensure_ascii=ascii_only).encode()
    tally = Tally()
    found = list(values((data[at : at + chunk] for at in range(0, len(data), chunk)), 0, tally))
    assert [json.loads(each.data) for each in found] == objects
    assert all(data[each.offset :].startswith(each.data) for each in found)
    assert tally.damage is None


def test_an_array_as_one_batch_a_document(tmp_path, read):
    path = write(tmp_path, json.dumps([{"text": "x" * 100}] * 5))
    assert read(path, options=ReadOptions(batch_bytes=50)).batches == [1] * 5
