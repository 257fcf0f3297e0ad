"""Strict YAML: what each text means, and that every fault is told with its place."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dataaudit.config.document import MAX_DEPTH, parse_document, plain, read_document
from dataaudit.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("no", "no"),
        ("YES", "YES"),
        ("on", "on"),
        ("off", "off"),
        ("0", 0),
        ("-12", -12),
        ("1e-3", 0.001),
        ("1.5E+2", 150.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("010", "010"),
        ("0x10", "0x10"),
        ("0o17", "0o17"),
        ("1_000", "1_000"),
        ("12:30:00", "12:30:00"),
        ("2020-01-01", "2020-01-01"),
        ("<<", "<<"),
        ("=", "="),
        ("'1e-3'", "1e-3"),
        ('"true"', "true"),
        ("中文", "中文"),
    ],
)
def test_plain_scalars_are_those_of_yaml_1_2(text, value):
    found = parse_document(f"key: {text}", "c.yaml")["key"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ("a: 1\nb: 2\na: 3", "3:1", "'a' stands here again (first in line 1)"),
        ("a: {b: 1, b: 2}", "1:11", "'b' stands here again"),
        ("a: &x 1\nb: *x", "1:4", "anchors and aliases"),
        ("a: *x", "1:4", "anchors and aliases"),
        ("a: !!python/object:os.system x", "1:4", "tags"),
        ("a: !!str 5", "1:4", "tags"),
        ("a: .inf", "1:4", "finite number"),
        ("a: -.Inf", "1:4", "finite number"),
        ("a: .nan", "1:4", "finite number"),
        ("a: 1e999", "1:4", "too large"),
        ("a: " + "9" * 5000, "1:4", "too large"),
        ("1: a", "1:1", "the key is 1"),
        ("true: a", "1:1", "the key is true"),
        ("? [a, b]\n: c", "1:3", "the key is a list"),
        ("a: 1\n---\nb: 2", "2:1", "second document"),
        ("- a", "1:1", "the config is a list"),
        ("just text", "1:1", "the config is 'just text'"),
        ("a: [1, 2", "1:9", "not valid YAML"),
        ("a: 'open", "1:9", "not valid YAML"),
        ("a: b: c", "1:5", "not valid YAML"),
        ("\ta: 1", "1:1", "not valid YAML"),
        ("a: " + "[" * (MAX_DEPTH + 9), f"1:{4 + MAX_DEPTH}", "levels deep"),
    ],
)
def test_a_fault_is_told_with_line_and_column(text, place, what):
    with pytest.raises(ConfigError) as caught:
        parse_document(text, "c.yaml")
    assert str(caught.value).startswith(f"c.yaml:{place}: ")
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "empty"),
        (b"# only a comment\n", "empty"),
        (b"---\n...\n", "empty"),
        (b"a: 1\n\xff\xfe", "c.yaml:2: not UTF-8 text"),
        (b"a: 1\nb: \x00", "c.yaml:2: not a text file, since it holds the character U+0000"),
        (b"a: " + b"x" * (1 << 20), "larger than 1 MiB"),
    ],
)
def test_a_file_that_is_no_config_is_refused(tmp_path, content, what):
    path = tmp_path / "c.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"Expected|not a text file") as caught:
        read_document(path, "c.yaml")
    assert what in str(caught.value)


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_bytes(b"\xef\xbb\xbfversion: 1\r\nextends: default\r\n")
    assert read_document(path, "c.yaml") == {"version": 1, "extends": "default"}


def test_every_key_and_value_has_its_place():
    data = parse_document("a:\n  b: [x, {c: 1}]\n", "c.yaml")
    assert str(data.key_places["a"]) == "c.yaml:1:1"
    inner = data["a"]
    assert str(inner.key_places["b"]) == "c.yaml:2:3"
    assert [str(place) for place in inner["b"].places] == ["c.yaml:2:7", "c.yaml:2:10"]
    assert str(inner["b"][1].value_places["c"]) == "c.yaml:2:14"


NESTED = st.recursive(
    st.text(), lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12
)


@given(st.dictionaries(st.text(), NESTED, min_size=1, max_size=4))
def test_quoted_texts_come_back_as_they_were_written(data):
    text = yaml.safe_dump(data, default_style='"', allow_unicode=True)
    assert plain(parse_document(text, "c.yaml")) == data


@given(st.integers(-(2**62), 2**62) | st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_come_back_as_json_writes_them(number):
    found = parse_document(f"a: {json.dumps(number)}", "c.yaml")["a"]
    assert found == number
    assert type(found) is type(number)


@given(st.text(max_size=60))
def test_no_text_leads_to_any_other_error(text):
    try:
        data = parse_document(text, "c.yaml")
    except ConfigError as error:
        assert str(error).startswith("c.yaml")
    else:
        assert all(isinstance(key, str) for key in data)
