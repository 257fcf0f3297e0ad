import string
import unicodedata

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dataaudit.kernels.decode import decode
from dataaudit.kernels.words import words

UNSPACED = ("CJK UNI", "HIRAGANA LETTER", "KATAKANA LETTER", "HALFWIDTH KATAKANA", "THAI", "LAO ", "KHMER", "MYANMAR")
SPACED = "aZé İΣßⅣ１9_-.#'\x00\t\n\r\x85\u2028\u3000\u200b\u200d\ufe0f\u0301한국어שלا😀👨🏽𝒳"
HOSTILE = SPACED + "你好。，！の゛ーカ・ｶไม้่ກ៍កမြ𠀀～"
TEXT = st.text(st.sampled_from(HOSTILE), max_size=60)


def is_own(character):
    """Whether a character is a word of its own, by its name instead of by ranges."""
    name = unicodedata.name(character, "")
    return (name.startswith(UNSPACED) or character == "ー") and unicodedata.category(character)[0] in "LNS"


def split(text):
    """The words of a text, straight from the definition."""
    found = []
    for run in text.split():
        pieces, own = [], []
        for character in run:
            mark = unicodedata.category(character).startswith("M")
            if pieces and (mark or not (own[-1] or is_own(character))):
                pieces[-1] += character
            else:
                pieces.append(character)
                own.append(is_own(character))
        wordlike = [any(unicodedata.category(c)[0] in "LN" for c in piece) for piece in pieces]
        found += [p for p, o, w in zip(pieces, own, wordlike, strict=True) if o or w or not any(own)]
    return found


def normalised(word):
    return "".join(c.lower()[0] for c in word if c not in string.punctuation)


def hash_of(word):
    value = 0x9E3779B97F4A7C15
    for character in word:
        value = (value ^ ord(character)) * 0xD6E8FEB86659FD93 % 2**64
    return value ^ (value >> 32)


def found(texts):
    parts = [text.encode() for text in texts]
    decoded = decode(np.frombuffer(b"".join(parts), np.uint8), np.cumsum([0, *map(len, parts)]))
    every = words(decoded)
    joined = "".join(texts)
    spelled = [joined[a:b] for a, b in zip(every.starts.tolist(), every.stops.tolist(), strict=True)]
    return every, [spelled[a:b] for a, b in zip(every.offsets[:-1], every.offsets[1:], strict=True)]


@settings(deadline=None)
@given(st.lists(TEXT, max_size=4))
@example(["a b", "b", "", " \n", "c"])
def test_words_agree_with_the_definition(texts):
    every, spelled = found(texts)
    assert spelled == [split(text) for text in texts]
    flat = [word for document in spelled for word in document]
    assert every.hashes.tolist() == [hash_of(word) for word in flat]
    assert every.norm_hashes.tolist() == [hash_of(normalised(word)) for word in flat]
    assert every.norm_lengths.tolist() == [len(normalised(word)) for word in flat]


@settings(deadline=None)
@given(st.text(st.characters(max_codepoint=0xDFF)))
def test_words_of_spaced_scripts_are_those_of_str_split(text):
    assert found([text])[1] == [text.split()]


def test_words_of_unspaced_scripts():
    assert found(["你好，world。 他们 - ok"])[1] == [["你", "好", "，world。", "他", "们", "-", "ok"]]
    assert found(["「は」ガーデン"])[1] == [["は", "ガ", "ー", "デ", "ン"]]
    assert found(["한국어 텍스트"])[1] == [["한국어", "텍스트"]]
    assert found(["。。。"])[1] == [["。。。"]]
    assert found(["你😀。"])[1] == [["你"]]
