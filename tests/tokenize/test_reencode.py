"""Ids that are decoded and encoded again, against what the tokenizers library gives."""

import json
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, decoders

from dataaudit.tokenize.reencode import EDGE, PREFIX, Reencoder

TEXTS = [
    "The river rose in the night, and by morning the lower field was a lake with a gate in the middle of it. " * 6,
    "酒店的房间很干净，早餐也不错，服务员态度很好。" * 12,
    "def add(a, b):\n    return a + b\n\n\nprint(add(1, 2))\n" * 8,
    "naïve café 👩‍👩‍👧 \x00 \ufeff end",
    " leading and trailing  ",
]


@pytest.fixture(scope="module", params=["byte_level", "llama_split", "sentencepiece_bpe", "unigram"])
def tokenizer(request, small: dict[str, Path], tmp_path_factory) -> Path:
    """A tokenizer with the decoder that published ones have."""
    path = small[request.param]
    library = Tokenizer.from_file(str(path))
    if library.decoder is None:
        parts = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        library.decoder = decoders.Sequence(parts)
        path = tmp_path_factory.mktemp("decoding") / "tokenizer.json"
        library.save(str(path))
    return path


def encoded(path: Path, text: str) -> np.ndarray:
    library = Tokenizer.from_file(str(path))
    library.encode_special_tokens = True
    return np.array(library.encode(text, add_special_tokens=False).ids, np.int64)


def test_ids_of_the_tokenizer_come_back(tokenizer):
    coder = Reencoder(tokenizer)
    for text in TEXTS:
        ids = encoded(tokenizer, text)
        found = coder.send_back(ids)
        assert found.is_same_inside, text
        assert found.tokens == min(len(ids), PREFIX)
        assert coder.compare(ids, text).difference is None


def test_special_ids_stay_and_stand_for_no_text(small):
    path = small["byte_level"]
    library = Tokenizer.from_file(str(path))
    special = next(number for number, token in library.get_added_tokens_decoder().items() if token.special)
    body = encoded(path, TEXTS[0])[:100]
    ids = np.concatenate([[special], body, [special, special], body, [special]])
    found = Reencoder(path).send_back(ids)
    assert found.difference is None
    assert found.tokens == 200
    assert (
        Reencoder(path).compare(np.concatenate([[special], body, [special]]), library.decode(body.tolist())).difference
        is None
    )


def test_a_change_is_found_at_its_place(small):
    path = small["byte_level"]
    ids = encoded(path, TEXTS[0])
    coder, library = Reencoder(path), Tokenizer.from_file(str(path))
    long = [at for at in range(EDGE + 2, len(ids) - EDGE - 2) if len(library.decode([ids[at]]).strip()) > 2]
    for place in (long[0], long[-1]):
        letters = [encoded(path, letter)[0] for letter in library.decode([ids[place]])]
        split = np.concatenate([ids[:place], letters, ids[place + 1 :]])
        canonical = encoded(path, library.decode(split.tolist()))
        found = coder.send_back(split)
        length = min(len(split), len(canonical))
        expected = next(k for k in range(length) if split[k] != canonical[k])
        assert found.difference is not None
        assert found.difference.position == expected
        assert found.difference.given == split[expected : expected + 8].tolist()
        assert found.difference.encoded == canonical[expected : expected + 8].tolist()
        assert not found.is_same_inside


def test_a_window_cut_out_of_a_longer_text_is_the_same_inside(small):
    path = small["byte_level"]
    ids = encoded(path, TEXTS[1])
    coder = Reencoder(path)
    cut = [coder.send_back(ids[start : start + 120]) for start in range(40)]
    assert all(each.is_same_inside for each in cut)
    assert any(each.difference is not None for each in cut), "some windows start inside a character"


@pytest.mark.parametrize("strange", [-1, 2**40, 511_000, 2**32 - 1])
def test_ids_that_no_tokenizer_has_do_not_come_back(small, strange):
    path = small["byte_level"]
    ids = encoded(path, TEXTS[0])
    ids[60] = strange
    found = Reencoder(path).send_back(ids)
    assert found.difference is not None
    assert found.difference.position <= 60
    assert not found.is_same_inside


def test_a_text_that_is_another_one_is_found(small):
    path = small["byte_level"]
    ids = encoded(path, TEXTS[0])
    found = Reencoder(path).compare(ids, "The river fell" + TEXTS[0][14:])
    assert found.difference is not None
    assert 0 < found.difference.position < 8
    long = encoded(path, TEXTS[0] * 40)
    assert Reencoder(path).compare(long, TEXTS[0] * 40).difference is None


def test_a_tokenizer_without_a_decoder_says_so(small):
    assert not Reencoder(small["unigram"]).has_decoder
    assert Reencoder(small["byte_level"]).has_decoder


def test_nothing_comes_back_from_nothing(small):
    found = Reencoder(small["byte_level"]).send_back(np.empty(0, np.int64))
    assert (found.difference, found.tokens, found.characters) == (None, 0, 0)
    assert json.dumps(found.tokens) == "0"
