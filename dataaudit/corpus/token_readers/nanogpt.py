"""nanoGPT: ids and nothing else; an end-of-text id stands after every document."""

from collections.abc import Iterator

import pyarrow as pa

from dataaudit.corpus.columns import Column
from dataaudit.corpus.documents import CorpusFile, Piece, RawBatch, ReadOptions, Tally
from dataaudit.corpus.readers import Span
from dataaudit.corpus.token_arrays.delimited import cut_delimited, stream_sequences
from dataaudit.corpus.token_arrays.documents import array_records, read_arrays
from dataaudit.corpus.token_arrays.id_types import guessed
from dataaudit.corpus.token_arrays.naming import suffix_of
from dataaudit.corpus.token_layout import TokenHints, TokenLayout
from dataaudit.corpus.token_readers import Recognised


def recognises(file: CorpusFile, _head: bytes) -> Recognised | None:
    """A name with ``.bin``: nothing in the file says more."""
    return "name" if suffix_of(file.name) == ".bin" else None


def columns(_file: CorpusFile, _compression: str | None) -> list[Column]:
    """Returns nothing: a token array has no columns."""
    return []


def cut(file: CorpusFile, _compression: str | None, options: ReadOptions, target_bytes: int) -> list[Span]:
    """Returns parts that end where documents end."""
    hints = options.tokens or TokenHints()
    dtype, dtype_from = guessed(hints)
    layout = TokenLayout(dtype=dtype, dtype_from=dtype_from, delimited_by="length")
    return cut_delimited(file, layout, hints, target_bytes)


def read(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yields the documents."""
    return read_arrays(piece, options, tally, stream_sequences)


def records(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[RawBatch]:
    """Yields the documents as rows of a table."""
    return array_records(piece, options, tally, stream_sequences)
