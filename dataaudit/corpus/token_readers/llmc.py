"""llm.c: a header of 256 int32, then ids; the end-of-text id stands before every document.

Source: llm.c, dev/data/data_common.py, llmc/dataloader.h and train_llama3.py.
"""

import struct
from collections.abc import Iterator

import pyarrow as pa

from dataaudit.corpus.columns import Column
from dataaudit.corpus.documents import CorpusFile, Piece, RawBatch, ReadOptions, Tally
from dataaudit.corpus.location import DamageError, open_binary
from dataaudit.corpus.readers import Span
from dataaudit.corpus.token_arrays.delimited import cut_delimited, stream_sequences
from dataaudit.corpus.token_arrays.documents import array_records, read_arrays
from dataaudit.corpus.token_arrays.problems import add_problem
from dataaudit.corpus.token_arrays.sequences import Sequences
from dataaudit.corpus.token_arrays.source import TokenSource
from dataaudit.corpus.token_layout import TokenHints, TokenLayout
from dataaudit.corpus.token_readers import Recognised
from dataaudit.corpus.token_writers.llmc import HEADER_BYTES, MAGICS

_TYPES = {magic: (version, dtype) for dtype, (magic, version) in MAGICS.items()}
_DELIMITERS = {20240520: 50_256, 20240801: 128_000}
"""What the scripts of GPT-2 and of Llama 3 put in front of documents."""
_EVALUATION = 20240522
_MOST_FILE_BYTES = 1 << 31
"""The loader keeps the byte offset of a batch in an int."""


def recognises(_file: CorpusFile, head: bytes) -> Recognised | None:
    """One of the magic numbers, and a whole header."""
    magic = int.from_bytes(head[:4], "little")
    return "content" if len(head) >= HEADER_BYTES and magic in (*_TYPES, _EVALUATION) else None


def columns(_file: CorpusFile, _compression: str | None) -> list[Column]:
    """Returns nothing: a token array has no columns."""
    return []


def cut(file: CorpusFile, _compression: str | None, options: ReadOptions, target_bytes: int) -> list[Span]:
    """Returns parts that end where documents end."""
    with open_binary(file.path) as data:
        magic, _, tokens = _header(data.read(HEADER_BYTES))
    dtype = "<u2" if _TYPES[magic][1] == "uint16" else "<u4"
    layout = TokenLayout(
        dtype=dtype,
        dtype_from="header",
        delimited_by="length",
        header=HEADER_BYTES,
        declared=tokens,
        declared_by="header",
    )
    hints = options.tokens or TokenHints()
    return cut_delimited(file, layout, hints, target_bytes, at_start=True, usual=_DELIMITERS[magic])


def _header(data: bytes) -> tuple[int, int, int]:
    """Returns magic number, version and number of tokens."""
    if len(data) < HEADER_BYTES:
        raise DamageError(f"not an llm.c file: it ends at byte {len(data)}, inside the header of {HEADER_BYTES}")
    magic, version, tokens = struct.unpack("<3i", data[:12])
    if magic == _EVALUATION:
        raise DamageError("an llm.c file for evaluation (magic number 20240522), which holds no training documents")
    if magic not in _TYPES:
        raise DamageError(f"not an llm.c file: it begins with {magic}, not with {' or '.join(map(str, _TYPES))}")
    return magic, version, tokens


def read(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yields the documents."""
    return read_arrays(piece, options, tally, _sequences)


def records(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[RawBatch]:
    """Yields the documents as rows of a table."""
    return array_records(piece, options, tally, _sequences)


def _sequences(source: TokenSource, piece: Piece, tally: Tally) -> Iterator[Sequences]:
    if piece.start == 0:
        _check(source, tally)
    yield from stream_sequences(source, piece, tally)


def _check(source: TokenSource, tally: Tally) -> None:
    magic, version, _ = _header(source.raw(0, HEADER_BYTES))
    if version != _TYPES[magic][0]:
        expected = _TYPES[magic][0]
        add_problem(tally, "header", f"the header says version {version}; with the number {magic} it is {expected}")
    if source.size >= _MOST_FILE_BYTES:
        add_problem(
            tally, "limit", f"the file has {source.size:,} bytes; the loader's offsets end at {_MOST_FILE_BYTES:,}"
        )
