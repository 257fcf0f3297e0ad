"""Labels of token ids beside which a file says, with a byte for each, whether it gives a loss."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.corpus.documents import SIDE_FIELDS, Piece
from dataaudit.corpus.location import open_binary
from dataaudit.corpus.token_arrays.documents import Sides
from dataaudit.corpus.token_arrays.measuring import layout_of
from dataaudit.corpus.token_arrays.sequences import Part
from dataaudit.corpus.token_arrays.source import TokenSource

IGNORED = -100
"""The label of an id that gives no loss, as losses of PyTorch take it."""


@contextmanager
def labels_of(piece: Piece, path: str) -> Iterator[Sides | None]:
    """Gives what makes the labels of a piece from the file of losses at *path*; None when the piece has none."""
    if not piece.side_columns:
        yield None
        return
    itemsize = np.dtype(layout_of(piece).dtype).itemsize
    header = layout_of(piece).header
    with open_binary(path) as file:
        losses = TokenSource(file, "u1")

        def labels(part: Part, ids: NDArray[Any]) -> list[pa.Array]:
            starts = (part.starts - header) // itemsize
            found = [losses.ids(int(at), int(count)) for at, count in zip(starts, part.lengths, strict=True) if count]
            given = np.concatenate([*found, np.zeros(0, np.uint8)])
            offsets = pa.array(np.concatenate(([0], np.cumsum(part.lengths))))
            if len(given) != len(ids):
                return [pa.nulls(len(part.lengths), SIDE_FIELDS["labels"].type)]
            values = np.where(given != 0, ids.astype(np.int64), IGNORED)
            return [pa.LargeListArray.from_arrays(offsets, pa.array(values)).cast(SIDE_FIELDS["labels"].type)]

        yield labels
