"""Literal strings in texts: any number of them at once, by one walk over the UTF-8 bytes."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel


class Trie(NamedTuple):
    """Patterns as a tree of bytes; its nodes are numbered level by level, so that siblings stand side by side.

    Attributes:
        begins: bool[65536], whether a pattern may begin with the two bytes, by first byte << 8 | second byte.
        fold: uint8[256], what each byte is compared as.
        byte: uint8[nodes], the byte that leads to each node.
        children: int64[nodes + 1], where the children of each node start.
        pattern: int64[nodes], the pattern that ends at each node, or -1.
    """

    begins: NDArray[np.bool_]
    fold: NDArray[np.uint8]
    byte: NDArray[np.uint8]
    children: NDArray[np.int64]
    pattern: NDArray[np.int64]


@lru_cache(maxsize=16)
def trie(patterns: tuple[str, ...], *, ignore_case: bool = False) -> Trie:
    """Returns the tree of the patterns; an empty pattern matches nothing.

    *ignore_case* is about ASCII letters.
    """
    fold = np.arange(256, dtype=np.uint8)
    if ignore_case:
        fold[ord("A") : ord("Z") + 1] += 32
    spelled = [bytes(fold[list(pattern.encode())]) for pattern in patterns]
    prefixes = {word[:size] for word in spelled for size in range(1, len(word) + 1)}
    nodes = [b"", *sorted(prefixes, key=lambda prefix: (len(prefix), prefix))]
    number = {prefix: node for node, prefix in enumerate(nodes)}
    parents = np.array([number[prefix[:-1]] for prefix in nodes[1:]], np.int64)
    pattern_of = np.full(len(nodes), -1, np.int64)
    for index, word in enumerate(spelled):
        if word:
            pattern_of[number[word]] = index
    begins = np.zeros((256, 256), np.bool_)
    for word in spelled:
        first = fold == word[0] if word else np.zeros(256, np.bool_)
        second = fold == word[1] if len(word) > 1 else np.ones(256, np.bool_)
        begins |= first[:, None] & second
    children = np.searchsorted(parents, np.arange(len(nodes) + 1)).astype(np.int64) + 1
    return Trie(
        begins.reshape(-1), fold, np.array([0, *(prefix[-1] for prefix in nodes[1:])], np.uint8), children, pattern_of
    )


def count_occurrences(data: NDArray[np.uint8], offsets: NDArray[np.int64], patterns: Trie) -> NDArray[np.int64]:
    """Returns int64[documents]: occurrences of any pattern, the longest at each place, none overlapping another.

    The time is at most proportional to the text times the longest pattern, however many there are.
    """
    return _count_occurrences(data, offsets, *patterns)


def count_lines_with(data: NDArray[np.uint8], offsets: NDArray[np.int64], patterns: Trie) -> NDArray[np.int64]:
    """Returns int64[documents]: lines (what LF separates) that hold a pattern; no pattern may hold an LF."""
    return _count_lines_with(data, offsets, *patterns)


def count_distinct(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], patterns: Trie, groups: Sequence[Sequence[int]]
) -> NDArray[np.int64]:
    """Returns int64[documents, groups]: how many of each group's patterns a text holds, overlapping ones too.

    Args:
        data, offsets: the texts.
        patterns: at most 64 patterns.
        groups: the patterns of each group by their number.
    """
    seen = _seen_patterns(data, offsets, *patterns)
    masks = np.array([sum(1 << pattern for pattern in group) for group in groups], np.uint64)
    return np.bitwise_count(seen[:, None] & masks).astype(np.int64)


@kernel
def _may_begin(data: NDArray[np.uint8], i: int, end: int, begins: NDArray[np.bool_]) -> bool:
    second = data[i + 1] if i + 1 < end else np.uint8(0)
    return begins[np.int64(data[i]) << 8 | np.int64(second)]


@kernel
def _longest_match(
    data: NDArray[np.uint8],
    start: int,
    end: int,
    fold: NDArray[np.uint8],
    byte: NDArray[np.uint8],
    children: NDArray[np.int64],
    pattern: NDArray[np.int64],
) -> tuple[int, np.uint64]:
    """Returns the length of the longest pattern at *start*, or 0, and a bit for each pattern there (below 64)."""
    node, position, longest, found = 0, start, 0, np.uint64(0)
    while True:
        if pattern[node] >= 0:
            longest = position - start
            found |= np.uint64(1) << np.uint64(pattern[node] & 63)
        if position == end:
            break
        wanted, low, high = fold[data[position]], children[node], children[node + 1]
        while low < high:
            middle = (low + high) >> 1
            if byte[middle] < wanted:
                low = middle + 1
            else:
                high = middle
        if low == children[node + 1] or byte[low] != wanted:
            break
        node = low
        position += 1
    return longest, found


@kernel
def _count_occurrences(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    begins: NDArray[np.bool_],
    fold: NDArray[np.uint8],
    byte: NDArray[np.uint8],
    children: NDArray[np.int64],
    pattern: NDArray[np.int64],
) -> NDArray[np.int64]:
    counts = np.zeros(len(offsets) - 1, np.int64)
    for document in range(len(offsets) - 1):
        i, end = offsets[document], offsets[document + 1]
        while i < end:
            if not _may_begin(data, i, end, begins):
                i += 1
                continue
            length, _ = _longest_match(data, i, end, fold, byte, children, pattern)
            counts[document] += length > 0
            i += max(length, 1)
    return counts


@kernel
def _count_lines_with(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    begins: NDArray[np.bool_],
    fold: NDArray[np.uint8],
    byte: NDArray[np.uint8],
    children: NDArray[np.int64],
    pattern: NDArray[np.int64],
) -> NDArray[np.int64]:
    counts = np.zeros(len(offsets) - 1, np.int64)
    for document in range(len(offsets) - 1):
        i, end = offsets[document], offsets[document + 1]
        while i < end:
            if _may_begin(data, i, end, begins):
                length, _ = _longest_match(data, i, end, fold, byte, children, pattern)
                if length > 0:
                    counts[document] += 1
                    while i < end and data[i] != 10:
                        i += 1
            i += 1
    return counts


@kernel
def _seen_patterns(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    begins: NDArray[np.bool_],
    fold: NDArray[np.uint8],
    byte: NDArray[np.uint8],
    children: NDArray[np.int64],
    pattern: NDArray[np.int64],
) -> NDArray[np.uint64]:
    seen = np.zeros(len(offsets) - 1, np.uint64)
    for document in range(len(offsets) - 1):
        end = offsets[document + 1]
        for i in range(offsets[document], end):
            if _may_begin(data, i, end, begins):
                _, found = _longest_match(data, i, end, fold, byte, children, pattern)
                seen[document] |= found
    return seen
