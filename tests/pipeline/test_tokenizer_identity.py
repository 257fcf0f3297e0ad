"""The check tokenizer-identity from corpus to report: the right tokenizer, another one, and packed windows."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import chinese, prose
from tests_support import contents
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

import dataaudit
from dataaudit.result import Finding


@pytest.fixture(scope="module")
def texts() -> list[str]:
    rng = random.Random(5)
    return [prose(rng, 10) if number % 2 else chinese(rng, 200) for number in range(60)]


@pytest.fixture(scope="module")
def other_tokenizer(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> Path:
    """Of the same kind and size, trained on other text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    options: dict[str, Any] = {"initial_alphabet": alphabet, "show_progress": False}
    trainer = trainers.BpeTrainer(vocab_size=512, special_tokens=["<|endoftext|>"], **options)
    tokenizer.train_from_iterator([text[::-1] for text in texts], trainer)
    path = tmp_path_factory.mktemp("other") / "tokenizer.json"
    tokenizer.save(str(path))
    return path


def write(path: Path, sequences: list[list[int]]) -> Path:
    path.write_text("".join(json.dumps({"id": f"s{n}", "input_ids": ids}) + "\n" for n, ids in enumerate(sequences)))
    return path


def identity(corpus: Path, out: Path, tokenizer: Path | None, **options: Any) -> Finding:
    result = dataaudit.audit(corpus, out, tokenizer=tokenizer, workers=1, **options)
    return next(each for each in result.findings if each.id == "tokenizer-identity")


@pytest.fixture(scope="module")
def sequences(texts: list[str], tokenizer_file: Path) -> list[list[int]]:
    library = Tokenizer.from_file(str(tokenizer_file))
    return [[*library.encode(text).ids, 0] for text in texts]


def test_the_tokenizer_of_the_corpus_passes(sequences, tokenizer_file, tmp_path):
    found = identity(write(tmp_path / "c.jsonl", sequences), tmp_path / "run", tokenizer_file)
    assert (found.status, found.value) == ("pass", 0)
    assert found.details["sampled_documents"] == found.details["same"] == 60
    assert found.details["plausible_tokens_per_character"]
    assert found.message.startswith("All of 60 sampled documents come back with the same ids")


def test_another_tokenizer_fails_and_the_first_difference_is_shown(sequences, other_tokenizer, tmp_path):
    found = identity(write(tmp_path / "c.jsonl", sequences), tmp_path / "run", other_tokenizer)
    assert found.status == "fail"
    assert found.value > 0.9
    first = found.details["differences"][0]
    library = Tokenizer.from_file(str(other_tokenizer))
    ids = sequences[first["doc_id"]][:-1]
    back = library.encode(library.decode(ids)).ids
    assert first["position"] == next(k for k in range(len(ids)) if ids[k] != back[k])
    assert first["given"] == [*ids, 0][first["position"] : first["position"] + 8]
    assert found.examples[0].id == f"s{first['doc_id']}"
    assert f"position {first['position']:,}" in found.message


def test_without_texts_ids_alone_are_shown(sequences, other_tokenizer, tmp_path):
    found = identity(write(tmp_path / "c.jsonl", sequences), tmp_path / "run", other_tokenizer, examples=0)
    assert {each["given_text"] for each in found.details["differences"]} == {None}
    assert f"ids {found.details['differences'][0]['given']} is given" in found.message


def test_windows_of_a_packed_corpus_pass(sequences, tokenizer_file, tmp_path):
    flat = np.concatenate([np.array(each) for each in sequences])
    windows = flat[: len(flat) // 128 * 128].reshape(-1, 128).tolist()
    found = identity(write(tmp_path / "c.jsonl", windows), tmp_path / "run", tokenizer_file)
    assert (found.status, found.value) == ("pass", 0)
    assert found.details["same"] <= found.details["same_apart_from_the_ends"] == len(windows)


def test_it_is_skipped_by_name_without_a_tokenizer_and_for_texts(sequences, texts, tokenizer_file, tmp_path):
    found = identity(write(tmp_path / "c.jsonl", sequences), tmp_path / "run", None)
    assert (found.status, found.message) == ("skip", "Not measured: no tokenizer was given.")
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    found = identity(path, tmp_path / "texts", tokenizer_file)
    assert (found.status, found.message) == ("skip", "Not measured: the corpus did not come as token ids.")


def test_sequences_without_ordinary_ids_are_not_judged(tokenizer_file, tmp_path):
    found = identity(write(tmp_path / "c.jsonl", [[0, 0], [0], []]), tmp_path / "run", tokenizer_file)
    assert (found.status, found.message) == ("skip", "The sampled documents have no ids besides special ones.")


def test_a_run_judged_again_is_the_same(sequences, tokenizer_file, tmp_path):
    corpus = write(tmp_path / "c.jsonl", sequences)
    identity(corpus, tmp_path / "run", tokenizer_file)
    before = contents(tmp_path / "run")
    identity(corpus, tmp_path / "run", tokenizer_file)
    assert contents(tmp_path / "run") == before
    identity(corpus, tmp_path / "run", None)
    assert not (tmp_path / "run" / "sketches" / "reencoded.json").exists()
