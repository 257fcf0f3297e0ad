"""The signals of published rule sets, C4, RedPajama-V2 and FineWeb, against the same in plain Python and by hand."""

import re

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.signals import DocumentBatch, all_signals

CITATION = re.compile(r"\[[0-9]*\]|\[edit\]|\[citation needed\]")
POLICY = "terms of use|privacy policy|cookie policy|uses cookies|use of cookies|use cookies".split("|")
ENDS, QUOTES, CLOSERS = ".!?。！？", '"”」』', ")]}»’"


def measure(name, text):
    return all_signals()[name].measure(DocumentBatch(text=pa.array([text], pa.large_string()))).to_pylist()[0]


def lines_of(text):
    return [line.strip() for line in text.split("\n") if line.strip()]


def sentences_of(line):
    """C4's sentences of one line."""
    count = start = 0
    for end in re.finditer(f"[{ENDS}][{re.escape(ENDS + QUOTES + CLOSERS)}]*", line):
        if any(character.isalnum() for character in line[start : end.start()]):
            wide = line[end.start()] > "\u2e80"
            if wide or end.end() == len(line) or line[end.end()].isspace():
                count, start = count + 1, end.end()
    return max(count + any(character.isalnum() for character in line[start:]), 1)


def c4(text):
    """C4's page walk: sentences, kept lines, lines with a brace, lines with lorem ipsum."""
    sentences = kept = braces = lorem = 0
    for line in lines_of(text):
        words = line.split()
        line = CITATION.sub("", line)
        low = line.lower()
        if any(len(word) > 1000 for word in words) or len(words) < 3:
            continue
        if not line.endswith((*ENDS, *QUOTES)) or line.endswith("..."):
            continue
        if "lorem ipsum" in low:
            lorem += 1
        elif "javascript" in low:
            continue
        elif "{" in line:
            braces += 1
        elif not any(phrase in low for phrase in POLICY):
            kept += 1
            sentences += sentences_of(line)
    return sentences, kept, braces, lorem


pieces = st.sampled_from(
    [
        *("One", "two", "three", "Mr.", "4.5", "é", "I", "javascript", "JavaScript", "{", "}", "lorem ipsum", "Lorem"),
        *(
            "ipsum",
            "privacy policy",
            "Use Cookies",
            "terms",
            "of use",
            "[1]",
            "[]",
            "[12",
            "[edit]",
            "[citation needed]",
        ),
        *(
            "[edit",
            ".",
            "...",
            "…",
            "!",
            "?",
            "。",
            "！",
            '"',
            "”",
            "」",
            ")",
            "]",
            "»",
            " ",
            "  ",
            "\n",
            "\n\n",
            "\r\n",
        ),
        *("x" * 1001, "\u3000", "\t", "-", "--", "#", "_"),
    ]
)
texts = (
    st.lists(pieces, max_size=40).map("".join)
    | st.lists(pieces, max_size=40).map(" ".join)
    | st.text("ab .!?\n{}[]1#…_•–é", max_size=60)
)


@settings(deadline=None, max_examples=400)
@given(texts)
def test_c4_is_the_same_in_plain_python(text):
    sentences, kept, braces, lorem = c4(text)
    assert measure("sentence_count_c4", text) == sentences
    assert measure("curly_bracket_line_count_c4", text) == braces
    assert measure("lorem_ipsum_line_count_c4", text) == lorem
    lines = lines_of(text)
    assert measure("kept_line_ratio_c4", text) == (kept / len(lines) if lines else None)


def stripped(text):
    """The words without ASCII punctuation, those left empty taken out."""
    without = text.translate({ord(mark): None for mark in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"})
    return without.lower().split()


@settings(deadline=None, max_examples=300)
@given(texts)
def test_redpajamas_are_the_same_in_plain_python(text):
    words = stripped(text)
    assert measure("word_count_rpv2", text) == len(words)
    mean = measure("mean_word_char_count_rpv2", text)
    assert mean == (sum(map(len, words)) / len(words) if words else None)
    raw = re.findall(r"\w+|[^\w\s]+", text)
    symbols = text.count("#") + text.count("...") + text.count("…")
    assert measure("symbol_word_ratio_rpv2", text) == (min(symbols / len(raw), 1.0) if raw else None)
    lines = lines_of(text)
    bullets = sum(line.startswith(tuple("•‣▶◀◦■□▪▫–")) for line in lines)
    assert measure("bullet_line_ratio_rpv2", text) == (bullets / len(lines) if lines else None)


@settings(deadline=None, max_examples=300)
@given(texts)
def test_finewebs_are_the_same_in_plain_python(text):
    lines = [line for line in text.split("\n") if line.strip()]
    ends = sum(line.endswith(tuple(ENDS)) for line in lines)
    short = sum(len(line) <= 30 for line in lines)
    assert measure("terminal_punct_line_ratio_fineweb", text) == (ends / len(lines) if lines else None)
    assert measure("short_line_ratio_fineweb", text) == (short / len(lines) if lines else None)


@given(st.lists(texts, max_size=5))
@settings(deadline=None, max_examples=60)
def test_a_batch_is_measured_as_one_by_one(several):
    batch = DocumentBatch(text=pa.array(several, pa.large_string()))
    for family in ("c4", "rpv2", "fineweb"):
        for each in all_signals().values():
            if each.family == family:
                assert each.measure(batch).to_pylist() == [measure(each.name, text) for text in several], each.name


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        # Only the first line ends with a mark and has three words.
        ("sentence_count_c4", "The door was open. Nobody came.\nContact us\nGo on.\nAnd then...", 2),
        # The mark counts behind [3]; a space before it stays, and then it does not.
        ("sentence_count_c4", "It rained all day.[3]", 1),
        ("sentence_count_c4", "It rained all day. [3]", 0),
        # NLTK and spaCy know "Mr."; this does not.
        ("sentence_count_c4", "We asked Mr. Speaker to wait.", 2),
        # One end, however many marks, and none without a word between.
        ("sentence_count_c4", 'He said "no!!!" and left. . . .', 2),
        ("sentence_count_c4", "Version 4.5 was out at 3.15 yesterday!", 1),
        # Chinese marks need no space.
        ("sentence_count_c4", "他来了。她走了！为什么？", 3),
        (
            "kept_line_ratio_c4",
            "One two three.\nMenu\nWe use cookies on this page.\nEnable JavaScript to go on.",
            1 / 4,
        ),
        # The brace of a line that another rule removes does not drop the page.
        ("curly_bracket_line_count_c4", "function f() {\nThe braces { and } are used here.\nRun javascript { now.", 1),
        ("lorem_ipsum_line_count_c4", "Lorem ipsum\nHere stands LOREM IPSUM again.", 1),
        ("word_count_rpv2", "Don't -- well-known ... #1", 3),
        ("mean_word_char_count_rpv2", "Don't -- well-known ... #1", (4 + 9 + 1) / 3),
        # don / ' / t / # / 1 / ... / done / . are 8 pieces; # and ... are symbols.
        ("symbol_word_ratio_rpv2", "don't #1 ... done.", 2 / 8),
        ("bullet_line_ratio_rpv2", "• one\n- two\n  – three\nfour", 2 / 4),
        # The line feed is no part of a line, the space before it is.
        ("terminal_punct_line_ratio_fineweb", "One.\nTwo. \nThree!\r\nFour”", 1 / 4),
        ("short_line_ratio_fineweb", "x" * 30 + "\n" + "x" * 30 + " \n" + "x" * 31, 1 / 3),
    ],
)
def test_by_hand(name, text, expected):
    assert measure(name, text) == expected
