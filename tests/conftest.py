"""Corpora and tokenizers that several tests share; all of them are made here."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import settings
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

settings.register_profile("any machine", deadline=None)  # a slow moment of the machine is no fault of the code
settings.load_profile("any machine")

WORDS = """
the river wide lake morning boats return harbour children carry baskets over stone bridge market
opens early letters arrive garden wall winter light falls across quiet street someone plays piano
behind an open window farmers count seeds before rain engineers measure pressure valves teachers
explain fractions travellers wait
"""
ENGLISH = WORDS.split()
CHINESE = "河流宽阔湖泊早晨船只返回港口孩子们提着篮子走过石桥市场很早开门信件到达花园围墙冬天光线安静街道有人弹钢琴"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option that renews tests/golden."""
    parser.addoption("--update-golden", action="store_true", help="write tests/golden anew instead of comparing")


def sentence(rng: random.Random, words: int) -> str:
    """An English sentence of invented order."""
    return " ".join(rng.choice(ENGLISH) for _ in range(words)).capitalize() + "."


def prose(rng: random.Random, sentences: int = 6) -> str:
    """English prose that does not repeat itself."""
    return " ".join(sentence(rng, rng.randint(7, 15)) for _ in range(sentences))


def chinese(rng: random.Random, characters: int = 80) -> str:
    """Chinese text of invented order."""
    parts = ["".join(rng.choice(CHINESE) for _ in range(rng.randint(6, 14))) for _ in range(characters // 10)]
    return "，".join(parts) + "。"


def write_jsonl(path: Path, records: list[dict[str, object]]) -> Path:
    """Writes records as JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def tokenizer_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A byte-level BPE tokenizer of 512 ids with ``<|endoftext|>``."""
    rng = random.Random(7)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=512,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([*(prose(rng) for _ in range(200)), *(chinese(rng) for _ in range(100))], trainer)
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    tokenizer.save(str(path))
    return path


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six files of two sources, 40 documents each, and one broken line."""
    rng = random.Random(11)
    root = tmp_path_factory.mktemp("corpus")
    for number in range(6):
        source, text = ("books", prose) if number % 2 else ("网页", chinese)
        records = [{"id": f"{number}-{row}", "text": text(rng)} for row in range(40)]
        write_jsonl(root / source / f"{number}.jsonl", records)
    with (root / "books" / "1.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "broken", "text": "cut\n')
    return root


@pytest.fixture(scope="session")
def small_shards(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A config that makes a shard of every small file."""
    path = tmp_path_factory.mktemp("config") / "small.yaml"
    path.write_text("extends: default\nread: {shard_bytes: 16384}\n")
    return str(path)
