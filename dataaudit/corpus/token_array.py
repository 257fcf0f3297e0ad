"""Arrays of token ids: which type holds them, and narrowing that never wraps."""

from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Misfit(NamedTuple):
    """An id that is out of range: the place of its document in the batch, its position there, and the id."""

    document: int
    position: int
    id: int


def native(dtype: str) -> np.dtype[Any]:
    """Returns a type in the machine's byte order."""
    return np.dtype(dtype).newbyteorder("=")


def largest_id(dtype: str) -> int:
    """Returns the largest id that an integer type holds."""
    return int(np.iinfo(dtype).max)


def first_misfit(ids: NDArray[Any], offsets: NDArray[np.int64], largest: int) -> Misfit | None:
    """Returns the first id below 0 or above *largest*, or None."""
    if not len(ids) or (ids.min() >= 0 and int(ids.max()) <= largest):
        return None
    # Compared as Python would: an unsigned array has no id below 0, and `largest` may not fit into its type.
    wrong = ids < 0
    if largest <= largest_id(ids.dtype.name):
        wrong |= ids > ids.dtype.type(largest)
    at = int(np.flatnonzero(wrong)[0])
    document = int(np.searchsorted(offsets, at, "right")) - 1
    return Misfit(document, at - int(offsets[document]), int(ids[at]))


def narrowed(ids: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Returns ids as another type, little-endian, the same numbers.

    Raises:
        OverflowError: one does not fit; ``first_misfit`` says which.
    """
    wanted = np.dtype(dtype).newbyteorder("<")
    if ids.dtype == wanted:
        return ids
    if len(ids) and (int(ids.min()) < 0 or int(ids.max()) > largest_id(dtype)):
        raise OverflowError(f"token ids from {int(ids.min())} to {int(ids.max())} do not fit {dtype}")
    return ids.astype(wanted)


class RawIds:
    """Writes ids of one type to a file, one after the other, behind a header of so many bytes."""

    def __init__(self, path: Path, dtype: str, header: int = 0) -> None:
        self._dtype = np.dtype(dtype).newbyteorder("<")
        self._file: BinaryIO = path.open("wb")
        self._file.write(bytes(header))
        self.count = 0

    def write(self, ids: NDArray[Any]) -> None:
        """Appends ids.

        Raises:
            ValueError: they are of another type: they were not narrowed.
        """
        if ids.dtype != self._dtype:
            raise ValueError(f"token ids are {ids.dtype}, the file holds {self._dtype}")
        self._file.write(np.ascontiguousarray(ids).data)
        self.count += len(ids)

    def close(self, header: bytes = b"") -> None:
        """Writes the header, now that what it says is known, and ends the file."""
        self._file.seek(0)
        self._file.write(header)
        self._file.close()
