import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.kernels import unicode
from dataaudit.kernels.decode import decode

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=6)


def decoded(texts):
    parts = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, parts)])
    return decode(np.frombuffer(b"".join(parts), np.uint8), offsets)


@settings(deadline=None)
@given(TEXTS)
def test_code_points_are_those_of_the_texts(texts):
    found = decoded(texts)
    assert found.codepoints.tolist() == [ord(c) for text in texts for c in text]
    assert found.offsets.tolist() == [0, *np.cumsum([len(text) for text in texts], dtype=int).tolist()]
    assert len(found.classes) == len(found.codepoints)


def test_facts_agree_with_unicodedata_where_both_know_the_character():
    points = [c for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
    classes = decoded(["".join(map(chr, points))]).classes
    known = ~unicode.categories("Cn")[classes]
    letters, symbols, spaces = (unicode.categories("L"), unicode.categories("S"), unicode.having("is_space"))
    flags = unicode.FLAGS[classes]
    seen = 0
    for point, one_class, flag, pinned in zip(points, classes.tolist(), flags.tolist(), known.tolist(), strict=True):
        character = chr(point)
        category = unicodedata.category(character)
        if category == "Cn" or not pinned:
            continue
        seen += 1
        assert letters[one_class] == category.startswith("L") == bool(flag & unicode.LETTER), hex(point)
        assert symbols[one_class] == category.startswith("S"), hex(point)
        assert spaces[one_class] == character.isspace() == bool(flag & unicode.SPACE), hex(point)
        assert bool(flag & unicode.MARK) == category.startswith("M"), hex(point)
        assert bool(flag & unicode.UPPER) == character.isupper(), hex(point)
        assert bool(flag & unicode.LOWERED) == (character.lower() != character), hex(point)
        low = unicode.LOWER_CELLS[int(unicode.LOWER_PAGES[point >> 8]) * 256 + (point & 255)]
        assert chr(point + low) == character.lower()[0], hex(point)
    assert seen > 140_000


def test_scripts_of_known_characters():
    cases = {"漢々〇〆": "Han", "のゝ": "Hiragana", "カーｶｰ": "Katakana", "한ㄱ": "Hangul", "ไ๕": "Thai", "ລ": "Lao"}
    cases |= {"កំ": "Khmer", "မ": "Myanmar", "ㄅ": "Bopomofo"}
    for text, script in cases.items():
        assert all(unicode.scripts(script)[decoded([text]).classes]), text
    every = unicode.scripts("Han Hiragana Katakana Hangul Thai Lao Khmer Myanmar Bopomofo")
    assert not any(every[decoded(["aй，・😀"]).classes])


def test_an_empty_batch_and_empty_documents():
    assert decoded([]).offsets.tolist() == [0]
    assert decoded(["", ""]).offsets.tolist() == [0, 0, 0]


@pytest.mark.parametrize("broken", [b"\xe4\xbd", b"\xe4AB", b"\xf7\xbf\xbf\xbf", b"A\x80", b"\xff" * 5, b"\xc3" * 3])
def test_bytes_that_are_not_utf8_are_refused(broken):
    with pytest.raises(ValueError, match="not valid UTF-8"):
        decode(np.frombuffer(broken, np.uint8), np.array([0, len(broken)]))


def test_a_character_without_a_class_of_its_own_cannot_be_counted_alone():
    with pytest.raises(ValueError, match="make_unicode_tables"):
        unicode.characters("#z")
