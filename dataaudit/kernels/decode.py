"""UTF-8 to code points and their Unicode classes, once per batch for all kernels that read characters."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import ONE, kernel
from dataaudit.kernels.unicode import CLASS_CELLS, CLASS_PAGES

_RUN = np.uint64(64)
"""Bytes that are looked at together for being ASCII."""


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
        for byte in data[offsets[document] : offsets[document + 1]]:
            characters += (byte & 0xC0) != 0x80
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
    size, room = np.uint64(len(data)), np.uint64(len(codepoints))
    i = out = np.uint64(0)
    while i < size:
        stop = min(i + _RUN, size)
        if stop - i == _RUN and _is_ascii(data, i) and out + _RUN <= room:
            for k in range(_RUN):
                codepoints[out + k] = data[i + k]
                classes[out + k] = ascii_cells[data[i + k]]
            i, out = stop, out + _RUN
            continue
        while i < stop:
            lead = np.uint32(data[i])
            length = np.uint64(1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4)
            if 0x80 <= lead < 0xC0 or i + length > size or out == room:
                return -1
            point = lead & (np.uint32(0xFF) >> np.uint32(length) if length > ONE else np.uint32(0x7F))
            for k in range(ONE, length):
                point = point << np.uint32(6) | (np.uint32(data[i + k]) & np.uint32(0x3F))
            if point >= 0x110000:
                return -1
            i += length
            codepoints[out] = point
            classes[out] = cells[
                np.uint64(pages[point >> np.uint32(8)]) << np.uint64(8) | np.uint64(point & np.uint32(0xFF))
            ]
            out += ONE
    return int(i) if out == room else -1


@kernel
def _is_ascii(data: NDArray[np.uint8], start: np.uint64) -> np.bool_:
    union = np.uint8(0)
    for k in range(_RUN):
        union |= data[start + k]
    return union < 0x80
