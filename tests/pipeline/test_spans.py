"""The place in the text that a rule is about."""

import pytest

from dataaudit.pipeline.spans import span_of


@pytest.mark.parametrize(
    ("signal", "text", "matched"),
    [
        ("longest_char_run", "aab" + "c" * 5 + "d", "ccccc"),
        ("longest_word_char_count", "a long-est-word b", "long-est-word"),
        ("dup_line_ratio", "one\ntwo\none \nthree", "one "),
        ("dup_paragraph_char_ratio", "a b\n\nc\n\na b\n\nd", "a b"),
        ("top_2gram_char_ratio", "x a b, a b! c d", "a b"),
        ("top_2gram_char_ratio", "你好吗你好", "你好"),
        ("dup_5gram_char_ratio", "a b c d e f. a b c d e", "a b c d e"),
        ("special_char_ratio", "one #% two #$%& three", "#$%&"),
        ("control_char_ratio", "tab\tand\x00\x01nul", "\x00\x01"),
        ("replacement_char_ratio", "caf\ufffd\ufffd", "\ufffd\ufffd"),
        ("private_use_char_ratio", "a\ue001b", "\ue001"),
        ("format_char_ratio", "a\u202eb", "\u202e"),
        ("mojibake_char_ratio", "the cafÃ© there", "Ã©"),
        ("mojibake_char_ratio", "it isnâ€™t", "â€™"),
        ("special_token_count", "a <|endoftext|> b", "<|endoftext|>"),
        ("lorem_ipsum_count", "see Lorem ipsum there", "Lorem ipsum"),
    ],
)
def test_the_place_is_found(signal: str, text: str, matched: str) -> None:
    span = span_of(signal, text)
    assert span is not None
    assert text[span.start : span.stop] == matched
    assert text.rindex(matched) == span.start or not signal.startswith("dup")


@pytest.mark.parametrize("signal", ["char_entropy_bits", "word_count", "unknown"])
def test_signals_of_the_whole_have_no_place(signal: str) -> None:
    assert span_of(signal, "some text, some text") is None


@pytest.mark.parametrize(
    "signal", ["dup_line_ratio", "top_3gram_char_ratio", "longest_char_run", "mojibake_char_ratio"]
)
@pytest.mark.parametrize("text", ["", " ", "a", "\n\n"])
def test_where_there_is_nothing_there_is_no_place(signal: str, text: str) -> None:
    span = span_of(signal, text)
    assert span is None or signal == "longest_char_run"
