"""The shingles of documents: runs of consecutive units, as a set of 64-bit hashes a document.

A unit is a run of word characters (letters and numbers with the marks that follow them, and the low line), except that
each character of Han, Hiragana, Katakana, Hangul, Thai, Lao, Khmer and Myanmar is a unit of its own. Punctuation and
symbols separate units and are no part of them. Units are found in the normal form (``kernels.normal``).

The hash of a unit is ``mix(h)``, where h is the hash of its code points by ``kernels.hashing``; the hash of a shingle
of unit hashes u1 ... u5 is ``mix((((u1 * Q + u2) * Q + u3) * Q + u4) * Q + u5)``, all modulo 2**64, where mix is that
of SplitMix64. A document of fewer units has one shingle of all of them; one without units has none.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.hashing import BASIS, FOLD, PRIME
from dataaudit.kernels.hashtable import longest_document, mix, table_size
from dataaudit.kernels.jit import ONE, kernel
from dataaudit.kernels.normal import FACTS, MARK, OWN, WORD, Normal, Table, look

Hashes = NDArray[np.uint64]

SHINGLE_PRIME = np.uint64(0x9FB21C651E98DF25)
MOST_SHINGLES = 1 << 20
"""Shingles of one document that are compared: those of its beginning, some 6 MB of English."""

_SPREAD_FROM_BITS, _FULLEST_BUCKET = 4, 64
_USUAL_UNIT = 4
"""Characters a unit with what separates it has at least, in most texts; room for more is made when it is needed."""


class ShingleSets(NamedTuple):
    """The sets of a batch of documents, one after the other.

    Attributes:
        offsets: int64[documents + 1], where each document's hashes start.
        hashes: uint64[n], the distinct hashes of each document, ascending.
        units: int64[documents], units of the document, at most those that MOST_SHINGLES shingles need.
        capped: bool[documents], whether the document has more shingles than are compared.
    """

    offsets: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    units: NDArray[np.int64]
    capped: NDArray[np.bool_]


def shingle_sets(normal: Normal, units: int) -> ShingleSets:
    """Returns the sets of shingles of *units* units each."""
    return ShingleSets(*_shingle_sets(normal.codepoints, normal.offsets, FACTS, units, MOST_SHINGLES))


@kernel
def _shingle_sets(
    codepoints: NDArray[np.uint32], offsets: NDArray[np.int64], facts: Table, width: int, most: int
) -> tuple[NDArray[np.int64], Hashes, NDArray[np.int64], NDArray[np.bool_]]:
    documents = len(offsets) - 1
    longest = longest_document(offsets, most + width)
    units = np.empty(longest, np.uint64)
    keys, used = np.empty(table_size(longest), np.uint64), np.zeros(table_size(longest), np.uint8)
    ends, scratch = np.empty(table_size(longest) + 1, np.int64), np.empty(longest, np.uint64)
    ascii_facts = np.empty(128, np.uint8)
    for point in range(128):
        ascii_facts[point] = look(facts, point)
    hashes, size = np.empty(len(codepoints) // _USUAL_UNIT + longest, np.uint64), 0
    starts, counts, capped = (
        np.zeros(documents + 1, np.int64),
        np.zeros(documents, np.int64),
        np.zeros(documents, np.bool_),
    )
    for document in range(documents):
        count, more = _units(
            codepoints[offsets[document] : offsets[document + 1]], facts, ascii_facts, units, most + width - 1
        )
        counts[document], capped[document] = count, more
        if size + count > len(hashes):
            hashes = _larger(hashes, size + count)
        found = distinct_shingles(units[:count], width, keys, used, hashes[size:])
        sort_distinct(hashes[size : size + found], ends, scratch)
        size += found
        starts[document + 1] = size
    return starts, hashes[:size].copy(), counts, capped


@kernel
def _larger(hashes: Hashes, needed: int) -> Hashes:
    larger = np.empty(2 * needed, np.uint64)
    larger[: len(hashes)] = hashes
    return larger


@kernel
def _units(
    codepoints: NDArray[np.uint32], facts: Table, ascii_facts: NDArray[np.uint8], units: Hashes, most: int
) -> tuple[int, bool]:
    """Fills in the hashes of a document's units; returns how many, and whether there are more."""
    count, i, end = np.uint64(0), np.uint64(0), np.uint64(len(codepoints))
    while i < end:
        point = codepoints[i]
        fact = ascii_facts[point] if point < 128 else look(facts, np.int64(point))
        i += ONE
        if fact & (WORD | OWN) == 0:
            continue
        if count == np.uint64(most):
            return int(np.int64(count)), True
        value = (BASIS ^ np.uint64(point)) * PRIME
        if fact & OWN == 0:
            while i < end:
                point = codepoints[i]
                fact = ascii_facts[point] if point < 128 else look(facts, np.int64(point))
                if fact & OWN or fact & (WORD | MARK) == 0:
                    break
                value = (value ^ np.uint64(point)) * PRIME
                i += ONE
        units[count] = mix(value ^ value >> FOLD)
        count += ONE
    return int(np.int64(count)), False


@kernel
def distinct_shingles(units: Hashes, width: int, keys: Hashes, used: NDArray[np.uint8], out: Hashes) -> int:
    """Writes the distinct shingle hashes, in no order; returns how many."""
    if len(units) == 0:
        return 0
    width = min(width, len(units))
    size = table_size(len(units) - width + 1)
    used[:size] = 0
    mask = np.uint64(size - 1)
    leaving, value = np.uint64(1), np.uint64(0)
    for _ in range(width):
        leaving *= SHINGLE_PRIME
    for k in range(width - 1):
        value = value * SHINGLE_PRIME + units[k]
    gone, found = np.uint64(0), np.uint64(0)
    span = np.uint64(width - 1)
    for k in range(np.uint64(len(units)) - span):
        value = value * SHINGLE_PRIME + units[k + span] - gone
        gone = units[k] * leaving
        shingle = mix(value)
        at = shingle & mask
        while used[at] and keys[at] != shingle:
            at = (at + ONE) & mask
        if not used[at]:
            used[at], keys[at], out[found] = 1, shingle, shingle
            found += ONE
    return int(np.int64(found))


@kernel
def sort_distinct(values: Hashes, ends: NDArray[np.int64], scratch: Hashes) -> None:
    """Sorts distinct hashes: spread by their first bits into as many buckets, they are nearly in order."""
    bits = 0
    while 1 << bits < len(values):
        bits += 1
    if bits >= _SPREAD_FROM_BITS:
        shift, fullest = np.uint64(64 - bits), 0
        ends[: (1 << bits) + 1] = 0
        for value in values:
            ends[np.int64(value >> shift) + 1] += 1
        for k in range(1 << bits):
            fullest = max(fullest, ends[k + 1])
            ends[k + 1] += ends[k]
        if fullest > _FULLEST_BUCKET:
            values.sort()
            return
        for value in values:
            bucket = np.int64(value >> shift)
            scratch[ends[bucket]] = value
            ends[bucket] += 1
        values[:] = scratch[: len(values)]
    for i in range(1, len(values)):
        value, at = values[i], i
        while at > 0 and values[at - 1] > value:
            values[at] = values[at - 1]
            at -= 1
        values[at] = value
