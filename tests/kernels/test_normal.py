"""The normal form against ``unicodedata``."""

import random
import sys
import unicodedata

import duplicates_oracle as oracle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.kernels.decode import decode
from dataaudit.kernels.normal import normal

ASSIGNED = [
    chr(point) for point in range(sys.maxunicode + 1) if unicodedata.category(chr(point)) not in ("Cn", "Cs", "Co")
]
if tuple(map(int, unicodedata.unidata_version.split("."))) > (15, 1, 0):
    ASSIGNED = [c for c in ASSIGNED if unicodedata.ucd_3_2_0.category(c) != "Cn"]
MARKS = [c for c in ASSIGNED if unicodedata.combining(c)]
JAMO = [*map(chr, range(0x1100, 0x1200)), "가", "각", "한"]
CHANGED = [c for c in ASSIGNED if unicodedata.decomposition(c)]


def normalised(texts: list[str]) -> list[str]:
    encoded = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)])
    found = normal(decode(np.frombuffer(b"".join(encoded), np.uint8), offsets))
    raw = found.codepoints.astype("<u4")
    return [raw[a:b].tobytes().decode("utf-32-le") for a, b in zip(found.offsets, found.offsets[1:], strict=False)]


def test_every_code_point_alone() -> None:
    found = normalised(ASSIGNED)
    assert [c for c, text in zip(ASSIGNED, found, strict=True) if text != oracle.normal(c)] == []


def test_marks_jamo_and_compositions_in_any_order() -> None:
    rng = random.Random(3)
    kinds = [ASSIGNED, MARKS, MARKS, JAMO, CHANGED, ["a", "A", " ", "\0", "\x85", "α", "\u0345", "\u3000", "ẞ", "ﷺ"]]
    texts = ["".join(rng.choice(rng.choice(kinds)) for _ in range(rng.randint(1, 9))) for _ in range(30_000)]
    for text, found in zip(texts, normalised(texts), strict=True):
        assert found == oracle.normal(text), text.encode("unicode_escape")


@settings(deadline=None, max_examples=300)
@given(
    st.lists(st.text(st.sampled_from("aB é́̂ ½Ⅷ　\t\x00\x1f각ᄀ\u1161\u11a8が\u3099Åﬁß_.，"), max_size=30), max_size=5)
)
def test_short_texts(texts: list[str]) -> None:
    assert normalised(texts) == [oracle.normal(text) for text in texts]


def test_a_long_run_of_marks_is_ordered_in_time() -> None:
    rng = random.Random(5)
    text = "a" + "".join(rng.choice(MARKS) for _ in range(20_000))
    assert normalised([text]) == [oracle.normal(text)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("caf\u00e9 d\u00fc", "cafe\u0301 du\u0308"),
        ("한국어", unicodedata.normalize("NFD", "한국어")),
        ("ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("  Straße\r\n\tMASSE ", "STRASSE masse"),
        ("a\x00b", "ab"),
    ],
)
def test_what_is_the_same(one: str, other: str) -> None:
    found = normalised([one, other])
    assert found[0] == found[1]


def test_what_differs_stays_different() -> None:
    assert len(set(normalised(["cat", "dog", "c a t", "cat.", "çat"]))) == 5
