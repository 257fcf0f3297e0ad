import re

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dataaudit.kernels.patterns import LINE_FEED, count_distinct, count_matches, trie

PATTERN = st.text(st.sampled_from("<|>ab你\n"), min_size=1, max_size=4)
PATTERNS = st.lists(PATTERN, max_size=6, unique=True).map(tuple)
TEXTS = st.lists(st.text(st.sampled_from("<|>aAb你好\n"), max_size=40), max_size=3)


def buffers(texts):
    parts = [text.encode() for text in texts]
    return np.frombuffer(b"".join(parts), np.uint8), np.cumsum([0, *map(len, parts)])


def longest_first(patterns):
    return re.compile("|".join(re.escape(p) for p in sorted(patterns, key=len, reverse=True)) or r"(?!)")


def group(patterns):
    return np.zeros(len(patterns), np.int64)


@settings(deadline=None)
@given(PATTERNS, TEXTS)
@example(("a", "aab", "aabab"), ["aabaab", "", "a"])
@example(("a", "abc", "<\0"), ["abd abc a", "<", "\0<\0"])
def test_occurrences_agree_with_a_regular_expression(patterns, texts):
    found = count_matches(*buffers(texts), trie(patterns), group(patterns)).occurrences
    assert found.tolist() == [[len(longest_first(patterns).findall(text)) for text in texts]]


@settings(deadline=None)
@given(TEXTS)
def test_lines_that_hold_a_pattern(texts):
    patterns = ("\n", "A|", "aa", "你")
    found = count_matches(*buffers(texts), trie(patterns, ignore_case=True), np.array([LINE_FEED, 0, 0, 1]))
    lines = [[line.lower() for line in text.split("\n")] for text in texts]
    assert found.lines[0].tolist() == [sum("a|" in line or "aa" in line for line in text) for text in lines]
    assert found.lines[1].tolist() == [sum("你" in line for line in text) for text in lines]


@settings(deadline=None)
@given(PATTERNS, TEXTS)
def test_distinct_strings_agree_with_in(patterns, texts):
    groups = [[k for k in range(len(patterns)) if k % 2 == odd] for odd in range(2)]
    found = count_distinct(*buffers(texts), patterns, groups)
    assert found.tolist() == [[sum(patterns[k] in text for k in each) for each in groups] for text in texts]


def test_a_match_does_not_cross_documents():
    assert count_matches(*buffers(["<", "|a"]), trie(("<|", "<|a")), group("ab")).occurrences.tolist() == [[0, 0]]


def test_no_patterns_and_empty_patterns_match_nothing():
    assert count_matches(*buffers(["abc"]), trie(()), group(())).occurrences.tolist() == [[0]]
    assert count_matches(*buffers(["abc"]), trie(("",)), group("a")).occurrences.tolist() == [[0]]
    assert count_matches(*buffers(["abc"]), trie(("\ud800",)), group("a")).occurrences.tolist() == [[0]]


def test_many_patterns_that_begin_alike():
    patterns = tuple(f"<|reserved_{k}|>" for k in range(800))
    text = "<" * 100_000 + "<|reserved_7|><|reserved_77|><|reserved_7777|>"
    assert count_matches(*buffers([text]), trie(patterns), group(patterns)).occurrences.tolist() == [[2]]
