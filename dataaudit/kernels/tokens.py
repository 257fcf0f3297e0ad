"""Counts over the token ids of a document."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.hashtable import COUNT, PREFIX_LIMIT, count_key, longest_document, mix, new_table, table_size
from dataaudit.kernels.jit import kernel

IS_HOLE, IS_DIGIT, IS_BYTE_FALLBACK, IS_SPECIAL = 1, 2, 4, 8
"""Bits of the facts about an id."""
_LARGEST_32 = (1 << 32) - 1
_DENSE_IDS = 1 << 22
"""Ids from here on are outside any vocabulary in use; a table by id would be too large."""


def plain_ids(ids: NDArray[Any]) -> NDArray[Any]:
    """Returns ids as the kernels take them: uint32; int64 where one is negative or takes more than 32 bits.

    The array can be written; it is *ids* itself where that is one.
    """
    if (ids.dtype.kind == "u" and ids.itemsize <= 4) or not len(ids) or (ids.min() >= 0 and ids.max() <= _LARGEST_32):
        return np.require(ids, np.uint32, ["C", "W"])
    return np.require(ids, np.int64, ["C", "W"])


class IdCounts(NamedTuple):
    """Tokens of each document by facts about their ids, one int64 a document.

    Attributes:
        holes: tokens whose id has no token: a hole of the id space, or an id outside it.
        digits, byte_fallbacks, specials, unknowns: tokens of that kind.
    """

    holes: NDArray[np.int64]
    digits: NDArray[np.int64]
    byte_fallbacks: NDArray[np.int64]
    specials: NDArray[np.int64]
    unknowns: NDArray[np.int64]


def id_counts(offsets: NDArray[np.int64], ids: NDArray[Any], facts: NDArray[np.uint8], unk_id: int) -> IdCounts:
    """Counts the tokens of each document by the facts about their ids.

    Args:
        offsets: int64[docs + 1], where each document starts in *ids*.
        ids: whole numbers[tokens].
        facts: uint8[id_space], the bits of each id.
        unk_id: id of the unknown token, or -1.
    """
    found = IdCounts(*(np.zeros(len(offsets) - 1, np.int64) for _ in range(5)))
    _id_counts(offsets, ids, facts, unk_id, *found)
    return found


@kernel
def _id_counts(
    offsets: NDArray[np.int64],
    ids: NDArray[Any],
    facts: NDArray[np.uint8],
    unk_id: int,
    holes: NDArray[np.int64],
    digits: NDArray[np.int64],
    byte_fallbacks: NDArray[np.int64],
    specials: NDArray[np.int64],
    unknowns: NDArray[np.int64],
) -> None:
    for doc in range(len(offsets) - 1):
        for i in range(offsets[doc], offsets[doc + 1]):
            token = ids[i]
            if token < 0 or token >= len(facts):
                holes[doc] += 1
                continue
            fact = facts[token]
            if fact != 0:
                holes[doc] += (fact & IS_HOLE) != 0
                digits[doc] += (fact & IS_DIGIT) != 0
                byte_fallbacks[doc] += (fact & IS_BYTE_FALLBACK) != 0
                specials[doc] += (fact & IS_SPECIAL) != 0
            if token == unk_id:
                unknowns[doc] += 1


def largest_ids(offsets: NDArray[np.int64], ids: NDArray[Any]) -> NDArray[np.int64]:
    """Returns the largest id of each document, int64[docs]; -1 in a document without tokens."""
    largest = np.full(len(offsets) - 1, -1, np.int64)
    filled = np.diff(offsets) > 0
    if filled.any():
        largest[filled] = np.maximum.reduceat(ids, offsets[:-1][filled])
    return largest


@kernel
def count_marked(offsets: NDArray[np.int64], marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Returns how many tokens of each document are marked, int64[docs]."""
    counts = np.zeros(len(offsets) - 1, np.int64)
    for doc in range(len(offsets) - 1):
        for i in range(offsets[doc], offsets[doc + 1]):
            counts[doc] += marked[i]
    return counts


