"""The walk of C4's page rules: which lines of a document would stay, and how many sentences they hold."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.decode import Decoded
from dataaudit.kernels.jit import kernel
from dataaudit.kernels.lines import Lines
from dataaudit.kernels.unicode import FLAGS, SPACE, WORDLIKE, categories, characters, having
from dataaudit.kernels.words import Words

MOST_WORD_CHARACTERS = 1000
FEWEST_WORDS = 3
LOREM_IPSUM, JAVASCRIPT, POLICY = range(3)
POLICY_PHRASES = ("terms of use", "privacy policy", "cookie policy", "uses cookies", "use of cookies", "use cookies")
_PHRASES = {"lorem ipsum": LOREM_IPSUM, "javascript": JAVASCRIPT, **dict.fromkeys(POLICY_PHRASES, POLICY)}
_CITATIONS = ("[edit]", "[citation needed]")
_BRACE, _OPEN, _CLOSE, _FULL_STOP, _ZERO, _NINE = (ord(character) for character in "{[].09")
_FIRST_WIDE = 0x2E80
"""Sentence ends from here on are of scripts that put no space after them."""

ENDS_LINE, ENDS_SENTENCE, CLOSES = 1, 2, 4
_QUOTES = characters('"”」』')
_MARKS = (
    np.where(having("is_end_mark") & ~characters("…"), ENDS_LINE, 0)
    | np.where(having("is_end_mark") & ~characters("…") & ~_QUOTES, ENDS_SENTENCE, 0)
    | np.where(categories("Pe Pf") | _QUOTES, CLOSES, 0)
).astype(np.uint8)


class PageWalk(NamedTuple):
    """What C4's rules find in each document; every array is int64, with one entry a document.

    Attributes:
        kept: lines that stay.
        sentences: sentences in them.
        braces: lines with a {, among those that the rules before it leave.
        lorem_ipsum: the same for lines with "lorem ipsum".
    """

    kept: NDArray[np.int64]
    sentences: NDArray[np.int64]
    braces: NDArray[np.int64]
    lorem_ipsum: NDArray[np.int64]


def walk_pages(decoded: Decoded, lines: Lines, words: Words) -> PageWalk:
    """Returns what C4's rules find, line after line, in their order."""
    documents = len(decoded.offsets) - 1
    found = PageWalk(*(np.zeros(documents, np.int64) for _ in PageWalk._fields))
    longest = int((lines.stops - lines.starts).max(initial=0))
    scratch = np.empty(longest, np.int64)
    phrases, phrase_of = _spelled(tuple(_PHRASES)), np.array(list(_PHRASES.values()), np.int64)
    _walk_pages(
        decoded.codepoints,
        decoded.classes,
        lines.offsets,
        lines.starts,
        lines.stops,
        words.offsets,
        words.starts,
        words.stops,
        FLAGS,
        _MARKS,
        phrases,
        phrase_of,
        _spelled(_CITATIONS),
        scratch,
        *found,
    )
    return found


def _spelled(phrases: tuple[str, ...]) -> NDArray[np.uint32]:
    """Returns uint32[phrases, longest + 1]: the code points of each phrase, 0 behind its end."""
    spelled = np.zeros((len(phrases), max(map(len, phrases)) + 1), np.uint32)
    for row, phrase in enumerate(phrases):
        spelled[row, : len(phrase)] = [ord(character) for character in phrase]
    return spelled


@kernel
def _walk_pages(
    codepoints: NDArray[np.uint32],
    classes: NDArray[np.uint8],
    line_offsets: NDArray[np.int64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    word_offsets: NDArray[np.int64],
    word_starts: NDArray[np.int64],
    word_stops: NDArray[np.int64],
    flags: NDArray[np.uint16],
    marks: NDArray[np.uint8],
    phrases: NDArray[np.uint32],
    phrase_of: NDArray[np.int64],
    citations: NDArray[np.uint32],
    scratch: NDArray[np.int64],
    kept: NDArray[np.int64],
    sentences: NDArray[np.int64],
    braces: NDArray[np.int64],
    lorem_ipsum: NDArray[np.int64],
) -> None:
    first = np.zeros(128, np.bool_)
    first[phrases[:, 0]] = True
    for document in range(len(line_offsets) - 1):
        word, last_word = word_offsets[document], word_offsets[document + 1]
        for line in range(line_offsets[document], line_offsets[document + 1]):
            words = longest = 0
            while word < last_word and word_starts[word] < stops[line]:
                longest = max(longest, word_stops[word] - word_starts[word])
                words += 1
                word += 1
            last = stops[line] - 1
            is_cited = codepoints[last] == _CLOSE
            if longest > MOST_WORD_CHARACTERS or words < FEWEST_WORDS:
                continue
            if not is_cited and marks[classes[last]] & ENDS_LINE == 0:
                continue
            size = _without_citations(codepoints, starts[line], stops[line], citations, scratch)
            if size == 0:
                continue
            if marks[classes[scratch[size - 1]]] & ENDS_LINE == 0 or _ends_with_dots(codepoints, scratch, size):
                continue
            said, brace = _said(codepoints, scratch, size, phrases, phrase_of, first)
            if said & 1 << LOREM_IPSUM:
                lorem_ipsum[document] += 1
            elif said & 1 << JAVASCRIPT:
                continue
            elif brace:
                braces[document] += 1
            elif said & 1 << POLICY == 0:
                kept[document] += 1
                sentences[document] += _count_sentences(codepoints, classes, scratch, size, flags, marks)


@kernel
def _without_citations(
    codepoints: NDArray[np.uint32], start: int, stop: int, citations: NDArray[np.uint32], scratch: NDArray[np.int64]
) -> int:
    """Writes the places of a line's characters outside [1], [], [edit] and [citation needed]; returns how many."""
    size, i = 0, start
    while i < stop:
        if codepoints[i] == _OPEN:
            end = i + 1
            while end < stop and _ZERO <= codepoints[end] <= _NINE:
                end += 1
            if end < stop and codepoints[end] == _CLOSE:
                i = end + 1
                continue
            skipped = 0
            for row in range(len(citations)):
                length = 0
                while citations[row, length] and i + length < stop and codepoints[i + length] == citations[row, length]:
                    length += 1
                if citations[row, length] == 0:
                    skipped = length
            if skipped:
                i += skipped
                continue
        scratch[size] = i
        size += 1
        i += 1
    return size


@kernel
def _ends_with_dots(codepoints: NDArray[np.uint32], scratch: NDArray[np.int64], size: int) -> bool:
    dots = 0
    while dots < min(size, 3) and codepoints[scratch[size - 1 - dots]] == _FULL_STOP:
        dots += 1
    return dots == 3


@kernel
def _said(
    codepoints: NDArray[np.uint32],
    scratch: NDArray[np.int64],
    size: int,
    phrases: NDArray[np.uint32],
    phrase_of: NDArray[np.int64],
    first: NDArray[np.bool_],
) -> tuple[int, bool]:
    """Returns which groups of phrases a line holds, as bits, and whether it has a {; A-Z in either case.

    *first* says which ASCII characters begin a phrase.
    """
    said, brace = 0, False
    for i in range(size):
        point = codepoints[scratch[i]]
        brace |= point == _BRACE
        if point >= 128 or not first[point | np.uint32(32)]:
            continue
        for row in range(len(phrases)):
            if point | np.uint32(32) != phrases[row, 0]:
                continue
            length = 1
            while phrases[row, length] and i + length < size:
                other = codepoints[scratch[i + length]]
                if np.uint32(65) <= other <= np.uint32(90):
                    other += np.uint32(32)
                if other != phrases[row, length]:
                    break
                length += 1
            if phrases[row, length] == 0:
                said |= 1 << phrase_of[row]
    return said, brace


@kernel
def _count_sentences(
    codepoints: NDArray[np.uint32],
    classes: NDArray[np.uint8],
    scratch: NDArray[np.int64],
    size: int,
    flags: NDArray[np.uint16],
    marks: NDArray[np.uint8],
) -> int:
    """Returns the sentences of a line, at least 1: each holds a letter or number and ends with a mark or the line."""
    sentences, wordlike, i = 0, False, 0
    while i < size:
        here = classes[scratch[i]]
        wordlike |= flags[here] & WORDLIKE != 0
        if wordlike and marks[here] & ENDS_SENTENCE:
            wide = codepoints[scratch[i]] >= _FIRST_WIDE
            while i + 1 < size and marks[classes[scratch[i + 1]]] & (ENDS_SENTENCE | CLOSES):
                i += 1
            if wide or i + 1 == size or flags[classes[scratch[i + 1]]] & SPACE:
                sentences += 1
                wordlike = False
        i += 1
    return max(sentences + wordlike, 1)
