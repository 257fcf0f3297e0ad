"""Facts by token id, against what the tokenizers themselves encode."""

import json

import numpy as np
import pyarrow as pa
import pytest
from tokenizers import Tokenizer

from dataaudit.tokenize import SpecialIds, load_encoder, special_ids, vocabulary


def ids_of(path, text: str) -> list[int]:
    encoder = load_encoder(path, engine="tokenizers")
    return encoder.encode(pa.array([text], pa.large_string())).ids.tolist()


@pytest.mark.parametrize("name", ["byte_level", "llama_split", "sentencepiece_bpe", "unigram", "word_piece", "holes"])
def test_shapes_and_specials(small, name):
    facts = vocabulary(small[name])
    tokenizer = Tokenizer.from_file(str(small[name]))
    used = set(tokenizer.get_vocab().values())
    assert facts.id_space == max(used) + 1
    for column in (facts.in_use, facts.is_digit, facts.is_byte_fallback, facts.is_special):
        assert column.dtype == np.bool_
        assert column.shape == (facts.id_space,)
    assert set(np.flatnonzero(facts.in_use).tolist()) == used
    special = {n: token.content for n, token in tokenizer.get_added_tokens_decoder().items() if token.special}
    assert set(np.flatnonzero(facts.is_special).tolist()) == set(special)
    assert facts.special_strings == tuple(sorted(special.values()))
    assert not (facts.is_digit & facts.is_special).any()


def test_holes(small):
    facts = vocabulary(small["holes"])
    assert not facts.in_use[300:350].any()
    assert facts.in_use[350:].all()


@pytest.mark.parametrize("name", ["byte_level", "llama_split"])
def test_byte_level(small, name):
    facts = vocabulary(small[name])
    raw = {n for character in "\U000e0100龘\u0b83" for n in ids_of(small[name], character)}
    assert facts.is_byte_fallback.sum() == 128
    assert facts.is_byte_fallback[sorted(raw)].any()
    for whole in ("a", "5", " ", "\n", "\x00", "~"):
        assert not facts.is_byte_fallback[ids_of(small[name], whole)].any()
    assert facts.is_digit[ids_of(small[name], "5")].all()
    assert facts.unk_id == -1
    digits = {token for token, n in Tokenizer.from_file(str(small[name])).get_vocab().items() if facts.is_digit[n]}
    assert {"0", "9"} <= digits
    assert all(token.strip("Ġ").isdigit() for token in digits)


@pytest.mark.parametrize("name", ["sentencepiece_bpe", "unigram"])
def test_byte_fallback(small, name):
    facts = vocabulary(small[name])
    tokenizer = Tokenizer.from_file(str(small[name]))
    assert facts.is_byte_fallback.sum() == 256
    assert facts.is_byte_fallback[tokenizer.token_to_id("<0xE4>")]
    assert facts.is_digit[tokenizer.token_to_id("<0x35>")]
    assert not facts.is_digit[tokenizer.token_to_id("<0x61>")]
    assert facts.unk_id == tokenizer.token_to_id("<unk>") == 0
    # the last ids of a character outside the vocabulary are its bytes
    assert facts.is_byte_fallback[ids_of(small[name], "龘")[-3:]].all()


def test_word_piece(small, minilm):
    for path in (small["word_piece"], minilm):
        facts = vocabulary(path)
        tokenizer = Tokenizer.from_file(str(path))
        assert not facts.is_byte_fallback.any()
        assert facts.unk_id == tokenizer.token_to_id("[UNK]")
        assert facts.is_digit[tokenizer.token_to_id("##9")]
        assert facts.is_digit[tokenizer.token_to_id("1999")]
        assert not facts.is_digit[tokenizer.token_to_id("the")]


def test_minilm_numbers(minilm):
    facts = vocabulary(minilm)
    assert facts.id_space == 30522
    assert facts.in_use.all()
    assert facts.special_strings == ("[CLS]", "[MASK]", "[PAD]", "[SEP]", "[UNK]")


def test_deepseek_numbers(deepseek):
    facts = vocabulary(deepseek)
    assert facts.id_space == 129280
    assert facts.is_byte_fallback.sum() == 128
    # every ASCII number of one to three digits is a token of its own
    numbers = pa.array(["0", "7", "10", "99", "100", "999"], pa.large_string())
    assert facts.is_digit[load_encoder(deepseek, engine="fastokens").encode(numbers).ids].tolist() == [True] * 6
    assert "<｜begin▁of▁sentence｜>" in facts.special_strings
    assert "<｜User｜>" not in facts.special_strings


def test_special_ids(small, deepseek, minilm, tmp_path):
    assert special_ids(deepseek) == SpecialIds(0, 1, 1)
    assert special_ids(minilm) == SpecialIds(101, 102, 0)
    assert special_ids(small["sentencepiece_bpe"]) == SpecialIds(1, 2, None)
    assert special_ids(small["byte_level"]) == SpecialIds(None, None, None)
    assert special_ids(small["limited"]) == SpecialIds(None, None, 1)
    path = tmp_path / "tokenizer.json"
    path.write_text(small["byte_level"].read_text())
    (tmp_path / "special_tokens_map.json").write_text(json.dumps({"eos_token": "<|endoftext|>", "bos_token": "gone"}))
    assert special_ids(path) == SpecialIds(None, 0, None)
    config = {"eos_token": {"content": "<|pad|>"}, "pad_token": "<|pad|>", "bos_token": None}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    assert special_ids(path) == SpecialIds(None, 1, 1)
    (tmp_path / "tokenizer_config.json").write_text("{not json")
    assert special_ids(path) == SpecialIds(None, 0, None)
