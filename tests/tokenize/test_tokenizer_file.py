"""What a tokenizer file is, and what people give in its place."""

import base64
import hashlib
import json

import pytest

from dataaudit.errors import TokenizerError
from dataaudit.tokenize import Renumbered, compare_engines, identify, load_encoder, special_ids, vocabulary


def test_identity(small, deepseek, minilm):
    identity = identify(small["byte_level"])
    data = small["byte_level"].read_bytes()
    assert identity.sha256 == hashlib.sha256(data).hexdigest()
    assert identity.size == len(data)
    assert identity.model_type == "BPE"
    assert identity.id_space == vocabulary(small["byte_level"]).id_space
    assert identity.renumbered == ()
    assert identify(small["byte_level"].parent) == identity
    assert (identify(deepseek).id_space, identify(deepseek).renumbered) == (129280, ())
    assert (identify(minilm).model_type, identify(minilm).id_space) == ("WordPiece", 30522)
    assert identify(small["unigram"]).model_type == "Unigram"


def test_the_digest_ignores_what_changes_no_id(small, tmp_path):
    identity = identify(small["byte_level"])
    content = json.loads(small["byte_level"].read_text())
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({**content, "truncation": None, "padding": None}, indent=1))
    again = identify(path)
    assert again.digest == identity.digest
    assert again.sha256 != identity.sha256
    assert identify(small["limited"]).digest == identity.digest
    content["added_tokens"][0]["special"] = False
    path.write_text(json.dumps(content))
    assert identify(path).digest != identity.digest


def test_added_tokens_that_load_under_another_id(small):
    content = json.loads(small["holes"].read_text())
    declared = {added["content"]: added["id"] for added in content["added_tokens"]}["<think>"]
    assert identify(small["holes"]).renumbered == (Renumbered("<think>", declared, declared - 50),)


CASES = {
    "empty": (b"", "an empty file"),
    "lfs": (b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 5\n", "git lfs pull"),
    "tiktoken": (b"".join(base64.b64encode(bytes([n])) + b" %d\n" % n for n in range(9)), "tiktoken rank file"),
    "merges": (b"#version: 0.2\n\xc4\xa0 t\n", "merges.txt"),
    "vocab.txt": (b"[PAD]\n[unused0]\n[UNK]\n", "vocab.txt"),
    "text": (b"hello there, this is prose\n", "no JSON"),
    "cut off": (b'{"version": "1.0", "model": {', "no JSON"),
    "deep": (b"[" * 200_000, "no JSON"),
    "list": (b"[1, 2]", "a list"),
    "tekken": (b'{"config": {}, "vocab": []}', "tekken"),
    "tokenizer_config": (b'{"tokenizer_class": "X", "eos_token": "</s>"}', "tokenizer_config.json"),
    "config": (b'{"model_type": "llama"}', "a model's config.json"),
    "special_tokens_map": (b'{"eos_token": "</s>"}', "special_tokens_map.json"),
    "vocab.json": (b'{"a": 0, "b": 1}', "vocab.json"),
    "other": (b'{"x": "y"}', "its keys: x"),
    "empty object": (b"{}", 'without a "model"'),
}


@pytest.mark.parametrize("case", CASES)
def test_other_files(tmp_path, case):
    data, says = CASES[case]
    path = tmp_path / "tokenizer.json"
    path.write_bytes(data)
    for load in (identify, vocabulary, load_encoder, special_ids):
        with pytest.raises(TokenizerError) as caught:
            load(path)
        assert says in str(caught.value)
        assert str(path) in str(caught.value)


def test_real_files_of_other_kinds(mistral):
    models = sorted(mistral.glob("*.model*"))
    tekkens = sorted(mistral.glob("tekken*.json"))
    assert models
    assert tekkens
    for path in models:
        with pytest.raises(TokenizerError, match=r"SentencePiece model\..*backend_tokenizer\.save"):
            identify(path)
    with pytest.raises(TokenizerError, match=r"tekken file.*convert_tekken_tokenizer"):
        identify(tekkens[0])


def test_missing_files(tmp_path):
    with pytest.raises(TokenizerError, match="no such tokenizer file"):
        identify(tmp_path / "nowhere.json")
    with pytest.raises(TokenizerError, match=r"no tokenizer\.json\. Give"):
        load_encoder(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text("{}")
    with pytest.raises(TokenizerError, match=r"It has tokenizer_config\.json"):
        load_encoder(tmp_path)


def test_a_model_that_the_library_does_not_know(tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text('{"version": "1.0", "model": {"type": "Magic", "vocab": {}}}')
    for load in (identify, vocabulary, load_encoder, lambda path: compare_engines(path, None, engine="tokenizers")):
        with pytest.raises(TokenizerError, match="tokenizers cannot load this file"):
            load(path)
