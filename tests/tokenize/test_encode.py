"""Every document's ids equal those of the reference library, called directly."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from dataaudit.tokenize import Encoder, compare_engines, load_encoder
from dataaudit.tokenize.compare import HOSTILE_TEXTS

SMALL = ["byte_level", "llama_split", "sentencepiece_bpe", "unigram", "word_piece", "limited", "holes"]
FAST = ["byte_level", "llama_split", "sentencepiece_bpe", "limited"]
SPECIAL = "a<|endoftext|>b <s>c</s> <think>x</think> [CLS] [SEP]<|pad|>"
PLAIN = ["", "The river rose.", "夜里河水涨了", "x = {1: 'a'}\n\treturn", " ".join(["word"] * 400), SPECIAL]

hostile_characters = st.one_of(
    st.characters(exclude_categories=["Cs"]),
    st.sampled_from(
        "aAbe 1２٣\t\n\r\x00\x1b\u0301\u200b\u200d\u202e\u2028\u3000\ufeff\ufffd\ue000锟斤拷烫。，😀👨‍👩🇨🇳é'<|>"
    ),
    st.sampled_from(["<|endoftext|>", "<think>", "<s>", "</s>", "[CLS]", "<0xE4>", "▁", "##", "Ġ", "\r\n", "    "]),
)
hostile_texts = st.lists(hostile_characters, max_size=40).map("".join)


def reference(path: Path, texts: list[str], *, special_text: str = "text", add: bool = False) -> list[list[int]]:
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = special_text == "text"
    return [tokenizer.encode(text, add_special_tokens=add).ids for text in texts]


def encode(encoder: Encoder, texts: list[str]) -> list[list[int]]:
    batch = encoder.encode(pa.array(texts, pa.large_string()))
    assert batch.ids.dtype == np.uint32
    assert batch.offsets.dtype == np.int64
    assert batch.unencoded == ()
    assert len(batch.offsets) == len(texts) + 1
    assert batch.offsets[0] == 0
    assert batch.offsets[-1] == len(batch.ids)
    return [batch.ids[a:b].tolist() for a, b in zip(batch.offsets, batch.offsets[1:], strict=False)]


@pytest.mark.parametrize("add", [False, True])
@pytest.mark.parametrize("special_text", ["text", "token"])
@pytest.mark.parametrize("name", SMALL)
def test_reference_engine(small, name, special_text, add):
    encoder = load_encoder(small[name], engine="tokenizers", special_text=special_text, add_special_tokens=add)
    texts = [*PLAIN, *HOSTILE_TEXTS]
    assert encode(encoder, texts) == reference(small[name], texts, special_text=special_text, add=add)


@pytest.mark.parametrize("add", [False, True])
@pytest.mark.parametrize("special_text", ["text", "token"])
@pytest.mark.parametrize("name", FAST)
def test_fast_engine(small, name, special_text, add):
    encoder = load_encoder(small[name], engine="fastokens", special_text=special_text, add_special_tokens=add)
    texts = [*PLAIN, *HOSTILE_TEXTS]
    assert encode(encoder, texts) == reference(small[name], texts, special_text=special_text, add=add)


@pytest.mark.parametrize("special_text", ["text", "token"])
@pytest.mark.parametrize("engine", ["fastokens", "tokenizers"])
def test_deepseek(deepseek, engine, special_text):
    encoder = load_encoder(deepseek, engine=engine, special_text=special_text)
    texts = [*PLAIN, *HOSTILE_TEXTS, "a<｜begin▁of▁sentence｜>b<｜User｜> <｜end▁of▁sentence｜>"]
    assert encode(encoder, texts) == reference(deepseek, texts, special_text=special_text)


def test_minilm_is_not_cut_at_the_128_tokens_that_its_file_sets(minilm):
    encoder = load_encoder(minilm, engine="tokenizers", add_special_tokens=True)
    texts = [*PLAIN, *HOSTILE_TEXTS]
    ids = encode(encoder, texts)
    assert ids == reference(minilm, texts, add=True)
    assert len(ids[4]) == 402
    assert len(ids[0]) == 2


@pytest.mark.parametrize("engine", ["fastokens", "tokenizers"])
def test_truncation_and_padding_in_the_file_are_switched_off(small, engine):
    lengths = [
        len(ids) for ids in encode(load_encoder(small["limited"], engine=engine), ["", "a", " ".join("x" * 999)])
    ]
    assert lengths[:2] == [0, 1]
    assert lengths[2] > 900


@pytest.mark.parametrize("name", FAST)
@given(texts=st.lists(hostile_texts, max_size=8), special_text=st.sampled_from(["text", "token"]))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_engines_agree_on_hostile_text(small, name, texts, special_text):
    expected = reference(small[name], texts, special_text=special_text)
    for engine in ("fastokens", "tokenizers"):
        assert encode(_cached(small[name], engine, special_text), texts) == expected


@pytest.mark.parametrize("name", ["no_angle", "unigram", "word_piece", "holes"])
@given(texts=st.lists(hostile_texts, max_size=8), special_text=st.sampled_from(["text", "token"]))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_reference_engine_on_hostile_text(small, name, texts, special_text):
    expected = reference(small[name], texts, special_text=special_text)
    assert encode(_cached(small[name], "tokenizers", special_text), texts) == expected


_encoders: dict[tuple[Path, str, str], Encoder] = {}


def _cached(path: Path, engine: str, special_text: str) -> Encoder:
    key = (path, engine, special_text)
    if key not in _encoders:
        _encoders[key] = load_encoder(path, engine=engine, special_text=special_text)
    return _encoders[key]


def test_special_text_is_text_or_a_token(small):
    path = small["byte_level"]
    as_text = encode(load_encoder(path, special_text="text"), ["a<|endoftext|>b<think>"])[0]
    as_token = encode(load_encoder(path, special_text="token"), ["a<|endoftext|>b<think>"])[0]
    assert 0 not in as_text
    assert 0 in as_token
    # an added token that is not special is a token in both
    think = Tokenizer.from_file(str(path)).token_to_id("<think>")
    assert as_text[-1] == as_token[-1] == think


@pytest.mark.parametrize("engine", ["fastokens", "tokenizers"])
def test_a_document_has_the_same_ids_whatever_surrounds_it(small, engine):
    encoder = load_encoder(small["llama_split"], engine=engine)
    texts = [text * 150 for text in HOSTILE_TEXTS]  # several slices of a mebibyte
    assert sum(len(text.encode()) for text in texts) > 2 << 20
    together = encode(encoder, texts)
    assert together == [encode(encoder, [text])[0] for text in texts]


def test_sliced_and_empty_arrays(small):
    encoder = load_encoder(small["byte_level"])
    texts = pa.array(["first", "second", "", "fourth"], pa.large_string())
    sliced = encoder.encode(texts.slice(1, 2))
    assert [sliced.ids.tolist()] == reference(small["byte_level"], ["second"])
    assert sliced.offsets.tolist() == [0, len(sliced.ids), len(sliced.ids)]
    empty = encoder.encode(texts.slice(4, 0))
    assert (empty.ids.tolist(), empty.offsets.tolist()) == ([], [0])


def test_auto_without_a_sample(small):
    assert load_encoder(small["byte_level"]).engine == "fastokens"
    assert load_encoder(small["word_piece"]).engine == "tokenizers"


def test_a_folder_with_a_tokenizer(small):
    assert encode(load_encoder(small["byte_level"].parent), ["abc"]) == reference(small["byte_level"], ["abc"])


def test_both_engines_agree_on_this_projects_sources(small, deepseek):
    sources = [path.read_text("utf-8") for path in sorted(Path(__file__).parents[1].rglob("*.py"))]
    choice = compare_engines(deepseek, pa.array(sources, pa.large_string()))
    assert choice.engine == "fastokens"
    assert choice.documents_compared > len(sources)
