"""What a document's characters are like: how many of each Unicode class, how varied, how long their runs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.decode import Decoded
from dataaudit.kernels.jit import kernel
from dataaudit.kernels.unicode import CLASSES

WINDOW = 500
"""Characters in a window of ``CharacterVariety.window_distinct``."""
CODE_POINTS = 0x110000


class CharacterVariety(NamedTuple):
    """How varied the characters of each document are; every array has one entry a document.

    Attributes:
        distinct: int64, different code points.
        entropy_bits: float64, Shannon entropy of the code points; 0 in an empty document.
        longest_run: int64, length of the longest run of one code point; 0 in an empty document.
        windows: int64, whole windows of 500 characters; 1 for a shorter document that is not empty.
        window_characters: int64, characters in those windows.
        window_distinct: int64, sum over the windows of the different code points in each.
    """

    distinct: NDArray[np.int64]
    entropy_bits: NDArray[np.float64]
    longest_run: NDArray[np.int64]
    windows: NDArray[np.int64]
    window_characters: NDArray[np.int64]
    window_distinct: NDArray[np.int64]


def count_classes(decoded: Decoded) -> NDArray[np.int64]:
    """Returns int64[CLASSES, documents]: how many characters of each Unicode class a document has."""
    documents = len(decoded.offsets) - 1
    row = 8 * ((documents + 7) // 8 | 1)  # an odd number of cache lines: else all rows fall into the same cache set
    counts = np.zeros((CLASSES, row), np.int64)
    _count_classes(decoded.classes, decoded.offsets, counts)
    return counts[:, :documents]


@kernel
def _count_classes(classes: NDArray[np.uint8], offsets: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
    for document in range(len(offsets) - 1):
        for i in range(offsets[document], offsets[document + 1]):
            counts[classes[i], document] += 1


def variety(decoded: Decoded) -> CharacterVariety:
    """Returns how varied the characters of each document are; 18 MB of scratch memory, whatever the document."""
    counts, last_window = np.zeros(CODE_POINTS, np.int64), np.zeros(CODE_POINTS, np.int64)
    return _variety(decoded.codepoints, decoded.offsets, counts, last_window)


@kernel
def _variety(
    codepoints: NDArray[np.uint32],
    offsets: NDArray[np.int64],
    counts: NDArray[np.int64],
    last_window: NDArray[np.int64],
) -> CharacterVariety:
    """Does the work; the last two are scratch, allocated outside because only there untouched zeros cost nothing."""
    documents = len(offsets) - 1
    distinct, longest = np.zeros(documents, np.int64), np.zeros(documents, np.int64)
    entropy = np.zeros(documents, np.float64)
    windows, window_characters = np.zeros(documents, np.int64), np.zeros(documents, np.int64)
    window_distinct = np.zeros(documents, np.int64)
    touched = np.empty(CODE_POINTS, np.uint32)
    window = 0
    for document in range(documents):
        start, end = offsets[document], offsets[document + 1]
        size = end - start
        if size == 0:
            continue
        windows[document] = max(size // WINDOW, 1)
        window_characters[document] = min(size, windows[document] * WINDOW)
        window_end, windowed = start, start + window_characters[document]
        different, in_windows, run, longest_run = 0, 0, 0, 0
        previous = codepoints[start]
        for i in range(start, end):
            point = codepoints[i]
            if counts[point] == 0:
                touched[different] = point
                different += 1
            counts[point] += 1
            run = run + 1 if point == previous else 1
            longest_run = max(longest_run, run)
            previous = point
            if i == window_end:
                window += 1
                window_end += WINDOW
            if i < windowed and last_window[point] != window:
                last_window[point] = window
                in_windows += 1
        weighted = 0.0
        for k in range(different):
            occurrences = counts[touched[k]]
            counts[touched[k]] = 0
            if occurrences > 1:
                weighted += occurrences * np.log2(occurrences)
        distinct[document], longest[document], window_distinct[document] = different, longest_run, in_windows
        entropy[document] = max(np.log2(size) - weighted / size, 0.0)
    return CharacterVariety(distinct, entropy, longest, windows, window_characters, window_distinct)
