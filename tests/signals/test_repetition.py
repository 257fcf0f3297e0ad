"""Repetition signals on texts: values worked out by hand, hostile texts, batch against one by one."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.kernels.hashtable import PREFIX_LIMIT
from dataaudit.signals import DocumentBatch, all_signals

SIGNALS = [each for each in all_signals().values() if each.family == "repetition"]
LINE_SIGNALS = ["dup_line_ratio", "dup_line_char_ratio", "dup_line_char_ratio_fineweb"]
NGRAM_SIGNALS = [each.name for each in SIGNALS if "gram" in each.name and not each.name.startswith("char")]


def measure(texts):
    batch = DocumentBatch(text=pa.array(texts, pa.large_string()))
    return {each.name: each.measure(batch).to_pylist() for each in SIGNALS}


def value(name, text):
    return measure([text])[name][0]


GATE = "open the gate\nopen the gate\nclose the barn\nopen the gate"
LAMP = "the lamp is out the lamp is out"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        # Extra copies count, the first does not (datatrove); dclm counts all copies: 3/4 and 39/53.
        ("dup_line_ratio", GATE, 2 / 4),
        ("dup_line_char_ratio", GATE, 2 * 13 / 56),
        ("dup_line_char_ratio_fineweb", GATE, 2 * 13 / 53),
        ("dup_line_ratio", "a\r\na\n\n \na", 2 / 3),
        ("dup_line_char_ratio", "一二\n一二\nx", 2 / 7),
        ("dup_line_ratio", "a\nA\na b", 0.0),
        # Without the white space at the ends of lines; datatrove compares "  go" as it stands, so finds no copy here.
        ("dup_line_ratio", "go\n  go\n\tgo ", 2 / 3),
        ("dup_line_char_ratio", "go\n  go\n\tgo ", 4 / 12),
        ("dup_line_char_ratio_fineweb", "go\n  go\n\tgo ", 4 / 10),
        ("dup_paragraph_ratio", "one two\n\nthree\n\n\none two", 1 / 3),
        ("dup_paragraph_char_ratio", "one two\n\nthree\n\n\none two", 7 / 24),
        ("dup_paragraph_ratio", "one two\none two", 0.0),
        # Words only: 3+4 characters twice, of 24. datatrove counts spaces too: 8*2/31.
        ("top_2gram_char_ratio", LAMP, 2 * 7 / 24),
        ("top_3gram_char_ratio", LAMP, 2 * 9 / 24),
        ("top_4gram_char_ratio", LAMP, 2 * 12 / 24),
        # No n-gram twice gives 0; datatrove counts an n-gram that occurs once: "aa bb" of "aa bb cc" is 5/8.
        ("top_2gram_char_ratio", "aa bb cc", 0.0),
        # First seen on ties: "x y" before "eeee ffff"; dclm takes the longest: 2*8/26.
        ("top_2gram_char_ratio", "x y eeee ffff q x y eeee w eeee ffff", 2 * 2 / 26),
        # Case and punctuation do not matter, and words that are only punctuation are left out.
        ("top_2gram_char_ratio", "The lamp! -- the: (lamp)", 2 * 7 / 14),
        # Overlapping occurrences are cut to 1; RedPajama-V2 gives 3*2/4.
        ("top_2gram_char_ratio", "a a a a", 1.0),
        # Both copies are covered, the words between them are not; datatrove leaves out the first copy: 5/13.
        ("dup_5gram_char_ratio", "a b c d e xxx a b c d e", 10 / 13),
        ("dup_6gram_char_ratio", "a b c d e xxx a b c d e", 0.0),
        # Overlapping copies are covered once; dolma adds them up.
        ("dup_5gram_char_ratio", "a b c d e f x a b c d e f", 12 / 13),
        ("dup_10gram_char_ratio", "one " * 12, 1.0),
        ("dup_10gram_char_ratio", "one " * 10, 0.0),
        # Occurrences of 2-grams that occur twice or more, over all: 6 of 7.
        ("word_2gram_rep_ratio", LAMP, 6 / 7),
        ("word_10gram_rep_ratio", "one " * 12, 1.0),
        ("word_10gram_rep_ratio", "few words", 0.0),
        # 20 10-grams of which 10 are distinct; the top floor(sqrt(10)) = 3 occur twice each.
        ("char_10gram_rep_ratio", "0123456789" * 2 + "012345678", 6 / 20),
        ("char_10gram_rep_ratio", "a" * 200_000, 1.0),
        ("char_10gram_rep_ratio", "short", 0.0),
        # Han characters are words of their own.
        ("top_2gram_char_ratio", "好的，好的。", 1.0),
    ],
)
def test_golden(name, text, expected):
    assert value(name, text) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("text", ["seven small boats crossed a cold grey bay before noon", "lighthouse"])
def test_a_text_that_repeats_nothing_has_0_everywhere(text):
    assert all(values == [0.0] for values in measure([text]).values())


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\t\r\n \u3000"])
def test_blank_texts_are_undefined(text):
    values = measure([text])
    assert values.pop("char_10gram_rep_ratio") == ([None] if text == "" else [0.0])
    assert all(value == [None] for value in values.values())


def test_punctuation_has_lines_but_no_words():
    values = measure(["?!\n?!"])
    assert [values[name] for name in LINE_SIGNALS] == [[1 / 2], [2 / 5], [2 / 4]]
    assert all(values[name] == [None] for name in NGRAM_SIGNALS)


hostile = st.lists(
    st.sampled_from(
        ["a", "b c", "\n", "\n\n", " ", "\r\n", "的", "ก็", "e\u0301", "\U0001f469\u200d\U0001f4bb", "\0", "!", "A."]
    ),
    max_size=50,
).map("".join) | st.text(max_size=80)


@settings(deadline=None)
@given(st.lists(hostile, max_size=6))
def test_values_are_null_or_from_0_to_1_and_a_batch_equals_one_by_one(texts):
    together = measure(texts)
    for row, text in enumerate(texts):
        alone = measure([text])
        for name, values in together.items():
            assert alone[name][0] == values[row], name
            assert values[row] is None or 0 <= values[row] <= 1, name


def test_of_a_document_of_millions_of_lines_a_prefix_is_measured():
    """Otherwise the many lines after it would make the share of copies small."""
    values = measure(["a\n" * (2 * PREFIX_LIMIT), "a\na"])
    copies = PREFIX_LIMIT - 1
    assert values["dup_line_ratio"] == [copies / PREFIX_LIMIT, 1 / 2]
    assert values["dup_line_char_ratio"] == [copies / (2 * PREFIX_LIMIT - 1), 1 / 3]
    assert values["dup_line_char_ratio_fineweb"] == [copies / PREFIX_LIMIT, 1 / 2]
    assert values["dup_10gram_char_ratio"] == [1.0, 0.0]
