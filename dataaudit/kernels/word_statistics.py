"""Numbers about the words of each document."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel
from dataaudit.kernels.unicode import CASED_NOT_UPPER, LETTER, UPPER
from dataaudit.kernels.words import Words


class WordStatistics(NamedTuple):
    """Numbers about the words of each document; every array has one entry a document, 0 when it has no words.

    Attributes:
        characters: int64, characters in words.
        longest: int64, characters in the longest word.
        distinct: int64, different words, as they are written.
        entropy_bits: float64, Shannon entropy of the words.
        with_letter: int64, words with at least one letter.
        uppercase: int64, words for which ``str.isupper`` is true.
        listed: int64, how many of the words of a list occur.
    """

    characters: NDArray[np.int64]
    longest: NDArray[np.int64]
    distinct: NDArray[np.int64]
    entropy_bits: NDArray[np.float64]
    with_letter: NDArray[np.int64]
    uppercase: NDArray[np.int64]
    listed: NDArray[np.int64]


def word_statistics(words: Words, listed: NDArray[np.uint64]) -> WordStatistics:
    """Returns numbers about the words; *listed* are the hashes of a short list of words."""
    return _word_statistics(words.offsets, words.starts, words.stops, words.hashes, words.flags, listed)


@kernel
def _word_statistics(
    offsets: NDArray[np.int64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    hashes: NDArray[np.uint64],
    flags: NDArray[np.uint16],
    listed: NDArray[np.uint64],
) -> WordStatistics:
    documents = len(offsets) - 1
    characters, longest = np.zeros(documents, np.int64), np.zeros(documents, np.int64)
    distinct, entropy = np.zeros(documents, np.int64), np.zeros(documents, np.float64)
    with_letter, uppercase = np.zeros(documents, np.int64), np.zeros(documents, np.int64)
    listed_seen = np.zeros(documents, np.int64)
    bits = np.uint64(0)
    for each in listed:
        bits |= np.uint64(1) << (each & np.uint64(63))
    slots = 16
    for document in range(documents):
        while slots < 2 * (offsets[document + 1] - offsets[document]):
            slots *= 2
    keys, counts, used = np.empty(slots, np.uint64), np.zeros(slots, np.int64), np.empty(slots, np.int64)
    for document in range(documents):
        first, end = offsets[document], offsets[document + 1]
        if first == end:
            continue
        slots = 16
        while slots < 2 * (end - first):
            slots *= 2
        last, different = np.uint64(slots - 1), 0
        for i in range(first, end):
            length = stops[i] - starts[i]
            characters[document] += length
            longest[document] = max(longest[document], length)
            with_letter[document] += flags[i] & LETTER != 0
            uppercase[document] += flags[i] & (UPPER | CASED_NOT_UPPER) == UPPER
            slot = hashes[i] & last
            while counts[slot] != 0 and keys[slot] != hashes[i]:
                slot = (slot + np.uint64(1)) & last
            if counts[slot] == 0:
                keys[slot], used[different] = hashes[i], slot
                different += 1
                if bits >> (hashes[i] & np.uint64(63)) & np.uint64(1):
                    for each in listed:
                        listed_seen[document] += each == hashes[i]
            counts[slot] += 1
        weighted = 0.0
        for word in range(different):
            occurrences = counts[used[word]]
            counts[used[word]] = 0
            if occurrences > 1:
                weighted += occurrences * np.log2(occurrences)
        distinct[document] = different
        entropy[document] = max(np.log2(end - first) - weighted / (end - first), 0.0)
    return WordStatistics(characters, longest, distinct, entropy, with_letter, uppercase, listed_seen)
