"""Numbers about the lines of each document."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.decode import Decoded
from dataaudit.kernels.jit import kernel
from dataaudit.kernels.lines import Lines
from dataaudit.kernels.unicode import END_MARK, FLAGS

SHORT_LINE = 30
"""Characters of the longest line that is called short."""
_BULLET, _HYPHEN, _ELLIPSIS, _FULL_STOP = (ord(character) for character in "•-….")


class LineStatistics(NamedTuple):
    """Numbers about the lines of each document; every array is int64, with one entry a document.

    Attributes:
        characters: characters in lines.
        longest: characters in the longest line, 0 when there is none.
        short: lines of at most 30 characters.
        bullet: lines that start with • or -.
        ellipsis: lines that end with ... or ….
        end_mark: lines that end with a mark of ``kernels.unicode.END_MARK``.
    """

    characters: NDArray[np.int64]
    longest: NDArray[np.int64]
    short: NDArray[np.int64]
    bullet: NDArray[np.int64]
    ellipsis: NDArray[np.int64]
    end_mark: NDArray[np.int64]


def line_statistics(decoded: Decoded, lines: Lines) -> LineStatistics:
    """Returns numbers about the lines of each document."""
    return _line_statistics(decoded.codepoints, decoded.classes, FLAGS, lines.offsets, lines.starts, lines.stops)


@kernel
def _line_statistics(
    codepoints: NDArray[np.uint32],
    classes: NDArray[np.uint8],
    flags: NDArray[np.uint16],
    offsets: NDArray[np.int64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
) -> LineStatistics:
    documents = len(offsets) - 1
    characters, longest = np.zeros(documents, np.int64), np.zeros(documents, np.int64)
    short, bullet = np.zeros(documents, np.int64), np.zeros(documents, np.int64)
    ellipsis, end_mark = np.zeros(documents, np.int64), np.zeros(documents, np.int64)
    for document in range(documents):
        for line in range(offsets[document], offsets[document + 1]):
            start, stop = starts[line], stops[line]
            first, last = codepoints[start], codepoints[stop - 1]
            characters[document] += stop - start
            longest[document] = max(longest[document], stop - start)
            short[document] += stop - start <= SHORT_LINE
            bullet[document] += first in (_BULLET, _HYPHEN)
            ellipsis[document] += last == _ELLIPSIS or (
                stop - start >= 3
                and last == _FULL_STOP
                and codepoints[stop - 2] == _FULL_STOP
                and codepoints[stop - 3] == _FULL_STOP
            )
            end_mark[document] += flags[classes[stop - 1]] & END_MARK != 0
    return LineStatistics(characters, longest, short, bullet, ellipsis, end_mark)
