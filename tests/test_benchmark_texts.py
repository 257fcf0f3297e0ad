"""The benchmarks' own text: the same every time, and no part of it twice."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from benchmarks import texts

IDEOGRAPHS = [chr(0x4E00 + number) for number in range(1500)]
WINDOW = 60


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer whose vocabulary is ideographs and some other things."""
    words = [*IDEOGRAPHS, "[UNK]", "the", "一a", "。", "１"]
    model = {"type": "WordLevel", "vocab": {word: place for place, word in enumerate(words)}, "unk_token": "[UNK]"}
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    path.write_text(json.dumps({"version": "1.0", "model": model}), encoding="utf-8")
    return path


def made(language: str, tokenizer: Path, seed: int = 0) -> Iterator[str]:
    return texts.english(seed) if language == "english" else texts.chinese(tokenizer, seed)


@pytest.mark.parametrize("language", ["english", "chinese"])
def test_same_text_for_the_same_seed(language: str, tokenizer: Path) -> None:
    first, again, other = (list(islice(made(language, tokenizer, seed), 20)) for seed in (0, 0, 1))
    assert first == again
    assert not set(first) & set(other)


@pytest.mark.parametrize("language", ["english", "chinese"])
def test_nothing_repeats(language: str, tokenizer: Path) -> None:
    text = "\n".join(texts.take(made(language, tokenizer), 300_000))
    windows = [text[start : start + WINDOW] for start in range(len(text) - WINDOW)]
    assert len(set(windows)) == len(windows)


def test_words_follow_a_power_law(tokenizer: Path) -> None:
    text = "".join(texts.take(made("chinese", tokenizer), 300_000))
    often, seldom = (text.count(IDEOGRAPHS[rank]) for rank in (0, 97))
    assert 15 < often / seldom < 45  # 1 / 2.7 against 1 / 99.7


def test_chinese_words_are_ideographs_in_the_order_of_the_vocabulary(tokenizer: Path) -> None:
    assert texts.chinese_words(tokenizer) == tuple(IDEOGRAPHS)


def test_code_is_files_of_different_content() -> None:
    files = list(islice(texts.code(), 300))
    assert len(set(files)) == 300
    assert files == list(islice(texts.code(), 300))


@pytest.mark.parametrize("size", [0, 1, 5, 6, 100])
def test_take_stops_at_the_size(size: int) -> None:
    taken = list(texts.take(iter(["好", "ab", "c"]), size))
    assert taken == {0: [], 1: ["好"], 5: ["好", "ab"], 6: ["好", "ab", "c"], 100: ["好", "ab", "c"]}[size]


def test_a_vocabulary_without_chinese_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0, "好": 1}, "unk_token": "[UNK]"}
    path.write_text(json.dumps({"version": "1.0", "model": model}), encoding="utf-8")
    with pytest.raises(texts.TextError, match=r"only 1 Chinese words.*--chinese FILE"):
        next(texts.chinese(path))
