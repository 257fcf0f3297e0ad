"""The words of a batch of documents: where they are, and hashes to compare them by."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.decode import Decoded
from dataaudit.kernels.hashing import BASIS, FOLD, PRIME
from dataaudit.kernels.jit import ONE, kernel
from dataaudit.kernels.unicode import (
    ASCII_PUNCTUATION,
    FLAGS,
    LOWER_CELLS,
    LOWER_PAGES,
    LOWERED,
    MARK,
    OWN_WORD,
    SPACE,
    WORDLIKE,
)


class Words(NamedTuple):
    """Words of all documents, one document after the other.

    A word is a run of characters without white space (as ``str.split`` has it), except in scripts written without
    spaces (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar): there each letter, number or symbol with the marks that
    follow it is a word, and what is left of the run between them is a word only if it holds a letter or a number.

    Attributes:
        offsets: int64[documents + 1], where each document's words start in the other arrays.
        starts: int64[n], index of the first character of each word in the decoded characters.
        stops: int64[n], one past its last character.
        hashes: uint64[n], hash of its code points (see ``kernels.hashing``).
        flags: uint16[n], the union of its characters' ``kernels.unicode.FLAGS``.
        norm_hashes: uint64[n], hash of the normalised word: in lower case (one code point to one), without ASCII
            punctuation.
        norm_lengths: int64[n], characters in the normalised word; 0 when nothing is left of it.
    """

    offsets: NDArray[np.int64]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    flags: NDArray[np.uint16]
    norm_hashes: NDArray[np.uint64]
    norm_lengths: NDArray[np.int64]


def words(decoded: Decoded) -> Words:
    """Returns the words of each document; 42 bytes of memory a word."""
    most = _count_runs(decoded.classes, decoded.offsets, FLAGS)
    return _find_words(*decoded, FLAGS, LOWER_PAGES, LOWER_CELLS, most)


@kernel
def _count_runs(classes: NDArray[np.uint8], offsets: NDArray[np.int64], flags: NDArray[np.uint16]) -> int:
    """Returns an upper bound of the number of words: runs of leftover punctuation are counted too."""
    runs = 0
    for document in range(len(offsets) - 1):
        before = SPACE
        for i in range(np.uint64(offsets[document]), np.uint64(offsets[document + 1])):
            here = flags[classes[i]] & (SPACE | OWN_WORD)
            runs += here == OWN_WORD or (here == 0 and before != 0)
            before = here
    return runs


@kernel
def _find_words(
    codepoints: NDArray[np.uint32],
    classes: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    flags: NDArray[np.uint16],
    lower_pages: NDArray[np.uint8],
    lower_cells: NDArray[np.int32],
    most: int,
) -> Words:
    word_offsets, size = np.zeros(len(offsets), np.int64), np.uint64(0)
    starts, stops = np.empty(most, np.int64), np.empty(most, np.int64)
    hashes, unions = np.empty(most, np.uint64), np.empty(most, np.uint16)
    norm_hashes, norm_lengths = np.empty(most, np.uint64), np.empty(most, np.int64)
    for document in range(len(offsets) - 1):
        i, end = np.uint64(offsets[document]), np.uint64(offsets[document + 1])
        beside_own = False
        while i < end:
            first = flags[classes[i]]
            if first & SPACE:
                beside_own = False
                i += ONE
                continue
            start, union, norm_length = i, np.uint16(0), 0
            full, norm = BASIS, BASIS
            own = first & OWN_WORD != 0
            here = first
            while True:
                union |= here
                point = np.uint64(codepoints[i])
                full = (full ^ point) * PRIME
                if here & (ASCII_PUNCTUATION | LOWERED) == 0:
                    norm = (norm ^ point) * PRIME
                    norm_length += 1
                elif here & ASCII_PUNCTUATION == 0:
                    low = np.uint64(lower_pages[point >> np.uint64(8)]) << np.uint64(8) | point & np.uint64(255)
                    norm = (norm ^ np.uint64(np.int64(point) + lower_cells[low])) * PRIME
                    norm_length += 1
                i += ONE
                if i == end:
                    break
                here = flags[classes[i]]
                if here & MARK == 0 if own else here & (SPACE | OWN_WORD) != 0:
                    break
            leftover = not own and (beside_own or (i < end and flags[classes[i]] & OWN_WORD != 0))
            beside_own = own
            if leftover and union & WORDLIKE == 0:
                continue
            starts[size], stops[size] = np.int64(start), np.int64(i)
            hashes[size], unions[size] = full ^ full >> FOLD, union
            norm_hashes[size], norm_lengths[size] = norm ^ norm >> FOLD, norm_length
            size += ONE
        word_offsets[document + 1] = np.int64(size)
    return Words(
        word_offsets,
        starts[:size],
        stops[:size],
        hashes[:size],
        unions[:size],
        norm_hashes[:size],
        norm_lengths[:size],
    )
