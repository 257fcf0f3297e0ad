import pyarrow as pa
import pytest

from dataaudit.signals import DocumentBatch, all_signals


def value(name, text):
    return all_signals()[name].measure(DocumentBatch(text=pa.array([text], pa.large_string()))).to_pylist()[0]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("bullet_line_ratio", "• a\n  - b\n* c\n\n-\nd - e", 3 / 5),
        ("ellipsis_line_ratio", "a...  \nb…\nc..\n...d\n...", 3 / 5),
        ("terminal_punct_line_ratio", 'a.\nb!\r\n"c"\nd,\ne', 3 / 5),
        ("terminal_punct_line_ratio", "好。\n好！\n好？\n好…\n「好」\n『好』\n“好”\n好，", 7 / 8),
        ("terminal_punct_line_ratio", "یہ ایک جملہ ہے۔\nयह वाक्य है।\nន។", 1),
        ("terminal_punct_line_ratio", "a:\nb)\n'c'", 0),
        ("short_line_ratio", "x" * 30 + "\n" + "x" * 31 + "\n" + " " * 9 + "x" * 30, 2 / 3),
        ("newline_word_ratio", "a b\nc\n\nd", 3 / 4),
        ("newline_word_ratio", "a\n\n\n", 1),  # three over one word, at most 1
        ("mean_line_char_count", "ab\n\n c \n你好吗", (2 + 1 + 3) / 3),
        ("longest_line_char_count", "ab\n   cdé   \n", 3),
        ("curly_bracket_ratio", "{a}{", 3 / 4),
        ("javascript_line_ratio", "Enable JavaScript, javascript\ntext\n\njava script", 1 / 3),
        (
            "policy_line_ratio",
            "Terms of Use\nPrivacy policy | cookie policy\nwe use cookies\nthe user\nuse of\ncookies",
            3 / 6,
        ),
        ("lorem_ipsum_count", "Lorem ipsum dolor; LOREM IPSUM\nlorem\nipsum", 2),
        ("bullet_line_ratio", " \n\n", None),
        ("javascript_line_ratio", "", None),
        ("longest_line_char_count", "\n", None),
        ("newline_word_ratio", "\n", None),
        ("lorem_ipsum_count", "", 0),
    ],
)
def test_by_hand(name, text, expected):
    assert value(name, text) == pytest.approx(expected) if expected is not None else value(name, text) is None


def test_other_line_separators_do_not_make_lines():
    assert value("line_count", "a\u2028b\x85c\rd\x0ce") == 1
