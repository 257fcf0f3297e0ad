"""NumPy's own ``.npy``: a stream of ids, or a table with a sequence a row."""

import math
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from dataaudit.corpus.columns import Column
from dataaudit.corpus.documents import CorpusFile, Piece, RawBatch, ReadOptions, Tally
from dataaudit.corpus.location import DamageError, open_binary
from dataaudit.corpus.readers import Span
from dataaudit.corpus.token_arrays.delimited import cut_delimited, stream_sequences
from dataaudit.corpus.token_arrays.documents import array_records, read_arrays
from dataaudit.corpus.token_arrays.measuring import layout_of
from dataaudit.corpus.token_arrays.rows import cut_rows, row_sequences
from dataaudit.corpus.token_arrays.sequences import Sequences
from dataaudit.corpus.token_arrays.source import TokenSource
from dataaudit.corpus.token_layout import TokenHints, TokenLayout
from dataaudit.corpus.token_readers import Recognised

_MOST_IDS = 1 << 58
_MAGIC = b"\x93NUMPY"


def recognises(_file: CorpusFile, head: bytes) -> Recognised | None:
    """The magic bytes."""
    return "content" if head.startswith(_MAGIC) else None


def columns(_file: CorpusFile, _compression: str | None) -> list[Column]:
    """Returns nothing: a token array has no columns."""
    return []


def cut(file: CorpusFile, _compression: str | None, options: ReadOptions, target_bytes: int) -> list[Span]:
    """Returns parts that end where documents end, or runs of rows."""
    with open_binary(file.path) as data:
        shape, dtype = _header(data)
        header = data.tell()
    layout = TokenLayout(
        dtype=dtype.str,
        dtype_from="header",
        delimited_by="row" if len(shape) == 2 else "length",
        header=header,
        length=shape[1] if len(shape) == 2 else None,
        declared=math.prod(shape),
        declared_by="header",
    )
    if len(shape) == 2:
        return cut_rows(file, layout, shape[0], target_bytes)
    return cut_delimited(file, layout, options.tokens or TokenHints(), target_bytes)


def _header(file: BinaryIO) -> tuple[tuple[int, ...], "np.dtype[np.generic]"]:
    """Returns shape and type; the file then stands at the first id.

    Raises:
        DamageError: it holds no ids, or its header cannot be read.
    """
    numpy_format: Any = np.lib.format
    readers = {(1, 0): numpy_format.read_array_header_1_0, (2, 0): numpy_format.read_array_header_2_0}
    try:
        version = numpy_format.read_magic(file)
        shape, is_fortran, dtype = readers[version](file)
    except Exception as error:  # the header is Python source, and NumPy lets out what the parts of its parser raise
        raise DamageError("this is a NumPy array whose header cannot be read") from error
    if dtype.hasobject:
        raise DamageError("this is a NumPy array of Python objects, a pickle; it is never loaded")
    if dtype.kind not in "iu":
        raise DamageError(f"this is a NumPy array of {dtype}; whole numbers were expected")
    if len(shape) not in (1, 2) or min(shape) < 0:
        raise DamageError(
            f"this is a NumPy array of {len(shape)} dimensions; ids in a row or rows of ids were expected"
        )
    if is_fortran and len(shape) == 2 and min(shape) > 1:
        raise DamageError("this is a NumPy array that is stored column by column; save np.ascontiguousarray of it")
    if math.prod(shape) > _MOST_IDS:
        raise DamageError(f"this is a NumPy array whose header says {math.prod(shape):,} ids, more than any file holds")
    return shape, dtype


def read(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yields the documents."""
    return read_arrays(piece, options, tally, _sequences)


def records(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[RawBatch]:
    """Yields the documents as rows of a table."""
    return array_records(piece, options, tally, _sequences)


def _sequences(source: TokenSource, piece: Piece, tally: Tally) -> Iterator[Sequences]:
    is_table = layout_of(piece).delimited_by == "row"
    yield from (row_sequences if is_table else stream_sequences)(source, piece, tally)
