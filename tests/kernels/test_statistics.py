import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dataaudit.kernels.decode import decode
from dataaudit.kernels.hashing import hash_text
from dataaudit.kernels.line_statistics import line_statistics
from dataaudit.kernels.lines import lines_and_paragraphs
from dataaudit.kernels.word_statistics import word_shapes, word_variety
from dataaudit.kernels.words import words

TEXTS = st.lists(st.text(st.sampled_from("aAßⅣ1 the.…•-\n\r\u3000你。！”」İǅᾈ٣"), max_size=60), max_size=4)
LISTED = ("the", "a", "A")


def decoded(texts):
    parts = [text.encode() for text in texts]
    return decode(np.frombuffer(b"".join(parts), np.uint8), np.cumsum([0, *map(len, parts)]))


def entropy(items):
    return -sum(n / len(items) * math.log2(n / len(items)) for n in Counter(items).values())


@settings(deadline=None)
@given(TEXTS)
@example(["the THE A1 a-B", "", "1 . .", "Ⅳ ǅ"])
def test_word_statistics_agree_with_python(texts):
    every = words(decoded(texts))
    joined = "".join(texts)
    spelled = [joined[a:b] for a, b in zip(every.starts.tolist(), every.stops.tolist(), strict=True)]
    documents = [spelled[a:b] for a, b in zip(every.offsets[:-1], every.offsets[1:], strict=True)]
    shapes = word_shapes(every)
    found = word_variety(every, np.array([hash_text(word) for word in LISTED], np.uint64))
    assert shapes.characters.tolist() == [sum(map(len, each)) for each in documents]
    assert shapes.longest.tolist() == [max(map(len, each), default=0) for each in documents]
    assert found.compared.tolist() == [len(each) for each in documents]
    assert found.distinct.tolist() == [len(set(each)) for each in documents]
    assert found.entropy_bits.tolist() == pytest.approx([entropy(each) for each in documents], abs=1e-9)
    assert shapes.with_letter.tolist() == [sum(any(map(str.isalpha, word)) for word in each) for each in documents]
    assert shapes.uppercase.tolist() == [sum(map(str.isupper, each)) for each in documents]
    assert found.listed.tolist() == [len(set(each) & set(LISTED)) for each in documents]


@settings(deadline=None)
@given(TEXTS)
@example(["- a...\n" + "x" * 30 + "\n" + "y" * 31 + "\n• ..", "..", ""])
def test_line_statistics_agree_with_python(texts):
    characters = decoded(texts)
    found = line_statistics(characters, lines_and_paragraphs(characters).lines)
    documents = [[line.strip() for line in text.split("\n") if line.strip()] for text in texts]
    assert found.characters.tolist() == [sum(map(len, each)) for each in documents]
    assert found.longest.tolist() == [max(map(len, each), default=0) for each in documents]
    assert found.short.tolist() == [sum(len(line) <= 30 for line in each) for each in documents]
    assert found.bullet.tolist() == [sum(line.startswith(("•", "-")) for line in each) for each in documents]
    assert found.ellipsis.tolist() == [sum(line.endswith(("...", "…")) for line in each) for each in documents]
    assert found.end_mark.tolist() == [sum(line[-1] in ".…。！”」" for line in each) for each in documents]


def test_many_words_in_one_document():
    text = " ".join(f"w{k % 5000}" for k in range(100_000))
    found = word_variety(words(decoded([text, "a a"])), np.zeros(0, np.uint64))
    assert found.distinct.tolist() == [5000, 1]
    assert found.entropy_bits.tolist() == pytest.approx([math.log2(5000), 0])


def test_only_the_first_words_of_a_very_long_document_are_compared():
    found = word_variety(words(decoded(["a b a c d", "e"])), np.zeros(0, np.uint64), limit=3)
    assert found.compared.tolist() == [3, 1]
    assert found.distinct.tolist() == [2, 1]
    assert found.entropy_bits.tolist() == pytest.approx([math.log2(3) - 2 / 3, 0])
