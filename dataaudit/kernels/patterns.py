"""Literal strings in texts: any number of them at once, by one walk over the UTF-8 bytes."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import ONE, kernel


class Trie(NamedTuple):
    """Patterns as a tree of bytes; its nodes are numbered level by level, so that siblings stand side by side.

    Attributes:
        begins: bool[65536], by first byte << 8 | second byte: whether a pattern begins so.
        begin: int32[65536], by first byte << 8 | second byte: the node of the two, or of the first alone when that is a
            pattern, or 0 when no pattern begins so.
        fold: uint8[256], what each byte is compared as.
        byte: uint8[nodes], the byte that leads to each node.
        children: int64[nodes + 1], where the children of each node start.
        pattern: int64[nodes], the pattern that ends at each node, or -1.
    """

    begins: NDArray[np.bool_]
    begin: NDArray[np.int32]
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
    spelled = [bytes(fold[list(pattern.encode("utf-8", "surrogatepass"))]) for pattern in patterns]
    prefixes = {word[:size] for word in spelled for size in range(1, len(word) + 1)}
    nodes = [b"", *sorted(prefixes, key=lambda prefix: (len(prefix), prefix))]
    number = {prefix: node for node, prefix in enumerate(nodes)}
    parents = np.array([number[prefix[:-1]] for prefix in nodes[1:]], np.int64)
    pattern_of = np.full(len(nodes), -1, np.int64)
    for index, word in enumerate(spelled):
        if word:
            pattern_of[number[word]] = index
    begin = np.zeros((256, 256), np.int32)
    for word in sorted(filter(None, spelled), key=len, reverse=True):
        first = fold == word[0]
        second = fold == word[1] if len(word) > 1 else np.ones(256, np.bool_)
        begin[first[:, None] & second] = number[word[:2]]
    children = np.searchsorted(parents, np.arange(len(nodes) + 1)).astype(np.int64) + 1
    byte = np.array([0, *(prefix[-1] for prefix in nodes[1:])], np.uint8)
    return Trie((begin > 0).reshape(-1), begin.reshape(-1), fold, byte, children, pattern_of)


class Matches(NamedTuple):
    """Where patterns stand, counted by group of patterns.

    Attributes:
        occurrences: int64[groups, documents], the longest pattern at each place, none overlapping another.
        lines: int64[groups, documents], lines with an occurrence; known only when LF is one of the patterns.
    """

    occurrences: NDArray[np.int64]
    lines: NDArray[np.int64]


LINE_FEED = -1
"""The group of the pattern LF, which ends a line."""


def count_matches(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], patterns: Trie, group_of: NDArray[np.int64]
) -> Matches:
    """Returns how often patterns of each group occur in each text; ``group_of[p]`` is the group of pattern p.

    The time is at most proportional to the text times the longest pattern, however many there are.
    """
    groups = max(int(group_of.max(initial=LINE_FEED)) + 1, 1)
    return _count_matches(data, offsets, *patterns, group_of, groups)


def count_distinct(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], strings: tuple[str, ...], groups: Sequence[Sequence[int]]
) -> NDArray[np.int64]:
    """Returns int64[documents, groups]: how many of each group's strings a text holds, overlapping ones too.

    There may be at most 64 strings; *groups* names the strings of each group by their number.
    """
    seen = _seen_patterns(data, offsets, *trie(strings), _prefixes(strings))
    masks = np.array([sum(1 << string for string in group) for group in groups], np.uint64)
    counts: NDArray[np.int64] = np.bitwise_count(seen[:, None] & masks).astype(np.int64)
    return counts


@lru_cache(maxsize=16)
def _prefixes(strings: tuple[str, ...]) -> NDArray[np.uint64]:
    """Returns as bits, for each string, which strings it begins with."""
    bits = [sum(1 << k for k, each in enumerate(strings) if string.startswith(each)) for string in strings]
    return np.array(bits, np.uint64)


@kernel
def _two_bytes(data: NDArray[np.uint8], i: np.uint64, end: np.uint64) -> np.uint64:
    """Returns the place in ``Trie.begin`` of what stands at *i*."""
    second = data[i + ONE] if i + ONE < end else np.uint8(0xFF)  # which is in no UTF-8
    return np.uint64(data[i]) << np.uint64(8) | np.uint64(second)


@kernel
def _longest_match(
    data: NDArray[np.uint8],
    start: np.int64,
    node: int,
    end: np.int64,
    fold: NDArray[np.uint8],
    byte: NDArray[np.uint8],
    children: NDArray[np.int64],
    pattern: NDArray[np.int64],
) -> tuple[np.int64, np.int64]:
    """Returns the longest pattern at *start*, or -1, and its length; *node* is where its first bytes lead."""
    found, length = np.int64(-1), np.int64(1)
    position = start + 1 if node < children[1] else start + 2
    while True:
        if pattern[node] >= 0:
            found, length = pattern[node], position - start
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
    return found, length


@kernel
def _count_matches(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    begins: NDArray[np.bool_],
    begin: NDArray[np.int32],
    fold: NDArray[np.uint8],
    byte: NDArray[np.uint8],
    children: NDArray[np.int64],
    pattern: NDArray[np.int64],
    group_of: NDArray[np.int64],
    groups: int,
) -> Matches:
    occurrences = np.zeros((groups, len(offsets) - 1), np.int64)
    lines = np.zeros((groups, len(offsets) - 1), np.int64)
    last_line = np.full(groups, -1, np.int64)
    line = 0
    for document in range(len(offsets) - 1):
        i, end = np.uint64(offsets[document]), np.uint64(offsets[document + 1])
        line += 1
        while i < end:
            first = _two_bytes(data, i, end)
            if not begins[first]:
                i += ONE
                continue
            found, length = _longest_match(
                data, np.int64(i), begin[first], np.int64(end), fold, byte, children, pattern
            )
            i += np.uint64(length)
            if found < 0:
                continue
            group = group_of[found]
            if group == LINE_FEED:
                line += 1
                continue
            occurrences[group, document] += 1
            if last_line[group] != line:
                last_line[group] = line
                lines[group, document] += 1
    return Matches(occurrences, lines)


@kernel
def _seen_patterns(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    begins: NDArray[np.bool_],
    begin: NDArray[np.int32],
    fold: NDArray[np.uint8],
    byte: NDArray[np.uint8],
    children: NDArray[np.int64],
    pattern: NDArray[np.int64],
    bits: NDArray[np.uint64],
) -> NDArray[np.uint64]:
    seen = np.zeros(len(offsets) - 1, np.uint64)
    for document in range(len(offsets) - 1):
        end = np.uint64(offsets[document + 1])
        for i in range(np.uint64(offsets[document]), end):
            first = _two_bytes(data, np.uint64(i), end)
            if begins[first]:
                found, _ = _longest_match(data, np.int64(i), begin[first], np.int64(end), fold, byte, children, pattern)
                if found >= 0:
                    seen[document] |= bits[found]
    return seen
