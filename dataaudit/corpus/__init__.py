"""Files in, batches of documents and a ledger of faults out."""

from dataaudit.corpus.batches import ids_dtype
from dataaudit.corpus.documents import (
    DOCUMENT_FIELDS,
    IDS_FIELD,
    RAW_LIMIT,
    SIDE_FIELDS,
    TEXT_FIELD,
    CorpusFile,
    CsvHeader,
    Fault,
    FaultKind,
    Piece,
    RawBatch,
    ReadOptions,
    Shape,
    Tally,
)
from dataaudit.corpus.find import Found, find_files
from dataaudit.corpus.one_document import can_seek, document_at
from dataaudit.corpus.pieces import TARGET_BYTES, FileNote, PieceList, cut_pieces
from dataaudit.corpus.read import read_piece, read_records
from dataaudit.corpus.token_facts import TokenFacts, TokenProblem
from dataaudit.corpus.token_layout import TokenHints, TokenLayout
from dataaudit.corpus.token_values import WRONG_ID

__all__ = [
    "DOCUMENT_FIELDS",
    "IDS_FIELD",
    "RAW_LIMIT",
    "SIDE_FIELDS",
    "TARGET_BYTES",
    "TEXT_FIELD",
    "WRONG_ID",
    "CorpusFile",
    "CsvHeader",
    "Fault",
    "FaultKind",
    "FileNote",
    "Found",
    "Piece",
    "PieceList",
    "RawBatch",
    "ReadOptions",
    "Shape",
    "Tally",
    "TokenFacts",
    "TokenHints",
    "TokenLayout",
    "TokenProblem",
    "can_seek",
    "cut_pieces",
    "document_at",
    "find_files",
    "ids_dtype",
    "read_piece",
    "read_records",
]
