"""A piece in, batches of documents out."""

from collections.abc import Iterator

import pyarrow as pa

from dataaudit.corpus.documents import Piece, RawBatch, ReadOptions, Tally
from dataaudit.corpus.location import ARROW_ERRORS, DamageError, why
from dataaudit.corpus.readers import reader_of


def read_piece(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yields the documents of a piece in their order and fills the tally.

    Batches have DOCUMENT_FIELDS, then ``text`` or ``input_ids``, then a float64 column for each of the number columns
    (null where there is no finite number). Where they end depends on the piece and the options only. A batch may be
    empty. Take the faults out of the tally between batches. A file that cannot be read further is no error: the tally
    names the damage, and what was read before it is given.

    Raises:
        ReadError: the format is unknown, or a number column has a name that dataaudit uses itself.
    """
    try:
        yield from reader_of(piece.format).read(piece, options, tally)
    except (*ARROW_ERRORS, DamageError) as error:
        tally.damage = tally.damage or f"cannot be read: {why(error)}"


def read_records(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[RawBatch]:
    """Yields the records of a piece as they stand in the file, documents or not, and fills the tally but its faults.

    They have the row numbers of ``read_piece``, and ``tally.digest`` is that of ``read_piece`` as long as the file has
    not changed; for datasets by name it is None.
    """
    try:
        yield from reader_of(piece.format).records(piece, options, tally)
    except (*ARROW_ERRORS, DamageError) as error:
        tally.damage = tally.damage or f"cannot be read: {why(error)}"
