"""What several signals of a batch share; use them through ``batch.once``, so that each is computed once."""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.decode import Decoded, decode
from dataaudit.kernels.lines import Lines, LinesAndParagraphs, lines_and_paragraphs
from dataaudit.kernels.words import Words, words
from dataaudit.signals.batch import DocumentBatch

__all__ = [
    "WORD_BUCKETS",
    "Decoded",
    "Lines",
    "WordBuckets",
    "Words",
    "decoded",
    "lines_of",
    "null_where",
    "paragraphs_of",
    "word_buckets",
    "words_of",
]

WORD_BUCKETS = 1 << 16
"""Words are counted in so many buckets when there is no tokenizer."""


class WordBuckets(NamedTuple):
    """The words of a batch that have a letter or the like, one document after the other.

    Attributes:
        buckets: int64[n], the bucket of each, by its hash in lower case and without ASCII punctuation.
        offsets: int64[documents + 1], where each document starts in them.
        held: bool[words], which of all words they are.
    """

    buckets: NDArray[np.int64]
    offsets: NDArray[np.int64]
    held: NDArray[np.bool_]


def decoded(batch: DocumentBatch) -> Decoded:
    """Returns the characters of the documents."""
    return decode(batch.data, batch.offsets)


def words_of(batch: DocumentBatch) -> Words:
    """Returns the words of the documents."""
    return words(batch.once(decoded))


def word_buckets(batch: DocumentBatch) -> WordBuckets:
    """Returns the bucket of each word of the documents."""
    found = batch.once(words_of)
    held = found.norm_lengths > 0
    buckets = (found.norm_hashes[held] & np.uint64(WORD_BUCKETS - 1)).astype(np.int64)
    before = np.concatenate([[0], np.cumsum(held)])
    return WordBuckets(buckets, before[found.offsets], held)


def _lines_and_paragraphs(batch: DocumentBatch) -> LinesAndParagraphs:
    return lines_and_paragraphs(batch.once(decoded))


def lines_of(batch: DocumentBatch) -> Lines:
    """Returns the lines of the documents."""
    return batch.once(_lines_and_paragraphs).lines


def paragraphs_of(batch: DocumentBatch) -> Lines:
    """Returns the paragraphs of the documents."""
    return batch.once(_lines_and_paragraphs).paragraphs


def null_where(undefined: NDArray[np.bool_], values: NDArray[Any]) -> pa.Array:
    """Returns the values as an Arrow array, null where they are undefined."""
    return pa.array(values, mask=undefined)
