"""Shingle sets and signatures against plain Python and against datasketch."""

import random

import datasketch
import duplicates_oracle as oracle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.kernels import shingles
from dataaudit.kernels.decode import decode
from dataaudit.kernels.minhash import band_keys, signatures
from dataaudit.kernels.normal import normal
from dataaudit.kernels.shingles import ShingleSets, shingle_sets

HOSTILE = [
    "", " ", "...", "one", "one two three four", "one two three four five", "one two three four five six",
    "词", "很好，味道不错", "한국어 문장 하나 더", "สวัสดีครับ ผมชื่อ", "mixed 中文 and words 日本語のテキスト here",
    "हिन्दी में एक वाक्य यहाँ है और", "❤️ ✌️ \ufe0f\ufe0f a b c d e", "snake_case_name = other_name + 1",
    "a b " * 500, "x" * 5000, "\u0301" * 50 + " word", "A B C D E F", "a b c d e f", "e\u0301 f g h i", "é f g h i",
    "\u200b".join("zero width joined words are units of their own".split()),
]  # fmt: skip


def sets_of(texts: list[str], width: int = 5) -> ShingleSets:
    encoded = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)])
    return shingle_sets(normal(decode(np.frombuffer(b"".join(encoded), np.uint8), offsets)), width)


def listed(sets: ShingleSets) -> list[list[int]]:
    return [sets.hashes[a:b].tolist() for a, b in zip(sets.offsets, sets.offsets[1:], strict=False)]


def expected(text: str, width: int = 5) -> list[int]:
    return sorted({oracle.hash_shingle(shingle) for shingle in oracle.shingles(text, width)})


def prose(rng: random.Random, words: int) -> str:
    return " ".join("".join(rng.choice("aeioustrnl") for _ in range(rng.randint(1, 7))) for _ in range(words))


@pytest.mark.parametrize("width", [1, 2, 5, 13])
def test_the_sets_are_those_of_plain_python(width: int) -> None:
    rng = random.Random(1)
    texts = [*HOSTILE, *(prose(rng, rng.randint(0, 600)) for _ in range(30))]
    assert listed(sets_of(texts, width)) == [expected(text, width) for text in texts]


@settings(deadline=None, max_examples=200)
@given(st.lists(st.text(st.sampled_from("ab 词语한ก\u0e31é́_-9\ufe0f\n"), max_size=40), max_size=4))
def test_short_texts(texts: list[str]) -> None:
    found = sets_of(texts)
    assert listed(found) == [expected(text) for text in texts]
    assert found.units.tolist() == [len(oracle.units(text)) for text in texts]


def test_a_giant_document_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shingles, "MOST_SHINGLES", 10)
    words = [f"w{i}" for i in range(14)]
    found = sets_of([" ".join(words), " ".join([*words, "more"])])
    assert found.capped.tolist() == [False, True]
    assert listed(found)[0] == listed(found)[1] == expected(" ".join(words))


def test_many_equal_first_bits_are_still_sorted() -> None:
    values = np.concatenate([np.arange(500, 0, -1, np.uint64), np.uint64(1) << np.arange(40, 64, dtype=np.uint64)])
    ends, scratch = np.empty(4096, np.int64), np.empty(4096, np.uint64)
    ordered = values.copy()
    shingles.sort_distinct(ordered, ends, scratch)
    assert ordered.tolist() == sorted(values.tolist())


def test_signatures_are_datasketch_s() -> None:
    rng = random.Random(2)
    sets = sets_of([*HOSTILE, *(prose(rng, rng.randint(0, 300)) for _ in range(50))])
    found = signatures(sets.offsets, sets.hashes)
    for row, hashes in zip(found, listed(sets), strict=True):
        reference = datasketch.MinHash(num_perm=128, seed=1, scheme="affine32", hashfunc=lambda value: value)
        reference.update_batch([value & 0xFFFFFFFF for value in hashes])
        assert row.tolist() == reference.hashvalues.tolist()


def test_a_band_key_depends_on_the_eight_values_and_the_band() -> None:
    signature = np.arange(128, dtype=np.uint32).reshape(1, -1)
    keys = band_keys(np.vstack([signature, signature, np.zeros_like(signature)]))
    assert (keys[0] == keys[1]).all()
    assert len(set(keys[2].tolist())) == 16
    for k in range(128):
        changed = signature.copy()
        changed[0, k] += 1
        assert (band_keys(changed)[0] != keys[0]).nonzero()[0].tolist() == [k // 8]
