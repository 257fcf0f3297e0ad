"""A model's config.json as the settings of the model, and how they go with the tokenizer."""

import json
from pathlib import Path
from typing import Any

import pytest

import dataaudit
from dataaudit.config.load import load_config
from dataaudit.config.model_file import read_model
from dataaudit.config.override import override
from dataaudit.config.schema import Model
from dataaudit.errors import ConfigError

LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "bos_token_id": 128000,
    "eos_token_id": [128001, 128008, 128009],
}
GPT2 = {"vocab_size": 50257, "n_positions": 1024, "n_ctx": 1024, "bos_token_id": 50256, "eos_token_id": 50256}


def write(folder: Path, content: Any) -> str:
    path = folder / "config.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (LLAMA, Model(vocab_size=128256, max_length=131072, bos_id=128000, eos_id=128001)),
        (GPT2, Model(vocab_size=50257, max_length=1024, bos_id=50256, eos_id=50256)),
        ({"vocab_size": 9, "pad_token_id": -1, "eos_token_id": []}, Model(vocab_size=9)),
        (
            {"model_type": "gemma3", "text_config": LLAMA, "eos_token_id": 1},
            Model(vocab_size=128256, max_length=131072, bos_id=128000, eos_id=128001),
        ),
    ],
)
def test_settings_of_published_models(content, expected, tmp_path):
    assert read_model(write(tmp_path, content)) == expected
    assert read_model(str(tmp_path)) == expected


def test_what_is_given_goes_before_the_file(tmp_path):
    path = write(tmp_path, LLAMA)
    (tmp_path / "c.yaml").write_text(f"extends: default\nmodel: {{path: {path}, eos_id: 7}}\n")
    model = override(load_config(str(tmp_path / "c.yaml")), max_length=4096).config.model
    assert model == Model(vocab_size=128256, max_length=4096, bos_id=128000, eos_id=7)
    assert override(load_config(None), model=path).config.model.vocab_size == 128256


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "no JSON, where a model's config.json"),
        ("[1]", "JSON that holds a list"),
        ({"model": {"vocab": {}}}, "it has no vocab_size"),
        ({"vocab_size": "many"}, "vocab_size is 'many', where a whole number from 1 on"),
        ({"vocab_size": 0}, "vocab_size is 0"),
        ({"vocab_size": 5, "eos_token_id": 1.5}, "eos_token_id is 1.5, where a whole number"),
        ("[" * 100_000, "no JSON"),
    ],
)
def test_files_that_are_none_say_so(content, message, tmp_path):
    with pytest.raises(ConfigError, match=message):
        read_model(write(tmp_path, content))


def test_a_file_that_is_missing_says_so(tmp_path):
    with pytest.raises(ConfigError, match="cannot read the model's config: No such file"):
        override(load_config(None), model=str(tmp_path / "config.json"))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"vocab_size": 512, "eos_token_id": 0}, []),
        ({"vocab_size": 500}, ["vocab_size"]),
        ({"vocab_size": 600, "eos_token_id": 590, "bos_token_id": 40}, ["bos_id", "eos_id"]),
        ({"vocab_size": 512, "eos_token_id": 0, "own": "Ġthe"}, ["eos_id"]),
    ],
)
def test_contradictions_with_the_tokenizer_are_counted(content, told, tokenizer_file, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    tokenizer = folder / "tokenizer.json"
    tokenizer.write_bytes(tokenizer_file.read_bytes())
    if (own := content.get("own")) is not None:
        (folder / "tokenizer_config.json").write_text(json.dumps({"eos_token": own}))
    corpus = tmp_path / "c.jsonl"
    corpus.write_text('{"input_ids": [1, 2, 3, 0]}\n')
    result = dataaudit.audit(corpus, tmp_path / "run", tokenizer=tokenizer, model=write(folder, content), workers=1)
    found = next(each for each in result.findings if each.id == "model-tokenizer")
    assert [each["setting"] for each in found.details.get("contradictions", [])] == told
    assert found.status == ("warn" if told else "pass")
    assert result.method.config["model"]["vocab_size"] == content["vocab_size"]
    (folder / "config.json").unlink()
    assert dataaudit.check(tmp_path / "run", workers=1).method.config["model"]["vocab_size"] == content["vocab_size"]
