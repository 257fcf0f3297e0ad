"""The lines and the paragraphs of a batch of documents: where they are, and hashes to compare them by."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.decode import Decoded
from dataaudit.kernels.hashing import BASIS, FOLD, PRIME
from dataaudit.kernels.jit import kernel
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


def lines(decoded: Decoded) -> Lines:
    """Returns the lines: what LF separates (CR LF too), stripped, blank ones left out."""
    return _pieces(decoded, 1)


def paragraphs(decoded: Decoded) -> Lines:
    """Returns the paragraphs: what two or more LF in a row separate (CR LF too), stripped, blank ones left out.

    A line that holds only spaces does not separate paragraphs, as in datatrove.
    """
    return _pieces(decoded, 2)


def _pieces(decoded: Decoded, breaks: int) -> Lines:
    return _find_pieces(*decoded, FLAGS, breaks)


@kernel
def _find_pieces(
    codepoints: NDArray[np.uint32],
    classes: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    flags: NDArray[np.uint16],
    breaks: int,
) -> Lines:
    """Finds the pieces; *breaks* is how many LF in a row end one."""
    feeds = 0
    for point in codepoints:
        feeds += point == LF
    most = feeds // breaks + len(offsets)
    piece_offsets, size = np.zeros(len(offsets), np.int64), 0
    starts, stops, hashes = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.uint64)
    for document in range(len(offsets) - 1):
        i, end = offsets[document], offsets[document + 1]
        while i < end:
            while i < end and flags[classes[i]] & SPACE:
                i += 1
            start = stop = i
            feeds = 0
            running, kept = BASIS, BASIS
            while i < end and feeds < breaks:
                point = codepoints[i]
                if point == LF:
                    feeds += 1
                elif point != CR or i + 1 == end or codepoints[i + 1] != LF:
                    feeds = 0
                running = (running ^ np.uint64(point)) * PRIME
                if flags[classes[i]] & SPACE == 0:
                    stop, kept = i + 1, running
                i += 1
            if stop > start:
                starts[size], stops[size], hashes[size] = start, stop, kept ^ kept >> FOLD
                size += 1
        piece_offsets[document + 1] = size
    return Lines(piece_offsets, starts[:size], stops[:size], hashes[:size])
