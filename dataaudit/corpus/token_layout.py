"""How token ids stand in a file that holds nothing else, settled when the file is cut and kept in the plan."""

from typing import Literal

import msgspec

DelimitedBy = Literal["index", "eos", "bos", "length", "row", "sample"]
"""What ends a document: the format's index, an id at its end, an id at its start, a fixed length, a row, a sample."""


class TokenHints(msgspec.Struct, frozen=True):
    """What a file of ids does not say itself.

    Attributes:
        dtype: the type of the ids where neither a header nor a sidecar says it, such as ``uint32``; None if not given.
        vocab_size: rows of the embedding table, or the size of the tokenizer's id space; ids above 65,535 need 4 bytes.
        bos_id, eos_id: ids at the start and at the end of documents.
        max_length: length of sequences where nothing delimits documents.
    """

    dtype: str | None = None
    vocab_size: int | None = None
    bos_id: int | None = None
    eos_id: int | None = None
    max_length: int | None = None


class TokenLayout(msgspec.Struct, frozen=True, kw_only=True):
    """How the ids of a file, or of a piece of it, are read.

    Attributes:
        dtype: as NumPy writes it, with the byte order: ``<u2``.
        dtype_from: as in ``TokenFacts``.
        delimited_by: what ends a document.
        header: bytes before the first id.
        delimiter: the id that delimits, for ``eos`` and ``bos``.
        length: tokens of a sequence, for ``length`` and ``row``.
        sequences: how many sequences of the index the piece holds; None where there is no index.
        declared: ids that the whole file should hold; None when nothing says.
        declared_by: what says so.
        side_stamps: what changes when a sidecar changes.
        sides: columns of SIDE_FIELDS that are made from a sidecar.
        tokenizer: name of the tokenizer that a sidecar gives; None for none.
        missing: the id that was to delimit documents, and that the beginning of the file does not hold.
    """

    dtype: str
    dtype_from: str
    delimited_by: DelimitedBy
    header: int = 0
    delimiter: int | None = None
    length: int | None = None
    sequences: int | None = None
    declared: int | None = None
    declared_by: str | None = None
    side_stamps: tuple[str, ...] = ()
    sides: tuple[str, ...] = ()
    missing: int | None = None
    tokenizer: str | None = None
