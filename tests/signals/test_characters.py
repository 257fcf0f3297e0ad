import math

import pyarrow as pa
import pytest

from dataaudit.signals import DocumentBatch, all_signals


def value(name, text):
    return all_signals()[name].measure(DocumentBatch(text=pa.array([text], pa.large_string()))).to_pylist()[0]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("special_char_ratio", "ab1 ,. $", 3 / 8),
        ("special_char_ratio", "ที่นี่", 0),  # two letters, four marks
        ("special_char_ratio", "नमस्ते", 0),
        ("special_char_ratio", "e\u0301", 0),
        ("special_char_ratio", "Ⅳ½²٣", 0),  # numbers of every kind
        ("special_char_ratio", "\0\u200b😀，", 1),
        ("non_alnum_char_ratio", "ที่นี่", 4 / 6),  # str.isalnum is false for marks
        ("non_alnum_char_ratio", "ab1 ,. $", 3 / 8),
        ("alnum_char_count", "a1 ½，你\u0301!", 4),
        ("alnum_char_count", "?!...", 0),
        ("alpha_char_ratio", "aЖ你1 .ªǅ", 5 / 8),
        ("digit_char_ratio", "1٣½²a", 2 / 5),
        ("whitespace_char_ratio", "a \t\n\x1c\x85\u3000\u200b", 6 / 8),
        ("uppercase_char_ratio", "AaЖⅣǅ", 2 / 5),  # a Roman numeral is no Lu, a title-case letter is Lt
        ("cjk_char_ratio", "你のカㄅ한，a", 5 / 7),
        ("unspaced_char_ratio", "你のカไ한，a.", 4 / 8),
        ("symbol_char_ratio", "+$^©a.", 4 / 6),
        ("punct_char_ratio", "+-_(。»a", 5 / 7),
        ("format_char_ratio", "a\u200b\u202e\ufeff\u00ad", 4 / 5),
        ("private_use_char_ratio", "\ue000\U00100000ab", 1 / 2),
        ("replacement_char_ratio", "a\ufffd\ufffd?", 1 / 2),
        ("emoji_char_ratio", "a👍🏽", 2 / 3),
        ("emoji_char_ratio", "👨‍👩", 2 / 3),
        ("emoji_char_ratio", "❤️", 1 / 2),
        ("emoji_char_ratio", "©★→#1", 0),
        ("mojibake_char_ratio", "cafÃ©", 2 / 5),
        ("mojibake_char_ratio", "Müller, café", 0),
        ("unique_char_ratio", "aabb你", 3 / 5),
        ("unique_char_ratio", "a" * 1000, 1 / 1000),
        ("unique_char_ratio_500", "a" * 1000, 1 / 500),
        ("unique_char_ratio_500", "a" * 500 + "ab" * 250 + "xyz", (1 + 2) / 1000),
        ("unique_char_ratio_500", "abcd", 1),
        ("char_entropy_bits", "abab", 1),
        ("char_entropy_bits", "aaaa", 0),
        ("char_entropy_bits", "aab", math.log2(3) - 2 / 3),
        ("longest_char_run", "abbbba", 4),
        ("longest_char_run", "a" * 200_000, 200_000),
        ("control_char_ratio", "", None),
        ("char_entropy_bits", "", None),
        ("longest_char_run", "", None),
        ("alnum_char_count", "", 0),
    ],
)
def test_by_hand(name, text, expected):
    assert value(name, text) == pytest.approx(expected) if expected is not None else value(name, text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("\0\0\0\0", 1), ("ab\0cd\0efghijklmn", 2 / 16), ("a\tb\r\nc", 0), ("\x0b\x7f\x85a", 3 / 4), ("plain", 0)],
)
def test_control_characters_are_exact_and_line_ends_are_none(text, expected):
    assert value("control_char_ratio", text) == expected


@pytest.mark.parametrize(
    ("text", "special"),
    [
        ("Rain fell on the roof, and the old dog slept.", 2 / 45),
        ("雨打在屋顶上，老狗睡着了。", 2 / 13),
        ("屋根に雨が降り、老犬は眠っていた。", 2 / 17),
    ],
)
def test_letters_of_any_script_are_letters(text, special):
    assert value("special_char_ratio", text) == pytest.approx(special)
    assert value("alpha_word_ratio", text) == 1