def distinct_ids(offsets: NDArray[np.int64], ids: NDArray[Any], limit: int = PREFIX_LIMIT) -> NDArray[np.int64]:
    """Returns the number of distinct ids among the first *limit* tokens of each document, int64[docs]."""
    distinct = np.zeros(len(offsets) - 1, np.int64)
    if len(ids) and ids.min() >= 0 and ids.max() < _DENSE_IDS:
        _distinct_small_ids(offsets, ids, limit, np.zeros(int(ids.max()) + 1, np.int32), distinct)
    else:
        _distinct_ids(offsets, ids, limit, distinct)
    return distinct


@kernel
def _distinct_small_ids(
    offsets: NDArray[np.int64], ids: NDArray[Any], limit: int, last: NDArray[np.int32], distinct: NDArray[np.int64]
) -> None:
    """Remembers the last document of each id, which is three times as fast as a table of hashes."""
    for doc in range(len(offsets) - 1):
        for i in range(offsets[doc], min(offsets[doc] + limit, offsets[doc + 1])):
            token = ids[i]
            distinct[doc] += last[token] != doc + 1
            last[token] = doc + 1


@kernel
def _distinct_ids(offsets: NDArray[np.int64], ids: NDArray[Any], limit: int, distinct: NDArray[np.int64]) -> None:
    table = new_table(longest_document(offsets, limit))
    for doc in range(len(offsets) - 1):
        length = min(limit, offsets[doc + 1] - offsets[doc])
        size = table_size(length)
        table[:size] = 0
        for i in range(offsets[doc], offsets[doc] + length):
            slot = count_key(table, size, mix(np.uint64(ids[i])))
            distinct[doc] += table[slot] & COUNT == 1


class Rarity(NamedTuple):
    """How rare the tokens of each document are in the corpus.

    Attributes:
        rare: int64[docs], tokens that the corpus holds fewer times than the limit, unknown ids included.
        known: int64[docs], tokens that the corpus holds at least once.
        bits: float64[docs], the sum over these of −log2 of their share of the corpus.
    """

    rare: NDArray[np.int64]
    known: NDArray[np.int64]
    bits: NDArray[np.float64]


def rarity(offsets: NDArray[np.int64], ids: NDArray[Any], pooled: NDArray[np.int64], fewest: int) -> Rarity:
    """Weighs the tokens of each document by their counts in the corpus.

    Args:
        offsets: int64[docs + 1], where each document starts in *ids*.
        ids: whole numbers[tokens].
        pooled: int64[n], occurrences of each id in the corpus; ids outside it count as 0.
        fewest: ids with a smaller count are rare.
    """
    docs = len(offsets) - 1
    found = Rarity(np.zeros(docs, np.int64), np.zeros(docs, np.int64), np.zeros(docs, np.float64))
    _rarity(offsets, ids, pooled, fewest, math.log2(max(1, int(pooled.sum()))), *found)
    return found


@kernel
def _rarity(
    offsets: NDArray[np.int64],
    ids: NDArray[Any],
    pooled: NDArray[np.int64],
    fewest: int,
    bits_of_all: float,
    rare: NDArray[np.int64],
    known: NDArray[np.int64],
    bits: NDArray[np.float64],
) -> None:
    surprisal = np.full(len(pooled), -1.0)
    for doc in range(len(offsets) - 1):
        total = 0.0
        for i in range(offsets[doc], offsets[doc + 1]):
            token = ids[i]
            count = pooled[token] if 0 <= token < len(pooled) else np.int64(0)
            rare[doc] += count < fewest
            if count > 0:
                if surprisal[token] < 0.0:
                    surprisal[token] = max(0.0, bits_of_all - math.log2(count))
                known[doc] += 1
                total += surprisal[token]
        bits[doc] = total
