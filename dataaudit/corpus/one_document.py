"""Reads one document of a large file without what stands before it."""

import msgspec
import pyarrow as pa

from dataaudit.corpus.documents import Piece, ReadOptions, Tally
from dataaudit.corpus.read import read_piece

FIRST_WINDOW = 1 << 16
LARGER = 8
"""How many times larger the next window is, when a document is longer than the one before."""


def can_seek(piece: Piece) -> bool:
    """Returns whether a document of the piece can be read from its byte offset alone."""
    return piece.format == "jsonl" and piece.compression is None and piece.file.size is not None


def document_at(piece: Piece, options: ReadOptions, offset: int) -> pa.RecordBatch | None:
    """Returns a batch whose first row is the document that begins at *offset*; None when none begins there.

    Args:
        piece: it holds the document; ``can_seek`` is true of it.
        options: those that the piece was read with.
        offset: of the document, in bytes, as a batch gives it.
    """
    stop = piece.file.size if piece.stop is None else piece.stop
    assert stop is not None
    window, end = FIRST_WINDOW, offset
    while end < stop:
        end = min(offset + window, stop)
        part = msgspec.structs.replace(piece, start=offset, stop=end)
        batch = next(read_piece(part, options, Tally()), None)
        if batch is not None and batch.num_rows and batch.column("row")[0].as_py() == 0:
            return batch
        window *= LARGER
    return None
