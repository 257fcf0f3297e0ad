"""What the readers give: files, pieces of files, documents and faults."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.corpus.token_facts import TokenFacts
from dataaudit.corpus.token_layout import TokenHints, TokenLayout

MAX_RECORD_BYTES = 1 << 30
"""Most bytes of a record that are held, unless the config says otherwise."""
FaultKind = Literal["unreadable", "without_text"]

DOCUMENT_FIELDS = [
    pa.field("row", pa.int64(), nullable=False),
    pa.field("record", pa.int64(), nullable=False),
    pa.field("offset", pa.int64()),
    pa.field("id", pa.large_string()),
    pa.field("source", pa.large_string()),
    pa.field("repaired", pa.bool_(), nullable=False),
]
"""The columns of every batch that a reader gives, before the content and the user's own numbers.

row: index of the record in its piece, from 0; unreadable records and those without text are counted too.
record: where it stands in the file: the line from 1 (line formats, CSV), the row from 0 (tables, JSON arrays), the
    sequence from 0 (token arrays), 1 (a document a file).
offset: bytes from the start of the (decompressed) file to the record; null in tables.
id: the user's own id as text (numbers as JSON writes them), null when there is none.
source: the record's own source column; null when there is none.
repaired: whether lone surrogates were replaced by U+FFFD.
"""
TEXT_FIELD = pa.field("text", pa.large_string(), nullable=False)
IDS_FIELD = pa.field("input_ids", pa.large_list(pa.int64()), nullable=False)
"""The content of records; that of a token array is narrower where the file's own type is (``ids_dtype``)."""
SIDE_FIELDS = {name: pa.field(name, pa.large_list(pa.int64())) for name in ("labels", "attention_mask")}
"""What may stand beside the token ids, under the columns' own names; null where a row has no list of whole numbers."""


class CorpusFile(msgspec.Struct, frozen=True):
    """A file of the corpus as it was found.

    Attributes:
        path: what to open: a local path or an fsspec address.
        name: the short name shown to people and written to outputs: relative to its INPUT, unique in the run.
        source: the source its documents belong to unless a record says otherwise.
        size: bytes on disk; None for streams of unknown size.
        stamp: modification time or etag, to notice a changed file.
    """

    path: str
    name: str
    source: str
    size: int | None
    stamp: str


class Piece(msgspec.Struct, frozen=True):
    """A part of a file that one task reads: whole records, in order.

    Attributes:
        file: the file.
        format: name of the reader ("jsonl", "parquet", ...).
        compression: "gzip", "zstd", ... or None.
        start, stop: the range in the reader's own unit (bytes, row groups, record batches, ids); stop None means to the
            end.
        first_record: the record number (see DOCUMENT_FIELDS) of its first record.
        size: about how many bytes of input it holds, for progress and packing.
        content: the dotted name of the column with the text or the token ids.
        kind: whether *content* holds texts or token ids.
        id_column, source_column: dotted names, or None.
        side_columns: those of SIDE_FIELDS that the file has.
        layout: how the ids of a token array stand in the file; None for records.
    """

    file: CorpusFile
    format: str
    compression: str | None
    start: int
    stop: int | None
    first_record: int
    size: int
    content: str | None
    kind: Literal["text", "ids"]
    id_column: str | None
    source_column: str | None
    side_columns: tuple[str, ...] = ()
    layout: TokenLayout | None = None


class ReadOptions(msgspec.Struct, frozen=True):
    """How to read.

    Attributes:
        text_column, id_column, source_column: dotted names; None means look for the usual ones.
        number_columns: dotted names of the user's own numeric columns, read as float64 and given under these names.
        format: name of a reader, to force it; None means look at the content.
        document_per: for plain text, whether a document is a file or a line.
        max_record_bytes: most bytes of a line, a row of CSV, an element of a JSON array or a plain text; a longer one
            is read past and counted as unreadable.
        batch_bytes: about how much text a batch holds; a larger document is a batch of its own.
        batch_rows: most documents in a batch.
        tokens: what files of token ids do not say; only cutting needs it, so no plan keeps it.
    """

    text_column: str | None = None
    id_column: str | None = None
    source_column: str | None = None
    number_columns: tuple[str, ...] = ()
    format: str | None = None
    document_per: Literal["file", "line"] = "file"
    max_record_bytes: int = MAX_RECORD_BYTES
    batch_bytes: int = 4 << 20
    batch_rows: int = 8192
    tokens: TokenHints | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A record that gave no document.

    Attributes:
        kind: ``unreadable`` (not decodable, not JSON, not an object) or ``without_text`` (the column is missing or
            holds no text).
        row, record, offset: as in DOCUMENT_FIELDS.
        reason: what was wrong, for a person.
        raw: the record's bytes, cut to RAW_LIMIT.
    """

    kind: FaultKind
    row: int
    record: int
    offset: int | None
    reason: str
    raw: bytes


Shape = Literal["lines", "array", "objects", "csv", "text_file", "text_lines", "parquet", "arrow_file", "arrow_stream"]
"""How records stand in a file: a JSON object a line, elements of a JSON array, JSON objects one after the other, CSV
rows, a text a file, a text a line, and tables."""


class CsvHeader(NamedTuple):
    """The header of a CSV file: its bytes, the names of its columns, and what separates cells."""

    data: bytes
    names: tuple[str, ...]
    delimiter: str


class Places(NamedTuple):
    """Where sequences stand in their file: their numbers, as ``record`` counts them, and the token each starts at."""

    records: NDArray[np.int64]
    positions: NDArray[np.int64]


class RawBatch(NamedTuple):
    """Records as they stand in the file, with everything in them; each batch follows the one before.

    Attributes:
        shape: how they stand there.
        length: number of records; they have the same row numbers as those of ``read``.
        records: their bytes without the line feed, or rows of a table with all columns; None when they are lost.
        reason: why they are lost.
        header: the header of a CSV file.
        places: of sequences of a token array; None for records.
    """

    shape: Shape
    length: int
    records: list[bytes] | pa.RecordBatch | None
    reason: str = ""
    header: CsvHeader | None = None
    places: Places | None = None


RAW_LIMIT = 4096
"""Bytes of an unreadable record that the ledger keeps."""


@dataclass(slots=True)
class Tally:
    """What reading a piece found besides documents; the reader fills it while it reads.

    Attributes:
        records: records present so far: documents, unreadable ones and those without text.
        bytes_read: input bytes (compressed) so far, for progress.
        faults: records that gave no document; the caller takes them out between batches.
        damage: why the rest of the file could not be read ("gzip data end early at byte 5120"), or None.
        digest: xxh3-128 of the input bytes of the piece, set at its end.
        token_facts: what the piece's raw token array says about itself; None for records that are no token array.
    """

    records: int = 0
    bytes_read: int = 0
    faults: list[Fault] = field(default_factory=list)
    damage: str | None = None
    digest: str | None = None
    token_facts: TokenFacts | None = None
