"""The lines and the paragraphs of a batch of documents: where they are, and hashes to compare them by."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.decode import Decoded
from dataaudit.kernels.hashing import BASIS, FOLD, PRIME
from dataaudit.kernels.jit import ONE, kernel
from dataaudit.kernels.unicode import FLAGS, SPACE

LF, CR = 10, 13


class Lines(NamedTuple):
    """Lines, or paragraphs, of all documents, one document after the other.

    They are stripped of white space at both ends (as ``str.strip`` does it) and left out when nothing is left.

    Attributes:
        offsets: int64[documents + 1], where each document's lines start in the other arrays.
        starts: int64[n], index of the first character of each line in the decoded characters.
        stops: int64[n], one past its last character; ``stops - starts`` is its length.
        hashes: uint64[n], hash of its code points (see ``kernels.hashing``).
    """

    offsets: NDArray[np.int64]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    hashes: NDArray[np.uint64]


class LinesAndParagraphs(NamedTuple):
    """The lines, and the paragraphs, of all documents.

    Attributes:
        lines: what LF separates (CR LF too).
        paragraphs: what two or more LF in a row separate (CR LF too). A line that holds only spaces does not separate
            paragraphs, as in datatrove.
    """

    lines: Lines
    paragraphs: Lines


def lines_and_paragraphs(decoded: Decoded) -> LinesAndParagraphs:
    """Returns the lines and the paragraphs, in one walk over the characters."""
    feeds = int(np.count_nonzero(decoded.codepoints == LF)) + len(decoded.offsets)
    lines, paragraphs = _room(decoded, feeds), _room(decoded, feeds // 2 + len(decoded.offsets))
    _find(*decoded, FLAGS, lines, paragraphs)
    return LinesAndParagraphs(_filled(lines), _filled(paragraphs))


def _room(decoded: Decoded, most: int) -> Lines:
    return Lines(
        np.zeros(len(decoded.offsets), np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.uint64),
    )


def _filled(room: Lines) -> Lines:
    size = room.offsets[-1]
    return Lines(room.offsets, room.starts[:size], room.stops[:size], room.hashes[:size])


@kernel
def _find(
    codepoints: NDArray[np.uint32],
    classes: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    flags: NDArray[np.uint16],
    lines: Lines,
    paragraphs: Lines,
) -> None:
    """Walks from line to line; a paragraph goes on from line to line until two feeds follow each other."""
    line, paragraph = np.uint64(0), np.uint64(0)
    for document in range(len(offsets) - 1):
        i, end = np.uint64(offsets[document]), np.uint64(offsets[document + 1])
        opened = False
        paragraph_hash, paragraph_kept, paragraph_stop = BASIS, BASIS, i
        feeds = 0
        while i < end:
            # A line's leading white space: outside of a paragraph it belongs to nothing.
            while i < end and codepoints[i] != LF and flags[classes[i]] & SPACE:
                if opened:
                    if codepoints[i] != CR or i + ONE == end or codepoints[i + ONE] != LF:
                        feeds = 0
                    paragraph_hash = (paragraph_hash ^ np.uint64(codepoints[i])) * PRIME
                i += ONE
            start = stop = i
            if i < end and codepoints[i] != LF:
                if not opened:
                    opened, paragraph_hash = True, BASIS
                    paragraphs.starts[paragraph] = np.int64(i)
                feeds = 0
                running, kept = BASIS, BASIS
                while i < end and codepoints[i] != LF:
                    point = np.uint64(codepoints[i])
                    running = (running ^ point) * PRIME
                    paragraph_hash = (paragraph_hash ^ point) * PRIME
                    i += ONE
                    if flags[classes[i - ONE]] & SPACE == 0:
                        stop, kept, paragraph_kept = i, running, paragraph_hash
                lines.starts[line], lines.stops[line] = np.int64(start), np.int64(stop)
                lines.hashes[line] = kept ^ kept >> FOLD
                line += ONE
                paragraph_stop = stop
            if i < end:
                feeds += 1
                paragraph_hash = (paragraph_hash ^ np.uint64(LF)) * PRIME
                i += ONE
            if opened and (feeds == 2 or i == end):
                paragraphs.stops[paragraph] = np.int64(paragraph_stop)
                paragraphs.hashes[paragraph] = paragraph_kept ^ paragraph_kept >> FOLD
                paragraph += ONE
                opened, feeds = False, 0
        lines.offsets[document + 1], paragraphs.offsets[document + 1] = line, paragraph
