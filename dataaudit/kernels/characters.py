"""What a document's characters are like: how many of each Unicode class, how varied, how long their runs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.decode import Decoded
from dataaudit.kernels.jit import ONE, kernel
from dataaudit.kernels.unicode import CLASSES

WINDOW = 500
"""Characters in a window of ``CharacterVariety.window_distinct``."""
CODE_POINTS = 0x110000
_LONG = 1024
"""Characters from which on a document is counted in four lanes: one lane waits for its last addition."""
_LANE_1, _LANE_2, _LANE_3 = np.uint64(1), np.uint64(2), np.uint64(3)


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
    lanes = np.zeros((4, len(counts)), np.int64)
    for document in range(len(offsets) - 1):
        here = classes[offsets[document] : offsets[document + 1]]
        if len(here) < _LONG:
            for each in here:
                counts[each, document] += 1
            continue
        whole = np.uint64(len(here)) & ~np.uint64(3)
        for i in range(np.uint64(0), whole, np.uint64(4)):
            lanes[0, here[i]] += 1
            lanes[1, here[i + _LANE_1]] += 1
            lanes[2, here[i + _LANE_2]] += 1
            lanes[3, here[i + _LANE_3]] += 1
        for each in here[whole:]:
            lanes[0, each] += 1
        for each in range(len(counts)):
            counts[each, document] = lanes[0, each] + lanes[1, each] + lanes[2, each] + lanes[3, each]
        lanes[:] = 0


def variety(decoded: Decoded) -> CharacterVariety:
    """Returns how varied the characters of each document are; 18 MB of scratch memory, whatever the document."""
    counts, in_window = np.zeros(CODE_POINTS, np.int64), np.zeros(CODE_POINTS, np.int64)
    return _variety(decoded.codepoints, decoded.offsets, counts, in_window)


@kernel
def _variety(
    codepoints: NDArray[np.uint32],
    offsets: NDArray[np.int64],
    counts: NDArray[np.int64],
    in_window: NDArray[np.int64],
) -> CharacterVariety:
    """Does the work; the last two are scratch, allocated outside because only there untouched zeros cost nothing."""
    documents = len(offsets) - 1
    distinct, longest = np.zeros(documents, np.int64), np.zeros(documents, np.int64)
    entropy = np.zeros(documents, np.float64)
    windows, window_characters = np.zeros(documents, np.int64), np.zeros(documents, np.int64)
    window_distinct = np.zeros(documents, np.int64)
    touched, touched_here = np.empty(CODE_POINTS, np.uint32), np.empty(WINDOW, np.uint32)
    for document in range(documents):
        start, end = offsets[document], offsets[document + 1]
        size = end - start
        if size == 0:
            continue
        windows[document] = max(size // WINDOW, 1)
        window_characters[document] = min(size, windows[document] * WINDOW)
        windowed = start + window_characters[document]
        different = 0
        for at in range(start, end, WINDOW):
            here = _count_window(codepoints[at : min(at + WINDOW, end)], in_window, touched_here)
            if at < windowed:
                window_distinct[document] += here
            for k in range(here):
                point = touched_here[k]
                touched[different] = point
                different += counts[point] == 0
                counts[point] += in_window[point]
                in_window[point] = 0
        weighted = 0.0
        for k in range(different):
            occurrences = counts[touched[k]]
            counts[touched[k]] = 0
            if occurrences > 1:
                weighted += occurrences * np.log2(occurrences)
        distinct[document], longest[document] = different, _longest_run(codepoints[start:end])
        entropy[document] = max(np.log2(size) - weighted / size, 0.0)
    return CharacterVariety(distinct, entropy, longest, windows, window_characters, window_distinct)


@kernel
def _count_window(window: NDArray[np.uint32], counts: NDArray[np.int64], touched: NDArray[np.uint32]) -> int:
    """Adds to the counts; writes the different code points and returns how many."""
    different = np.uint64(0)
    for point in window:
        touched[different] = point
        different += np.uint64(counts[point] == 0)
        counts[point] += 1
    return int(different)


@kernel
def _longest_run(codepoints: NDArray[np.uint32]) -> int:
    """Returns the length of the longest run in a text that is not empty.

    A longer run than the longest so far must hold every so-many-th character; most others are never looked at.
    """
    longest, start, size = np.uint64(1), np.uint64(0), np.uint64(len(codepoints))
    while start + longest < size:
        at = start + longest
        while at > start and codepoints[at] == codepoints[at - ONE]:
            at -= ONE
        if at > start:
            start = at
            continue
        stop = start + longest + ONE
        while stop < size and codepoints[stop] == codepoints[start]:
            stop += ONE
        longest, start = stop - start, stop
    return int(longest)
