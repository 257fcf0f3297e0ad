"""Lines across documents against a counter, and the bound when the table is too small."""

import random
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from dataaudit.kernels.decode import decode
from dataaudit.kernels.hashing import hash_text
from dataaudit.kernels.lines import lines_and_paragraphs
from dataaudit.sketches import repeats
from dataaudit.sketches.repeats import RepeatCounts, merge_repeats


def counted(texts: list[str], first: int, *, several: bool = False) -> pa.Table:
    found = RepeatCounts(several_lines=several)
    for start in range(0, len(texts), 7):
        batch = [text.encode() for text in texts[start : start + 7]]
        characters = decode(np.frombuffer(b"".join(batch), np.uint8), np.cumsum([0, *map(len, batch)]))
        ids = np.arange(first + start, first + start + len(batch), dtype=np.uint64)
        cut = lines_and_paragraphs(characters)
        found.update(characters, cut.paragraphs if several else cut.lines, ids)
    return found.to_table()


def corpus(seed: int, documents: int) -> list[str]:
    rng = random.Random(seed)
    pool = [f"a repeated line number {k}" for k in range(60)]
    return [
        "\n".join([*rng.choices(pool, weights=[1 / (k + 1) for k in range(60)], k=4), f"its own {seed} {k}", "short"])
        for k in range(documents)
    ]


def test_counts_and_firsts_are_exact_while_the_table_is_large_enough() -> None:
    texts = corpus(1, 100)
    shards = [counted(texts[:60], 0), counted(texts[60:], 60)]
    merged = merge_repeats(shards, 50)
    expected = Counter(line for text in texts for line in {line for line in text.split("\n") if len(line) >= 10})
    by_hash = {hash_text(line): (line, count) for line, count in expected.items() if count > 1}
    assert merged.missed == 0
    assert merged.documents.tolist() == sorted((count for _, count in by_hash.values()), reverse=True)[:50]
    for key, documents, first in zip(*(each.tolist() for each in merged[:3]), strict=True):
        line, count = by_hash[key]
        assert documents == count
        assert first == next(place for place, text in enumerate(texts) if line in text.split("\n"))


def test_a_small_table_says_what_it_may_have_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "SLOTS", 64)
    monkeypatch.setattr(repeats, "KEPT", 10)
    texts = corpus(2, 400)
    merged = merge_repeats([counted(texts[:150], 0), counted(texts[150:], 150)], 50)
    assert merged.missed > 0
    expected = Counter(hash_text(line) for text in texts for line in set(text.split("\n")))
    found = dict(zip(merged.hashes.tolist(), merged.documents.tolist(), strict=True))
    for key, documents in found.items():
        assert documents <= expected[key] <= documents + merged.missed
    for key, count in expected.items():
        assert key in found or count <= merged.missed or len(found) == 50 or count == expected[hash_text("short")]


def test_a_document_with_more_lines_than_the_table_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "SLOTS", 64)
    texts = [
        "\n".join(f"line number {k} of the first" for k in range(500)),
        "a line that repeats",
        "a line that repeats",
    ]
    merged = merge_repeats([counted(texts, 0)], 50)
    assert hash_text("a line that repeats") in merged.hashes.tolist()
    assert merged.missed >= 1


def test_paragraphs_are_those_of_several_lines() -> None:
    texts = ["one line alone\n\nfirst of two\nsecond of two"] * 3
    merged = merge_repeats([counted(texts, 0, several=True)], 50)
    assert merged.documents.tolist() == [3]
    assert merged.hashes.tolist() == [hash_text("first of two\nsecond of two")]
