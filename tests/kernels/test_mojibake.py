import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.kernels.decode import decode
from dataaudit.kernels.mojibake import count_mojibake

HIGH = bytes(range(0x80, 0xC0))
TRAIL = "".join({bytes([b]).decode("cp1252", "replace") for b in HIGH} - {"\ufffd"}) + HIGH.decode("latin-1")
PATTERN = re.compile(
    f"[\u00c2-\u00df][{re.escape(TRAIL)}]|[\u00e0-\u00ef][{re.escape(TRAIL)}]{{2}}|[\u00f0-\u00f4][{re.escape(TRAIL)}]{{3}}"
    "|锟斤拷|烫{3,}|屯{3,}"
)


def count(texts):
    parts = [text.encode() for text in texts]
    return count_mojibake(decode(np.frombuffer(b"".join(parts), np.uint8), np.cumsum([0, *map(len, parts)]))).tolist()


def expected(text):
    return sum(len(match) for match in PATTERN.findall(text))


@settings(deadline=None)
@given(st.lists(st.text(st.sampled_from("ÂÃâäðôõÁ€™œ\x80\x9d©»¿À锟斤拷烫屯a 😀"), max_size=30), max_size=3))
def test_counts_agree_with_a_regular_expression(texts):
    assert count(texts) == [expected(text) for text in texts]


@settings(deadline=None)
@given(st.text(st.characters(min_codepoint=0xA0, exclude_categories=["Cs"]), max_size=20))
def test_all_of_a_text_read_as_latin_1_is_found(text):
    wrong = text.encode().decode("latin-1")
    assert count([wrong]) == [len(wrong)]


@pytest.mark.parametrize(
    ("text", "characters"),
    [
        ("cafÃ© isnâ€™t", 2 + 3),
        ("ä½\xa0å¥½", 6),
        ("ðŸ˜€", 4),
        ("café, naïve, Zürich, São Paulo", 0),
        ("a锟斤拷锟斤拷锟", 6),
        ("烫烫", 0),
        ("烫烫烫烫b屯屯屯", 7),
        ("Ã", 0),
        ("â€", 0),
        ("", 0),
    ],
)
def test_by_hand(text, characters):
    assert count([text]) == [characters]
