import math

import pyarrow as pa
import pytest

from dataaudit.signals import DocumentBatch, all_signals


def value(name, text):
    return all_signals()[name].measure(DocumentBatch(text=pa.array([text], pa.large_string()))).to_pylist()[0]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("mean_word_char_count", "one two, - fi\n", (3 + 4 + 1 + 2) / 4),  # the hyphen is a word too
        ("mean_word_char_count", "你好，世界", 1),
        ("longest_word_char_count", "one, 你好 fourteen!", 9),
        ("unique_word_ratio", "the The the the,", 3 / 4),
        ("unique_word_ratio", "是是是不", 2 / 4),
        ("word_entropy_bits", "a b a b", 1),
        ("word_entropy_bits", "a b c", math.log2(3)),
        ("alpha_word_ratio", "one 2 3a - 你", 3 / 5),
        ("uppercase_word_ratio", "USA usa U2 A- 42 Ж 你", 4 / 7),
        ("hash_symbol_ratio", "#a b## c d", 3 / 4),
        ("hash_symbol_ratio", "#####", 1),  # five over one word, at most 1
        ("ellipsis_symbol_ratio", "well... so… ...... ..", 4 / 4),
        ("ellipsis_symbol_ratio", "a b... c d", 1 / 4),
        ("stop_word_count", "the cat and the dog", 2),
        ("stop_word_count", "The And withal theory", 0),  # whole words, in lower case
        ("stop_word_count", "the be to of and that have with", 8),
        ("stop_word_count", "我的书是新的", 2),
        ("stop_word_count", "我的书和is the·", 2),  # two Chinese against one English
        ("stop_word_count", "猫の手を借りて", 3),
        ("stop_word_count", "나는 학교에서 책을 읽는다", 5),  # 는 에 에서 을 다
        ("stop_word_count", "ที่นี่มีแมวและหมา", 3),  # ที่ มี และ
        ("stop_word_count", "zdanie po polsku", 0),
        ("mean_word_char_count", " \n", None),
        ("longest_word_char_count", "", None),
        ("word_entropy_bits", "\u3000", None),
        ("stop_word_count", "", 0),
    ],
)
def test_by_hand(name, text, expected):
    assert value(name, text) == pytest.approx(expected) if expected is not None else value(name, text) is None


def test_text_without_spaces_is_not_one_huge_word():
    text = "雨打在屋顶上，老狗睡着了。" * 30
    assert value("word_count", text) == 11 * 30
    assert value("longest_word_char_count", text) == 1
    assert value("word_count", "Rain fell on the roof, and the old dog slept.") == 10
