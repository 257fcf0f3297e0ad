"""Word and character n-grams against Counter, written as the definitions read."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.kernels.copies import extra_copies
from dataaudit.kernels.ngrams import character_ngrams, word_ngrams

WORDS = ["", "a", "bb", "ccc", "dd", "e"]
documents_of_words = st.lists(st.lists(st.sampled_from(WORDS), max_size=60), max_size=5)


def arrays(documents):
    offsets = np.cumsum([0, *(len(document) for document in documents)])
    words = [word for document in documents for word in document]
    hashes = np.array([1000 + WORDS.index(word) for word in words], np.uint64)
    return offsets, hashes, np.array([len(word) for word in words], np.int64)


def rpv2(words, n):
    """Returns the characters of the top n-gram times its count, those covered, and the repeated positions."""
    grams = [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
    counts = Counter(grams)
    top = 0
    if grams:
        gram, count = counts.most_common(1)[0]
        top = sum(map(len, gram)) * count if count > 1 else 0
    mask = [False] * len(words)
    for i, gram in enumerate(grams):
        if counts[gram] > 1:
            mask[i : i + n] = [True] * n
    covered = sum(len(word) for word, inside in zip(words, mask, strict=True) if inside)
    return top, covered, sum(counts[gram] > 1 for gram in grams)


@settings(deadline=None)
@given(documents_of_words)
def test_word_ngrams_equal_the_plain_definition(documents):
    found = word_ngrams(*arrays(documents))
    for row, document in enumerate(documents):
        words = [word for word in document if word]
        assert found.words[row] == len(words)
        assert found.characters[row] == sum(map(len, words))
        for n in range(2, 11):
            expected = rpv2(words, n)
            measured = (found.top_characters[row, n], found.covered_characters[row, n], found.repeated[row, n])
            assert measured == expected, n


@settings(deadline=None)
@given(documents_of_words)
def test_a_batch_of_words_equals_one_by_one(documents):
    together = word_ngrams(*arrays(documents))
    for row, document in enumerate(documents):
        alone = word_ngrams(*arrays([document]))
        assert all((one[0] == many[row]).all() for one, many in zip(alone, together, strict=True))


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=40), st.integers(1, 30))
def test_only_the_first_words_up_to_the_limit_are_looked_at(document, limit):
    kept = [word for word in document if word][:limit]
    cut = word_ngrams(*arrays([document]), limit=limit)
    whole = word_ngrams(*arrays([kept]))
    assert all((a == b).all() for a, b in zip(cut, whole, strict=True))


def test_the_first_seen_ngram_wins_a_tie():
    """ "bb bb" and "a e" both occur twice; the longer one came second."""
    words = ["a", "e", "ccc", "bb", "dd", "a", "e", "bb", "dd"]
    assert word_ngrams(*arrays([words])).top_characters[0, 2] == 2 * 2


@pytest.mark.parametrize("pattern", [["a"], ["a", "bb"], ["a", "bb", "ccc", "dd", "e"]])
def test_a_long_document_that_only_repeats_is_covered_wholly(pattern):
    words = pattern * (60_000 // len(pattern))
    found = word_ngrams(*arrays([words]))
    assert (found.covered_characters[0, 2:] == found.characters[0]).all()
    assert (found.repeated[0, 2:] == [len(words) - n + 1 for n in range(2, 11)]).all()


def test_a_long_document_that_repeats_nothing_has_no_repeats():
    size = 300_000
    found = word_ngrams(np.array([0, size]), np.arange(size, dtype=np.uint64), np.ones(size, np.int64))
    assert found.words[0] == size
    assert not found.repeated.any() and not found.top_characters.any() and not found.covered_characters.any()


def data_juicer(text):
    """Returns the occurrences of the top 10-grams, and of all."""
    grams = [text[i : i + 10] for i in range(len(text) - 9)]
    frequencies = sorted(Counter(grams).values(), reverse=True)
    top = min(math.isqrt(len(frequencies)), sum(times > 1 for times in frequencies))
    return sum(frequencies[:top]), len(grams)


def decoded(texts):
    offsets = np.cumsum([0, *map(len, texts)])
    return offsets, np.array([ord(character) for text in texts for character in text], np.uint32)


parts = st.sampled_from(["a", "ab", "的一是", "\U0001f600", "0123456789", "\0"])
repetitive = st.lists(parts, max_size=80).map("".join)


@settings(deadline=None)
@given(st.lists(repetitive | st.text(max_size=60), max_size=5))
def test_character_ngrams_equal_the_plain_definition(texts):
    found = character_ngrams(*decoded(texts))
    assert list(zip(found.top, found.ngrams, strict=True)) == [data_juicer(text) for text in texts]


@settings(deadline=None)
@given(repetitive, st.integers(1, 60))
def test_only_the_first_characters_up_to_the_limit_are_looked_at(text, limit):
    found = character_ngrams(*decoded([text]), limit=limit)
    assert (found.top[0], found.ngrams[0]) == data_juicer(text[:limit])


def test_one_character_many_times_is_one_ngram():
    found = character_ngrams(*decoded(["a" * 200_000]))
    assert (found.top[0], found.ngrams[0]) == (199_991, 199_991)


@settings(deadline=None)
@given(documents_of_words, st.integers(1, 40))
def test_extra_copies_equal_the_plain_definition(documents, limit):
    found = extra_copies(*arrays(documents), limit=limit)
    for row, document in enumerate(documents):
        seen, copies = set(), []
        for word in document[:limit]:
            if word in seen:
                copies.append(word)
            seen.add(word)
        measured = (found.segments[row], found.copies[row], found.copy_characters[row])
        assert measured == (len(document[:limit]), len(copies), sum(map(len, copies)))
