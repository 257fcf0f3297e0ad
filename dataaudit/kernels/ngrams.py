"""Repeated n-grams within a document, of words and of characters."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.hashtable import COUNT, PREFIX_LIMIT, count_key, longest_document, mix, new_table, table_size
from dataaudit.kernels.jit import ONE, kernel

LONGEST = 10
"""The largest word n-gram that is counted."""
CHARACTERS = 10
"""The size of the character n-grams."""

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_RADIX = np.uint64(0xD6E8FEB86659FD93)


class WordNgrams(NamedTuple):
    """Repeated word n-grams, a row a document; columns are the n-gram sizes, column n for size n (0 and 1 stay 0).

    Attributes:
        words: int64[docs], words that were looked at.
        characters: int64[docs], the sum of their lengths.
        top_characters: int64[docs, 11], length of the most common n-gram times its count; 0 when no n-gram repeats.
        covered_characters: int64[docs, 11], length of the words that lie in an n-gram which occurs more than once.
        repeated: int64[docs, 11], positions at which an n-gram starts that occurs more than once.
    """

    words: NDArray[np.int64]
    characters: NDArray[np.int64]
    top_characters: NDArray[np.int64]
    covered_characters: NDArray[np.int64]
    repeated: NDArray[np.int64]


def word_ngrams(
    offsets: NDArray[np.int64], hashes: NDArray[np.uint64], lengths: NDArray[np.int64], limit: int = PREFIX_LIMIT
) -> WordNgrams:
    """Counts repeated word n-grams of sizes 2 to 10 in each document.

    Two words are the same when their 64-bit hashes are. Words of length 0 are left out: their neighbours become
    adjacent. Only the first *limit* words of a document are looked at.

    Args:
        offsets: int64[docs + 1], where each document starts in the next two.
        hashes: uint64[words].
        lengths: int64[words], in characters.
        limit: words of a document that are looked at.
    """
    docs = len(offsets) - 1
    found = WordNgrams(
        np.zeros(docs, np.int64),
        np.zeros(docs, np.int64),
        np.zeros((docs, LONGEST + 1), np.int64),
        np.zeros((docs, LONGEST + 1), np.int64),
        np.zeros((docs, LONGEST + 1), np.int64),
    )
    _word_ngrams(offsets, hashes, lengths, limit, *found)
    return found


@kernel
def _word_ngrams(
    offsets: NDArray[np.int64],
    hashes: NDArray[np.uint64],
    lengths: NDArray[np.int64],
    limit: int,
    words: NDArray[np.int64],
    characters: NDArray[np.int64],
    top: NDArray[np.int64],
    covered: NDArray[np.int64],
    repeated: NDArray[np.int64],
) -> None:
    longest = longest_document(offsets, limit)
    word = np.empty(longest, np.uint64)
    ends = np.zeros(longest + 1, np.int64)
    grams = np.empty(longest, np.uint64)
    starts, slots = np.empty(longest, np.uint32), np.empty(longest, np.uint32)
    table = new_table(longest)
    for doc in range(len(offsets) - 1):
        total = 0
        for i in range(offsets[doc], offsets[doc + 1]):
            if lengths[i] > 0 and total < limit:
                word[total] = hashes[i]
                grams[total] = hashes[i]
                starts[total] = total
                ends[total + 1] = ends[total] + lengths[i]
                total += 1
        words[doc] = total
        characters[doc] = ends[total]
        live = max(0, total - 1)
        for n in range(2, LONGEST + 1):
            if live < 2:
                break
            _count_grams(n, live, starts, grams, word, slots, table)
            repeated[doc, n], top[doc, n], covered[doc, n] = _weigh_grams(n, live, starts, slots, table, ends)
            live = _extendable(live, starts, slots, table)


@kernel
def _count_grams(
    n: int,
    live: int,
    starts: NDArray[np.uint32],
    grams: NDArray[np.uint64],
    word: NDArray[np.uint64],
    slots: NDArray[np.uint32],
    table: NDArray[np.uint64],
) -> None:
    """Makes n-grams of the (n - 1)-grams at *starts* and counts them."""
    size = table_size(live)
    table[:size] = 0
    last = np.uint64(n - 1)
    for j in range(np.uint64(live)):
        i = np.uint64(starts[j])
        grams[i] = mix(grams[i] * _FACTOR + word[i + last])
        slots[j] = count_key(table, size, grams[i])


@kernel
def _weigh_grams(
    n: int,
    live: int,
    starts: NDArray[np.uint32],
    slots: NDArray[np.uint32],
    table: NDArray[np.uint64],
    ends: NDArray[np.int64],
) -> tuple[int, np.int64, np.int64]:
    """Returns the repeated positions, the characters of the top n-gram times its count, and the characters covered."""
    positions = 0
    top_count, top_length = np.int64(1), np.int64(0)
    covered, covered_to = np.int64(0), np.int64(0)
    for j in range(np.uint64(live)):
        times = np.int64(table[slots[j]] & COUNT)
        if times > 1:
            i = np.int64(starts[j])
            positions += 1
            if times > top_count:
                top_count, top_length = times, ends[i + n] - ends[i]
            covered += ends[i + n] - ends[i if i > covered_to else covered_to]
            covered_to = i + n
    return positions, top_count * top_length, covered


@kernel
def _extendable(live: int, starts: NDArray[np.uint32], slots: NDArray[np.uint32], table: NDArray[np.uint64]) -> int:
    """Keeps the starts whose (n + 1)-gram can repeat: both n-grams in it do. Text that repeats nothing ends here."""
    kept, repeats = np.uint64(0), False
    for j in range(np.uint64(live)):
        before, repeats = repeats, table[slots[j]] & COUNT > ONE
        if before and repeats and starts[j] == starts[j - ONE] + np.uint32(1):
            starts[kept] = starts[j - ONE]
            kept += ONE
    return int(kept)


class CharacterNgrams(NamedTuple):
    """Repeated character 10-grams, one value a document.

    Attributes:
        ngrams: int64[docs], 10-grams looked at.
        top: int64[docs], how many of them are among the most frequent k that occur more than once, where k is at most
            the square root of the number of distinct 10-grams.
    """

    ngrams: NDArray[np.int64]
    top: NDArray[np.int64]


def character_ngrams(
    offsets: NDArray[np.int64], codepoints: NDArray[np.uint32], limit: int = PREFIX_LIMIT
) -> CharacterNgrams:
    """Counts the most repeated character 10-grams of each document, in its first *limit* characters.

    Args:
        offsets: int64[docs + 1], where each document starts in *codepoints*.
        codepoints: uint32[characters].
        limit: characters of a document that are looked at.
    """
    docs = len(offsets) - 1
    found = CharacterNgrams(np.zeros(docs, np.int64), np.zeros(docs, np.int64))
    _character_ngrams(offsets, codepoints, limit, *found)
    return found


@kernel
def _character_ngrams(
    offsets: NDArray[np.int64],
    codepoints: NDArray[np.uint32],
    limit: int,
    ngrams: NDArray[np.int64],
    top: NDArray[np.int64],
) -> None:
    longest = longest_document(offsets, limit)
    table, grams = new_table(longest), np.empty(longest, np.uint64)
    seen = np.empty(2 * table_size(longest), np.uint8)
    reached = np.zeros(longest + 2, np.int32)
    for doc in range(len(offsets) - 1):
        stop = min(offsets[doc] + limit, offsets[doc + 1])
        ngrams[doc] = max(0, stop - offsets[doc] - CHARACTERS + 1)
        if ngrams[doc] < 2:
            continue
        live = _perhaps_repeated(codepoints[offsets[doc] : stop], grams, seen)
        distinct, largest = _count_repeated(grams[:live], table, reached)
        top[doc] = _top_occurrences(ngrams[doc] - live + distinct, largest, reached)


@kernel
def _perhaps_repeated(codepoints: NDArray[np.uint32], grams: NDArray[np.uint64], seen: NDArray[np.uint8]) -> int:
    """Writes the hashes of the n-grams that share a small hash with another and returns how many; the rest occur once.

    Most n-grams of ordinary text are sorted out here, in a table that fits the nearest cache.
    """
    leaving = np.uint64(1)
    for _ in range(CHARACTERS):
        leaving *= _RADIX
    size = 2 * table_size(len(codepoints) - CHARACTERS + 1)
    number, width = np.uint64(len(codepoints) - CHARACTERS + 1), np.uint64(CHARACTERS)
    mask = np.uint64(size - 1)
    seen[:size] = 0
    rolling = np.uint64(0)
    for i in range(width - ONE):
        rolling = rolling * _RADIX + np.uint64(codepoints[i])
    gone = np.uint64(0)
    for i in range(number):
        rolling = rolling * _RADIX + np.uint64(codepoints[i + width - ONE]) - gone
        gone = leaving * np.uint64(codepoints[i])
        gram = mix(rolling)
        grams[i] = gram
        at = gram & mask
        seen[at] = seen[at] << np.uint8(1) | np.uint8(1)
    live = np.uint64(0)
    for i in range(number):
        gram = grams[i]
        grams[live] = gram
        live += np.uint64(seen[gram & mask] > 1)
    return int(live)


@kernel
def _count_repeated(
    grams: NDArray[np.uint64], table: NDArray[np.uint64], reached: NDArray[np.int32]
) -> tuple[int, int]:
    """Counts how many occur at least 1, 2, 3 ... times; returns how many are distinct, and the largest count."""
    size = table_size(len(grams))
    table[:size] = 0
    largest = np.uint64(0)
    for gram in grams:
        times = table[count_key(table, size, gram)] & COUNT
        reached[times] += 1
        largest = max(largest, times)
    return int(reached[1]), int(np.int64(largest))


@kernel
def _top_occurrences(distinct: int, largest: int, reached: NDArray[np.int32]) -> int:
    """Returns the sum of the largest counts above 1, of at most as many as the root of the number of n-grams.

    Clears what *reached* holds.
    """
    left, total = int(math.sqrt(distinct)), 0
    for times in range(largest, 1, -1):
        taken = min(left, int(reached[times] - reached[times + 1]))
        total += taken * times
        left -= taken
    reached[: largest + 1] = 0
    return total
