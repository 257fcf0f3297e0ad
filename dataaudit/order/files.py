"""Opens files of sample numbers: mapped, never unpickled."""

import tokenize
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dataaudit.errors import ReadError

MAGIC = b"\x93NUMPY"
CHECKED = 1 << 22
"""Numbers that are checked at a time."""


def index_file(path: Path, raw: str | None = None, dimensions: tuple[int, ...] = (1,)) -> NDArray[Any]:
    """Maps a file of whole numbers into memory.

    Args:
        path: a ``.npy`` file.
        raw: the type of a file without a header; None when it must have one.
        dimensions: how many it may have.

    Raises:
        ReadError: it cannot be opened, is empty, or holds something else.
    """
    try:
        with path.open("rb") as file:
            is_npy = file.read(len(MAGIC)) == MAGIC
        if not is_npy and raw is None:
            raise ReadError(f"{path}: no .npy file (its first bytes are not those of NumPy's format).")
        numbers: NDArray[Any] = (
            np.load(path, mmap_mode="r", allow_pickle=False) if is_npy else np.memmap(path, np.dtype(raw), mode="r")
        )
    except OSError as error:
        raise ReadError(f"{path}: cannot be opened ({error.strerror or error}).") from error
    except (ValueError, SyntaxError, RecursionError, tokenize.TokenError) as error:
        raise ReadError(
            f"{path}: cannot be read as numbers: {str(error).rstrip('.')}. The file is cut off or damaged."
        ) from error
    if not np.issubdtype(numbers.dtype, np.integer) or numbers.ndim not in dimensions or not numbers.size:
        shape = " × ".join(str(each) for each in numbers.shape)
        raise ReadError(f"{path}: expected whole numbers in one list; found {numbers.dtype}, {shape or 'one number'}.")
    return numbers


def refuse_outside(numbers: NDArray[Any], samples: int, path: Path) -> None:
    """Makes sure that every number is that of a sample.

    Raises:
        ReadError: one is not, with its place.
    """
    flat = numbers.reshape(-1)
    for first in range(0, len(flat), CHECKED):
        part = flat[first : first + CHECKED]
        outside = np.flatnonzero((part < 0) | (part >= samples))
        if len(outside):
            at = int(outside[0])
            raise ReadError(
                f"{path}: entry {first + at:,} is sample {int(part[at]):,}, but the training set has {samples:,} "
                "samples (counted from 0). Check RUN, --documents, --packing and --seq-len: they make the samples."
            )


def refuse_decreasing(numbers: NDArray[Any], path: Path) -> None:
    """Makes sure that no number is smaller than the one before.

    Raises:
        ReadError: one is, with its place.
    """
    for first in range(0, len(numbers) - 1, CHECKED):
        part = numbers[first : first + CHECKED + 1]
        back = np.flatnonzero(part[1:] < part[:-1])
        if len(back):
            at = int(back[0])
            raise ReadError(
                f"{path}: entry {first + at + 1:,} goes back from {int(part[at]):,} to {int(part[at + 1]):,}, where "
                "places in ascending order were expected. The file is damaged."
            )
