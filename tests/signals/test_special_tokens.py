import pyarrow as pa
import pytest

from dataaudit.signals import DocumentBatch, all_signals


def occurrences(texts, special):
    batch = DocumentBatch(text=pa.array(texts, pa.large_string()), special_strings=special)
    return all_signals()["special_token_count"].measure(batch).to_pylist()


def test_special_strings_are_counted_exactly():
    texts = ["a <|endoftext|> b <|endoftext|>", "<|endoftext|>", "<|endoftext |>", "<|EndOfText|>", "", "endoftext"]
    assert occurrences(texts, ("<|endoftext|>",)) == [2, 1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("special", "text", "count"),
    [
        (("<s>", "<s>x"), "<s>x<s>y", 2),
        (("aa",), "aaaaa", 2),
        (("<｜end▁of▁sentence｜>", "[UNK]"), "好<｜end▁of▁sentence｜>[UNK]", 2),
        ((), "<s>", 0),
    ],
)
def test_the_longest_at_each_place_and_none_overlapping(special, text, count):
    assert occurrences([text], special) == [count]
