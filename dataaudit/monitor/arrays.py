"""Whole numbers of a batch, whatever holds them: lists, NumPy arrays, tensors of any library."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.errors import UsageError

SHAPES = "Expected ids as a 2-D array or tensor, or as a list with a list of whole numbers for each sample."


class Rows(NamedTuple):
    """Numbers of several samples, one sample after the other.

    Attributes:
        values: int64[n].
        offsets: int64[rows + 1], where each sample starts in them.
        width: length of every sample, when they came as a 2-D array.
    """

    values: NDArray[np.int64]
    offsets: NDArray[np.int64]
    width: int | None

    @property
    def rows(self) -> int:
        """Number of samples."""
        return len(self.offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """int64[rows]."""
        return np.diff(self.offsets)

    def sums(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """Returns the sum over each sample of *values*, which are as many as the numbers."""
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(values, dtype=np.int64)])
        found: NDArray[np.int64] = before[self.offsets[1:]] - before[self.offsets[:-1]]
        return found

    def only(self, kept: NDArray[np.bool_]) -> "Rows":
        """Returns the numbers that are *kept*."""
        if kept.all():
            return self
        lengths = self.sums(kept)
        return Rows(self.values[kept], np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]), None)


def to_array(value: Any) -> NDArray[Any]:
    """Returns an array or tensor as a NumPy array; a tensor is fetched from its device."""
    if hasattr(value, "detach"):
        value = value.detach()
        value = value.cpu() if hasattr(value, "cpu") else value
        value = value.numpy() if hasattr(value, "numpy") else value
    return np.asarray(value)


def is_array(value: Any) -> bool:
    """Says whether a value is an array or a tensor."""
    return hasattr(value, "shape") and hasattr(value, "dtype")


def dimensions(value: Any) -> int:
    """Returns how deep a batch's column is nested: 1 for a number a sample, 2 for a row of numbers a sample."""
    if is_array(value):
        return len(value.shape)
    depth = 0
    while isinstance(value, Sequence) and not isinstance(value, str):
        depth += 1
        if not len(value):
            break
        value = value[0]
        if is_array(value):
            return depth + len(value.shape)
    return depth


def rows_of(value: Any, what: str) -> Rows:
    """Returns the numbers of a batch; a single row of numbers is one sample.

    Raises:
        UsageError: they are no whole numbers, or not in rows.
    """
    deep = dimensions(value)
    if deep == 1:
        value, deep = ([value] if not is_array(value) else value[None]), 2
    if deep != 2:
        raise UsageError(f"{what} has {deep} dimensions. {SHAPES}")
    if is_array(value):
        block = _whole(to_array(value), what)
        return Rows(block.reshape(-1), np.arange(len(block) + 1, dtype=np.int64) * block.shape[1], block.shape[1])
    parts = [_whole(to_array(each), what) for each in value]
    if any(part.ndim != 1 for part in parts):
        raise UsageError(f"{what} is nested unevenly. {SHAPES}")
    lengths = np.array([len(part) for part in parts], np.int64)
    width = int(lengths[0]) if len(lengths) and (lengths == lengths[0]).all() else None
    values = np.concatenate([np.zeros(0, np.int64), *parts])
    return Rows(values, np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]), width)


def _whole(array: NDArray[Any], what: str) -> NDArray[np.int64]:
    """Returns whole numbers as int64; unsigned ones that are too large become negative, and so stay out of range."""
    if array.dtype.kind in "iu" or not array.size:
        return np.ascontiguousarray(array, np.int64)
    if array.dtype.kind == "b" and what == "attention_mask":
        return array.astype(np.int64)
    raise UsageError(f"{what} holds values of type {array.dtype}, not whole numbers. {SHAPES}")
