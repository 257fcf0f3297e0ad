"""What several signals of a batch share; use them through ``batch.once``, so that each is computed once."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.decode import Decoded, decode
from dataaudit.kernels.lines import Lines, lines, paragraphs
from dataaudit.kernels.words import Words, words
from dataaudit.signals.batch import DocumentBatch

__all__ = ["Decoded", "Lines", "Words", "decoded", "lines_of", "null_where", "paragraphs_of", "words_of"]


def decoded(batch: DocumentBatch) -> Decoded:
    """Returns the characters of the documents."""
    return decode(batch.data, batch.offsets)


def words_of(batch: DocumentBatch) -> Words:
    """Returns the words of the documents."""
    return words(batch.once(decoded))


def lines_of(batch: DocumentBatch) -> Lines:
    """Returns the lines of the documents."""
    return lines(batch.once(decoded))


def paragraphs_of(batch: DocumentBatch) -> Lines:
    """Returns the paragraphs of the documents."""
    return paragraphs(batch.once(decoded))


def null_where(undefined: NDArray[np.bool_], values: NDArray[Any]) -> pa.Array:
    """Returns the values as an Arrow array, null where they are undefined."""
    return pa.array(values, mask=undefined)
