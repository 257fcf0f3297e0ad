"""Characters that come from reading bytes in the wrong encoding."""

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.decode import Decoded
from dataaudit.kernels.jit import kernel

WINDOWS_1252 = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
"""The characters of Windows-1252's bytes 0x80-0x9F; its five gaps decode to U+0081, 8D, 8F, 90 and 9D."""

LEAD, TRAIL, RUN = 1, 2, 4
_SPAN = 0x10000
_KUN, _JIN, _KAO = (ord(character) for character in "锟斤拷")


def _roles() -> NDArray[np.uint8]:
    """Returns uint8[65536]: the parts that a code point can play."""
    roles = np.zeros(_SPAN, np.uint8)
    roles[0xC2:0xF5] |= LEAD
    roles[0x80:0xC0] |= TRAIL
    roles[[ord(character) for character in WINDOWS_1252]] |= TRAIL
    roles[[ord(character) for character in "烫屯"]] |= RUN
    return roles


_ROLES = _roles()


def count_mojibake(decoded: Decoded) -> NDArray[np.int64]:
    """Returns int64[documents]: characters inside sequences that are typical of a wrong encoding.

    Two kinds. UTF-8 read as Latin-1 or Windows-1252: a character U+00C2-DF followed by one, U+00E0-EF by two, or
    U+00F0-F4 by three characters that stand for the bytes 0x80-0xBF in either encoding ("Ã©", "â€™"). GBK read
    as UTF-8, or memory that was never written: each 锟斤拷, and runs of three or more 烫 or 屯.
    """
    return _count_mojibake(decoded.codepoints, decoded.offsets, _ROLES)


@kernel
def _count_mojibake(
    codepoints: NDArray[np.uint32], offsets: NDArray[np.int64], roles: NDArray[np.uint8]
) -> NDArray[np.int64]:
    counts = np.zeros(len(offsets) - 1, np.int64)
    for document in range(len(offsets) - 1):
        i, end, inside = offsets[document], offsets[document + 1], 0
        while i < end:
            point, length, needed = codepoints[i], 1, 2
            if point < 0xC2 or point >= _SPAN:
                i += 1
                continue
            if roles[point] & LEAD:
                needed = 2 if point < 0xE0 else 3 if point < 0xF0 else 4
                while length < needed and i + length < end:
                    following = codepoints[i + length]
                    if following >= _SPAN or roles[following] & TRAIL == 0:
                        break
                    length += 1
            elif roles[point] & RUN:
                needed = 3
                while i + length < end and codepoints[i + length] == point:
                    length += 1
            elif point == _KUN and i + 2 < end and codepoints[i + 1] == _JIN and codepoints[i + 2] == _KAO:
                length, needed = 3, 3
            if length >= needed:
                inside += length
            i += length  # no character of a broken sequence can begin another
        counts[document] = inside
    return counts
