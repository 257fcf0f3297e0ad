"""Arrays as plain text, for states that are kept as JSON."""

import base64
import binascii
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dataaudit.errors import UsageError

MOST_BYTES = 1 << 30
"""No state of a monitor holds an array as large."""


def packed(values: NDArray[Any]) -> str:
    """Returns whole numbers as base64 of compressed int64, or uint64, of little endian."""
    kind = "<u8" if values.dtype.kind == "u" else "<i8"
    return base64.b64encode(zlib.compress(values.astype(kind).tobytes(), 1)).decode("ascii")


def unpacked(text: str, kind: type[np.int64] | type[np.uint64] = np.int64) -> NDArray[Any]:
    """Returns the numbers that ``packed`` was given.

    Raises:
        UsageError: the text is damaged.
    """
    try:
        stream = zlib.decompressobj()
        raw = stream.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
        if not stream.eof:
            raise ValueError("an array ends early")
        return np.frombuffer(raw, np.dtype(kind).newbyteorder("<")).astype(kind)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise UsageError(f"the monitor's state is damaged ({error}). Start without it.") from error
