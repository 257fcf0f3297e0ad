import math
import unicodedata
from collections import Counter
from itertools import groupby

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dataaudit.kernels.characters import count_classes, variety
from dataaudit.kernels.decode import decode
from dataaudit.kernels.unicode import CLASSES, categories

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.text(st.sampled_from("ab 你😀\n"))
LONG = st.builds(lambda text, times: text * times, st.text(max_size=20), st.integers(0, 200))


def decoded(texts):
    parts = [text.encode() for text in texts]
    return decode(np.frombuffer(b"".join(parts), np.uint8), np.cumsum([0, *map(len, parts)]))


def entropy(text):
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())


def windows(text):
    return [text[i : i + 500] for i in range(0, len(text) - 499, 500)] or ([text] if text else [])


@settings(deadline=None)
@given(st.lists(TEXT | LONG, max_size=4))
@example(["a" * 499, "a" * 500, "ab" * 250 + "c", "ab" * 500, ""])
def test_variety_agrees_with_a_counter(texts):
    found = variety(decoded(texts))
    assert found.distinct.tolist() == [len(set(text)) for text in texts]
    assert found.entropy_bits.tolist() == pytest.approx([entropy(text) for text in texts], abs=1e-9)
    assert found.longest_run.tolist() == [max((len(list(g)) for _, g in groupby(text)), default=0) for text in texts]
    assert found.windows.tolist() == [len(windows(text)) for text in texts]
    assert found.window_characters.tolist() == [sum(map(len, windows(text))) for text in texts]
    assert found.window_distinct.tolist() == [sum(len(set(w)) for w in windows(text)) for text in texts]


@settings(deadline=None)
@given(st.lists(TEXT, max_size=20))
def test_class_counts_agree_with_unicodedata(texts):
    counts = count_classes(decoded(texts))
    assert counts.shape == (CLASSES, len(texts))
    assert counts.sum(axis=0).tolist() == [len(text) for text in texts]
    for prefix in ("L", "M", "Nd", "P", "S", "Cf", "Co", "Zs"):
        expected = [sum(unicodedata.category(c).startswith(prefix) for c in text) for text in texts]
        unknown = [sum(unicodedata.category(c) == "Cn" for c in text) for text in texts]
        difference = counts[categories(prefix)].sum(axis=0) - expected
        assert all(0 <= more <= new for more, new in zip(difference.tolist(), unknown, strict=True)), prefix


def test_entropy_of_one_character_is_zero_not_minus_zero():
    assert np.signbit(variety(decoded(["aaaaaaa", "b"])).entropy_bits).tolist() == [False, False]
