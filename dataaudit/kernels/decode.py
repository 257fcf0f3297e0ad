"""UTF-8 to code points and their Unicode classes, once per batch for all kernels that read characters."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel
from dataaudit.kernels.unicode import CLASS_CELLS, CLASS_PAGES


class Decoded(NamedTuple):
    """The characters of a batch of documents, one document after the other.

    Attributes:
        codepoints: uint32[n], the code points.
        classes: uint8[n], the Unicode class of each (see ``kernels.unicode``).
        offsets: int64[documents + 1], where each document starts in them.
    """

    codepoints: NDArray[np.uint32]
    classes: NDArray[np.uint8]
    offsets: NDArray[np.int64]


def decode(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Decoded:
    """Returns the characters of UTF-8 texts; 5 bytes of memory a character.

    Args:
        data: the bytes of all documents, valid UTF-8 (as Arrow strings are).
        offsets: where each document starts in *data*, and its end.

    Raises:
        ValueError: if the bytes cannot be UTF-8 (not every fault is found; readers check).
    """
    starts = _count_characters(data, offsets)
    codepoints, classes = np.empty(starts[-1], np.uint32), np.empty(starts[-1], np.uint8)
    if _decode(data, CLASS_PAGES, CLASS_CELLS, codepoints, classes) != len(data):
        raise ValueError("texts are not valid UTF-8: decode them with replacement before they are measured")
    return Decoded(codepoints, classes, starts)


@kernel
def _count_characters(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    starts = np.zeros(len(offsets), np.int64)
    for document in range(len(offsets) - 1):
        characters = 0
        for position in range(offsets[document], offsets[document + 1]):
            characters += (data[position] & 0xC0) != 0x80
        starts[document + 1] = starts[document] + characters
    return starts


@kernel
def _decode(
    data: NDArray[np.uint8],
    pages: NDArray[np.uint8],
    cells: NDArray[np.uint8],
    codepoints: NDArray[np.uint32],
    classes: NDArray[np.uint8],
) -> int:
    """Fills *codepoints* and *classes*; returns how many bytes were read, or -1 at a fault."""
    ascii_cells = cells[np.int64(pages[0]) * 256 : np.int64(pages[0]) * 256 + 128].copy()
    size, i = len(data), 0
    for out in range(len(codepoints)):
        if i >= size:
            return -1
        lead = np.uint32(data[i])
        if lead < 0x80:
            codepoints[out] = lead
            classes[out] = ascii_cells[lead]
            i += 1
            continue
        length = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        if lead < 0xC0 or i + length > size:
            return -1
        point = lead & (np.uint32(0x7F) >> np.uint32(length))
        for k in range(1, length):
            point = point << np.uint32(6) | (np.uint32(data[i + k]) & np.uint32(0x3F))
        if point >= 0x110000:
            return -1
        i += length
        codepoints[out] = point
        classes[out] = cells[np.int64(pages[point >> np.uint32(8)]) * 256 + np.int64(point & np.uint32(0xFF))]
    return i
