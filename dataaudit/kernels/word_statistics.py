"""Numbers about the words of each document."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.hashtable import COUNT, PREFIX_LIMIT, count_key, longest_document, new_table, table_size
from dataaudit.kernels.jit import ONE, kernel
from dataaudit.kernels.unicode import CASED_NOT_UPPER, LETTER, UPPER
from dataaudit.kernels.words import Words


class WordShapes(NamedTuple):
    """What the words of each document look like; every array is int64, with one entry a document.

    Attributes:
        characters: characters in words.
        longest: characters in the longest word, 0 when there is none.
        with_letter: words with at least one letter.
        uppercase: words for which ``str.isupper`` is true.
    """

    characters: NDArray[np.int64]
    longest: NDArray[np.int64]
    with_letter: NDArray[np.int64]
    uppercase: NDArray[np.int64]


class WordVariety(NamedTuple):
    """How varied the words of each document are, as they are written; every array has one entry a document.

    Attributes:
        compared: int64, words looked at: all, or the first ``PREFIX_LIMIT`` of a document that has more.
        distinct: int64, different words among them.
        entropy_bits: float64, Shannon entropy of the words; 0 when there is none.
        listed: int64, how many words of a list are among them.
    """

    compared: NDArray[np.int64]
    distinct: NDArray[np.int64]
    entropy_bits: NDArray[np.float64]
    listed: NDArray[np.int64]


def word_shapes(words: Words) -> WordShapes:
    """Returns what the words of each document look like."""
    return _word_shapes(words.offsets, words.starts, words.stops, words.flags)


def word_variety(words: Words, listed: NDArray[np.uint64], limit: int = PREFIX_LIMIT) -> WordVariety:
    """Returns how varied the words are; *listed* are the hashes of a short list of words."""
    return _word_variety(words.offsets, words.hashes, listed, limit)


@kernel
def _word_shapes(
    offsets: NDArray[np.int64], starts: NDArray[np.int64], stops: NDArray[np.int64], flags: NDArray[np.uint16]
) -> WordShapes:
    documents = len(offsets) - 1
    characters, longest = np.zeros(documents, np.int64), np.zeros(documents, np.int64)
    with_letter, uppercase = np.zeros(documents, np.int64), np.zeros(documents, np.int64)
    for document in range(documents):
        total, most, letters, capitals = 0, 0, 0, 0
        for i in range(offsets[document], offsets[document + 1]):
            length = stops[i] - starts[i]
            total += length
            most = max(most, length)
            letters += flags[i] & LETTER != 0
            capitals += flags[i] & (UPPER | CASED_NOT_UPPER) == UPPER
        characters[document], longest[document] = total, most
        with_letter[document], uppercase[document] = letters, capitals
    return WordShapes(characters, longest, with_letter, uppercase)


@kernel
def _word_variety(
    offsets: NDArray[np.int64], hashes: NDArray[np.uint64], listed: NDArray[np.uint64], limit: int
) -> WordVariety:
    documents = len(offsets) - 1
    compared, distinct = np.zeros(documents, np.int64), np.zeros(documents, np.int64)
    entropy, listed_seen = np.zeros(documents, np.float64), np.zeros(documents, np.int64)
    most = longest_document(offsets, limit)
    table, used = new_table(most), np.empty(most, np.uint64)
    maybe_listed = np.uint64(0)
    for each in listed:
        maybe_listed |= np.uint64(1) << (each & np.uint64(63))
    for document in range(documents):
        first = offsets[document]
        size = min(limit, offsets[document + 1] - first)
        slots, different, seen = table_size(size), 0, 0
        table[:slots] = 0
        for i in range(np.uint64(first), np.uint64(first + size)):
            slot = count_key(table, slots, hashes[i])
            if table[slot] & COUNT == ONE:
                used[different] = slot
                different += 1
                if maybe_listed >> (hashes[i] & np.uint64(63)) & np.uint64(1):
                    for each in listed:
                        seen += each == hashes[i]
        weighted = 0.0
        for k in range(different):
            occurrences = np.int64(table[used[k]] & COUNT)
            if occurrences > 1:
                weighted += occurrences * np.log2(occurrences)
        compared[document], distinct[document], listed_seen[document] = size, different, seen
        if size > 0:
            entropy[document] = max(np.log2(size) - weighted / size, 0.0)
    return WordVariety(compared, distinct, entropy, listed_seen)
