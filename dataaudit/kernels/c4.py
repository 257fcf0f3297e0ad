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

ENDS_LINE, ENDS_SENTENCE, CLOSES, BLANK, WORDY = 1, 2, 4, 8, 16
_QUOTES = characters('"”」』')
_MARKS = (
    np.where(having("is_end_mark") & ~characters("…"), ENDS_LINE, 0)
    | np.where(having("is_end_mark") & ~characters("…") & ~_QUOTES, ENDS_SENTENCE, 0)
    | np.where(categories("Pe Pf") | _QUOTES, CLOSES, 0)
    | np.where(FLAGS & SPACE, BLANK, 0)
    | np.where(FLAGS & WORDLIKE, WORDY, 0)
).astype(np.uint8)
"""What each Unicode class is to this walk."""


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
        _MARKS,
        phrases,
        phrase_of,
        _first_pairs(phrases),
        _spelled(_CITATIONS),
        np.empty(longest, np.uint32),
        np.empty(longest, np.uint8),
        *found,
    )
    return found


def _spelled(phrases: tuple[str, ...]) -> NDArray[np.uint32]:
    """Returns uint32[phrases, longest + 1]: the code points of each phrase, 0 behind its end."""
    spelled = np.zeros((len(phrases), max(map(len, phrases)) + 1), np.uint32)
    for row, phrase in enumerate(phrases):
        spelled[row, : len(phrase)] = [ord(character) for character in phrase]
    return spelled


def _first_pairs(phrases: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Returns bool[128 * 128]: whether a phrase begins with the one character and the other, in either case."""
    pairs = np.zeros((128, 128), np.bool_)
    for first, second in phrases[:, :2].tolist():
        pairs[np.ix_([first, first ^ 32], [second, second ^ 32])] = True
    return pairs.ravel()


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
    marks: NDArray[np.uint8],
    phrases: NDArray[np.uint32],
    phrase_of: NDArray[np.int64],
    pairs: NDArray[np.bool_],
    citations: NDArray[np.uint32],
    uncited: NDArray[np.uint32],
    uncited_marks: NDArray[np.uint8],
    kept: NDArray[np.int64],
    sentences: NDArray[np.int64],
    braces: NDArray[np.int64],
    lorem_ipsum: NDArray[np.int64],
) -> None:
    for document in range(len(line_offsets) - 1):
        word, last_word = word_offsets[document], word_offsets[document + 1]
        for line in range(line_offsets[document], line_offsets[document + 1]):
            words = longest = 0
            while word < last_word and word_starts[word] < stops[line]:
                longest = max(longest, word_stops[word] - word_starts[word])
                words += 1
                word += 1
            last = stops[line] - 1
            if longest > MOST_WORD_CHARACTERS or words < FEWEST_WORDS:
                continue
            if codepoints[last] != _CLOSE and marks[classes[last]] & ENDS_LINE == 0:
                continue
            size = _without_citations(
                codepoints[starts[line] : stops[line]],
                classes[starts[line] : stops[line]],
                citations,
                marks,
                uncited,
                uncited_marks,
            )
            if size == 0 or uncited_marks[size - 1] & ENDS_LINE == 0 or _ends_with_dots(uncited, size):
                continue
            said, brace = _said(uncited[:size], phrases, phrase_of, pairs)
            if said & 1 << LOREM_IPSUM:
                lorem_ipsum[document] += 1
            elif said & 1 << JAVASCRIPT:
                continue
            elif brace:
                braces[document] += 1
            elif said & 1 << POLICY == 0:
                kept[document] += 1
                sentences[document] += _count_sentences(uncited, uncited_marks[:size])


@kernel
def _without_citations(
    line: NDArray[np.uint32],
    classes: NDArray[np.uint8],
    citations: NDArray[np.uint32],
    marks: NDArray[np.uint8],
    uncited: NDArray[np.uint32],
    uncited_marks: NDArray[np.uint8],
) -> int:
    """Writes a line's characters outside [1], [], [edit] and [citation needed], with their marks; returns how many."""
    size, i = 0, 0
    while i < len(line):
        if line[i] == _OPEN:
            skipped = _citation(line, i, citations)
            if skipped:
                i += skipped
                continue
        uncited[size] = line[i]
        uncited_marks[size] = marks[classes[i]]
        size += 1
        i += 1
    return size


@kernel
def _citation(line: NDArray[np.uint32], start: int, citations: NDArray[np.uint32]) -> int:
    """Returns the length of the citation that starts there, or 0."""
    end = start + 1
    while end < len(line) and _ZERO <= line[end] <= _NINE:
        end += 1
    if end < len(line) and line[end] == _CLOSE:
        return end + 1 - start
    skipped = 0
    for row in range(len(citations)):
        length = 0
        while citations[row, length] and start + length < len(line) and line[start + length] == citations[row, length]:
            length += 1
        if citations[row, length] == 0:
            skipped = length
    return skipped


@kernel
def _ends_with_dots(uncited: NDArray[np.uint32], size: int) -> bool:
    dots = 0
    while dots < min(size, 3) and uncited[size - 1 - dots] == _FULL_STOP:
        dots += 1
    return dots == 3


@kernel
def _said(
    line: NDArray[np.uint32], phrases: NDArray[np.uint32], phrase_of: NDArray[np.int64], pairs: NDArray[np.bool_]
) -> tuple[int, bool]:
    """Returns which groups of phrases a line holds, as bits, and whether it has a {; A-Z in either case."""
    said, brace = 0, False
    before = np.uint32(0)
    for i in range(len(line)):
        point = line[i]
        brace |= point == _BRACE
        if point < 128:
            if pairs[before << np.uint32(7) | point]:
                said |= _phrases_at(line, i - 1, phrases, phrase_of)
            before = point
        else:
            before = np.uint32(0)
    return said, brace


@kernel
def _phrases_at(line: NDArray[np.uint32], start: int, phrases: NDArray[np.uint32], phrase_of: NDArray[np.int64]) -> int:
    said = 0
    for row in range(len(phrases)):
        length = 0
        while phrases[row, length] and start + length < len(line):
            other = line[start + length]
            if np.uint32(65) <= other <= np.uint32(90):
                other += np.uint32(32)
            if other != phrases[row, length]:
                break
            length += 1
        if phrases[row, length] == 0:
            said |= 1 << phrase_of[row]
    return said


@kernel
def _count_sentences(line: NDArray[np.uint32], marks: NDArray[np.uint8]) -> int:
    """Returns the sentences of a line, at least 1: each holds a letter or number and ends with a mark or the line."""
    sentences, size, i = 0, len(marks), 0
    seen = np.uint8(0)
    while i < size:
        here = marks[i]
        seen |= here
        if here & ENDS_SENTENCE and seen & WORDY:
            wide = line[i] >= _FIRST_WIDE
            while i + 1 < size and marks[i + 1] & (ENDS_SENTENCE | CLOSES):
                i += 1
            if wide or i + 1 == size or marks[i + 1] & BLANK:
                sentences += 1
                seen = np.uint8(0)
        i += 1
    return max(sentences + (1 if seen & WORDY else 0), 1)
