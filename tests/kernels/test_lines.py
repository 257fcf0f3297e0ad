import re

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dataaudit.kernels.decode import decode
from dataaudit.kernels.lines import lines_and_paragraphs

TEXT = st.text(st.sampled_from("ab你\n\n\n\r \t\x0b\x0c\x1c\x85\u2028\u2029\u3000\ufeff\x00😀"), max_size=40)


def lines(decoded):
    return lines_and_paragraphs(decoded).lines


def paragraphs(decoded):
    return lines_and_paragraphs(decoded).paragraphs


def split_lines(text):
    return [line.strip() for line in text.split("\n") if line.strip()]


def split_paragraphs(text):
    pieces = re.split(r"\n{2,}", text.replace("\r\n", "\n"))
    return [piece.strip() for piece in pieces if piece.strip()]


def hash_of(text):
    value = 0x9E3779B97F4A7C15
    for character in text:
        value = (value ^ ord(character)) * 0xD6E8FEB86659FD93 % 2**64
    return value ^ (value >> 32)


def found(cut, texts):
    parts = [text.encode() for text in texts]
    every = cut(decode(np.frombuffer(b"".join(parts), np.uint8), np.cumsum([0, *map(len, parts)])))
    joined = "".join(texts)
    spelled = [joined[a:b] for a, b in zip(every.starts.tolist(), every.stops.tolist(), strict=True)]
    assert every.hashes.tolist() == [hash_of(piece) for piece in spelled]
    return [spelled[a:b] for a, b in zip(every.offsets[:-1], every.offsets[1:], strict=True)]


@settings(deadline=None)
@given(st.lists(TEXT, max_size=4))
@example(["a\r\nb\r\r\nc\rd", "\n", "", "x"])
def test_lines_agree_with_the_definition(texts):
    assert found(lines, texts) == [split_lines(text) for text in texts]


@settings(deadline=None)
@given(st.lists(TEXT, max_size=4))
@example(["a\n\r\n b\n \n\nc\r\n\r\n"])
def test_paragraphs_agree_with_the_definition(texts):
    shown = [[piece.replace("\r\n", "\n") for piece in document] for document in found(paragraphs, texts)]
    assert shown == [split_paragraphs(text) for text in texts]


def test_only_line_feeds_separate_lines():
    assert found(lines, ["a\rb\x85c\u2028d\x0be\nf"]) == [["a\rb\x85c\u2028d\x0be", "f"]]


def test_paragraphs_by_hand():
    assert found(paragraphs, ["\n\none\nstill one\n\n\ntwo\r\n\r\nthree\n \nstill three\n"]) == [
        ["one\nstill one", "two", "three\n \nstill three"]
    ]
