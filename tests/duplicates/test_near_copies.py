"""Verified pairs against the Jaccard of all pairs, and buckets that are made to cost a lot."""

import random
from fractions import Fraction

import duplicates_oracle as oracle
import numpy as np
import pytest
from numpy.typing import NDArray

from dataaudit.duplicates import near
from dataaudit.duplicates.clusters import clusters, count_candidates, merge_edges
from dataaudit.duplicates.exact import exact_copies
from dataaudit.duplicates.fingerprint import Fingerprints, fingerprint
from dataaudit.duplicates.near import Found, Sets, SetSource, near_copies
from dataaudit.duplicates.records import COPY, EDGE, NONE
from dataaudit.kernels.decode import decode
from dataaudit.kernels.minhash import band_keys, signatures
from dataaudit.kernels.overlap import REPRESENTATIVES

WORDS = [f"w{number}" for number in range(4000)]


def prints_of(texts: list[str]) -> Fingerprints:
    encoded = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)])
    return fingerprint(decode(np.frombuffer(b"".join(encoded), np.uint8), offsets), 5)


def source_of(prints: Fingerprints) -> SetSource:
    offsets, hashes = prints.sets.offsets, prints.sets.hashes

    def sizes(documents: NDArray[np.uint64]) -> NDArray[np.int64]:
        places = documents.astype(int)
        return offsets[places + 1] - offsets[places]

    def sets(documents: NDArray[np.uint64]) -> Sets:
        parts = [hashes[offsets[place] : offsets[place + 1]] for place in documents.astype(int)]
        return Sets(np.append(0, np.cumsum(sizes(documents))), np.concatenate([np.empty(0, np.uint64), *parts]))

    return SetSource(sizes, sets)


def compare(prints: Fingerprints, threshold: int = 8000, sample: NDArray[np.uint64] | None = None) -> Found:
    found, documents = Found(), np.arange(len(prints.filled), dtype=np.uint64)
    for band in range(16):
        near_copies(prints.keys[:, band], documents, source_of(prints), threshold, found, sample)
    return found


def edited(rng: random.Random, words: list[str], edits: int) -> str:
    words = words.copy()
    for _ in range(edits):
        words[rng.randrange(len(words))] = rng.choice(WORDS)
    return " ".join(words)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    rng = random.Random(1)
    found = []
    for _ in range(120):
        words = rng.choices(WORDS, k=rng.randint(8, 90))
        found += [edited(rng, words, rng.randint(0, 5)) for _ in range(rng.randint(1, 5))]
    rng.shuffle(found)
    return list(dict.fromkeys(found))


def test_reported_pairs_are_those_of_brute_force(texts: list[str]) -> None:
    expected = oracle.pairs(texts, 0.8)
    edges = merge_edges([compare(prints_of(texts)).all_edges()])
    for edge in edges:
        pair = int(edge["partner"]), int(edge["document"])
        assert Fraction(int(edge["shared"]), int(edge["united"])) == expected[pair]
    later = {document for _, document in expected}
    assert len(later - set(edges["document"].tolist())) <= 0.06 * len(later)


