import numpy as np
import pyarrow as pa
import pytest

from dataaudit.signals import DocumentBatch, all_signals, measure


def value(name, text, **facts):
    batch = DocumentBatch(text=pa.array([text], pa.large_string()), **facts)
    return all_signals()[name].measure(batch).to_pylist()[0]


@pytest.mark.parametrize(
    ("text", "characters", "size", "words", "lines", "paragraphs"),
    [
        ("", 0, 0, 0, 0, 0),
        ("\n", 1, 1, 0, 0, 0),
        ("naïve 😀", 7, 11, 2, 1, 1),
        ("one two\nthree\n\nfour\r\n\r\nfive\n \nsix", 33, 33, 6, 5, 3),
        ("你好，世界。\n再见", 9, 25, 6, 2, 1),
        ("ไม่มี", 5, 15, 3, 1, 1),  # ไ, ม with ่, ม with ี
    ],
)
def test_lengths_by_hand(text, characters, size, words, lines, paragraphs):
    found = [value(name, text) for name in ("char_count", "byte_count", "word_count", "line_count", "paragraph_count")]
    assert found == [characters, size, words, lines, paragraphs]


def test_text_for_a_token():
    ids = {"ids": np.arange(4), "id_offsets": np.array([0, 4])}
    assert value("chars_per_token", "abcdé", **ids) == 1.25
    assert value("bytes_per_token", "abcdé", **ids) == 1.5


def test_text_for_a_token_is_null_without_tokens_and_absent_without_text():
    none = {"ids": np.arange(0), "id_offsets": np.array([0, 0])}
    assert value("chars_per_token", "", **none) is None
    assert value("bytes_per_token", "a", **none) is None
    assert "chars_per_token" not in measure(DocumentBatch(**none), ["tokens"]).schema.names