def test_the_size_of_chunks_changes_nothing(texts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    prints = prints_of([*texts, *(text.replace("w1", "v1") for text in texts)])
    whole = compare(prints)
    for size in (1, 500):
        monkeypatch.setattr(near, "CHUNK_HASHES", size)
        parts = compare(prints)
        assert parts.all_edges().tolist() == whole.all_edges().tolist()
        assert parts.all_misses().tolist() == whole.all_misses().tolist()
        assert parts.comparisons == whole.comparisons


@pytest.mark.parametrize("similarity", [0.5, 0.6, 0.7, 0.8, 0.9])
def test_the_share_of_pairs_that_is_looked_at_follows_the_s_curve(similarity: float) -> None:
    size, pairs = 200, 3000
    shared = round(2 * size * similarity / (1 + similarity))
    rng = np.random.default_rng(int(similarity * 10))
    sets = rng.integers(0, 2**64, (pairs, 2 * size - shared), dtype=np.uint64)
    both = np.stack([sets[:, :size], sets[:, size - shared :]], axis=1).reshape(2 * pairs, size)
    keys = band_keys(signatures(np.arange(2 * pairs + 1) * size, np.sort(both).ravel())).reshape(pairs, 2, 16)
    seen = (keys[:, 0] == keys[:, 1]).any(axis=1).mean()
    chance = oracle.s_curve(shared / (2 * size - shared))
    assert abs(seen - chance) < 2 * (chance * (1 - chance) / pairs) ** 0.5 + 1e-9


def test_copies_of_one_set_cost_a_comparison_each() -> None:
    found = compare(prints_of([" ".join(WORDS[:50])] * 3000))
    assert found.comparisons == 16 * 2999
    assert found.largest_bucket == 3000
    edges = merge_edges([found.all_edges()])
    assert set(edges["partner"].tolist()) == {0}


def test_template_pages_cost_a_bounded_number_of_comparisons() -> None:
    """One bucket of pages that are not like each other: 2,500 pages are 3 million pairs."""
    pages = 2500
    rng = np.random.default_rng(3)
    common = rng.integers(0, 2**64, 60, dtype=np.uint64)
    sets = [np.sort(np.append(common, rng.integers(0, 2**64, 40, dtype=np.uint64))) for _ in range(pages)]
    hashes = np.concatenate(sets)
    source = SetSource(
        lambda documents: np.full(len(documents), 100),
        lambda documents: Sets(
            np.arange(len(documents) + 1) * 100, hashes.reshape(-1, 100)[documents.astype(int)].ravel()
        ),
    )
    found = Found()
    near_copies(np.zeros(pages, np.uint64), np.arange(pages, dtype=np.uint64), source, 8000, found)
    assert found.comparisons <= REPRESENTATIVES * pages
    assert len(found.all_edges()) == 0
    counts = count_candidates(found.all_edges(), [found.all_misses()])
    assert counts == (pages - 1, 0, pages - REPRESENTATIVES)


def test_the_threshold_itself_is_near() -> None:
    hashes = np.concatenate([np.arange(8, dtype=np.uint64), np.arange(10, dtype=np.uint64)])
    source = SetSource(lambda documents: np.array([8, 10]), lambda documents: Sets(np.array([0, 8, 18]), hashes))
    for threshold, edges in ((8000, 1), (8001, 0)):
        found = Found()
        near_copies(np.zeros(2, np.uint64), np.arange(2, dtype=np.uint64), source, threshold, found)
        assert len(found.all_edges()) == edges


def edges_of(*pairs: tuple[int, int]) -> NDArray[np.void]:
    return merge_edges([np.array([(late, early, 9, 10) for early, late in pairs], EDGE)])


NO_COPIES = np.empty(0, COPY)


def removed(members: NDArray[np.void]) -> dict[int, int]:
    return {int(each["document"]): int(each["near"]) for each in members if each["near"] != NONE}


def test_the_end_of_a_chain_is_kept() -> None:
    members = clusters(edges_of((1, 2), (2, 3)), NO_COPIES)
    assert removed(members) == {2: 1}
    assert set(members["root"].tolist()) == {1}
    assert set(members["size"].tolist()) == {3}


def test_star_clique_and_long_chain() -> None:
    assert removed(clusters(edges_of((0, 5), (0, 6), (0, 7)), NO_COPIES)) == {5: 0, 6: 0, 7: 0}
    clique = edges_of(*((a, b) for b in range(4) for a in range(b)))
    assert removed(clusters(clique, NO_COPIES)) == {1: 0, 2: 0, 3: 0}
    chain = clusters(edges_of(*((a, a + 1) for a in range(9))), NO_COPIES)
    assert removed(chain) == {1: 0, 3: 2, 5: 4, 7: 6, 9: 8}
    assert chain["root"].tolist() == [0] * 10


def test_the_order_of_parts_changes_nothing() -> None:
    rng = random.Random(4)
    pairs = [tuple(sorted(rng.sample(range(60), 2))) for _ in range(80)]
    parts = [edges_of(*pairs[k::4]) for k in range(4)]
    expected = clusters(merge_edges(parts), NO_COPIES).tolist()
    rng.shuffle(parts)
    assert clusters(merge_edges(parts), NO_COPIES).tolist() == expected
    found = removed(clusters(merge_edges(parts), NO_COPIES))
    for document, partner in found.items():
        assert (partner, document) in pairs
        assert partner not in found


def test_exact_copies_join_the_cluster_of_their_first() -> None:
    digests = np.array([[1, 1], [2, 2], [1, 1], [1, 2], [2, 2], [1, 1]], np.uint64)
    copies = exact_copies(digests, np.array([10, 11, 12, 13, 14, 15], np.uint64))
    assert copies.tolist() == [(10, 10, 3), (11, 11, 2), (12, 10, 3), (14, 11, 2), (15, 10, 3)]
    members = clusters(edges_of((10, 11)), copies)
    assert members["root"].tolist() == [10] * 5
    assert removed(members) == {11: 10}
    assert {int(each["document"]): int(each["copy_of"]) for each in members if each["copy_of"] != NONE} == {
        12: 10, 14: 11, 15: 10,
    }  # fmt: skip


def test_sampled_documents_find_their_earlier_ones(texts: list[str]) -> None:
    prints = prints_of(texts)
    whole = set(merge_edges([compare(prints).all_edges()])["document"].tolist())
    everyone = np.arange(len(texts), dtype=np.uint64)
    hits = set(merge_edges([compare(prints, sample=everyone).all_edges()])["document"].tolist())
    assert hits >= whole
    some = everyone[::7]
    sampled = merge_edges([compare(prints, sample=some).all_edges()])
    assert set(sampled["document"].tolist()) == hits & set(some.tolist())
