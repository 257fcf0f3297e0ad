"""Files in, pieces for tasks out, with what was found and what is damaged."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import msgspec

from dataaudit.corpus.columns import Choice, Column, choose, listed, require
from dataaudit.corpus.documents import SIDE_FIELDS, CorpusFile, Piece, ReadOptions
from dataaudit.corpus.location import ARROW_ERRORS, DamageError, is_local, why
from dataaudit.corpus.naming import is_not_utf8
from dataaudit.corpus.readers import Span, reader_of
from dataaudit.corpus.sniff import Kind, sniff
from dataaudit.corpus.token_layout import TokenHints, TokenLayout
from dataaudit.corpus.token_readers import names as array_formats
from dataaudit.errors import ReadError

TARGET_BYTES = 128 << 20


@dataclass(frozen=True, slots=True)
class FileNote:
    """What was found in a file.

    Attributes:
        file: the file.
        format: name of the reader.
        compression: "gzip", "zstd", "bz2", "xz" or None.
        encoding: "utf-8" or "utf-16" for formats of text, None for tables.
        content: dotted name of the column with the text or the token ids; None for plain text.
        kind: whether *content* holds texts or token ids.
        id_column, source_column: dotted names, or None.
        empty: whether the file has no bytes at all.
        layout: how the ids of a token array stand there; None for records.
    """

    file: CorpusFile
    format: str
    compression: str | None
    encoding: str | None
    content: str | None
    kind: Literal["text", "ids"]
    id_column: str | None
    source_column: str | None
    empty: bool
    layout: TokenLayout | None = None


@dataclass(frozen=True, slots=True)
class PieceList:
    """The plan of reading.

    Attributes:
        pieces: in the order of the files, then of their place in the file.
        notes: one for every file that can be read.
        damaged: files that cannot be opened or understood at all, with the reason.
        text_columns: dotted names of the columns that hold texts in one of the files at least.
    """

    pieces: list[Piece] = field(default_factory=list)
    notes: list[FileNote] = field(default_factory=list)
    damaged: list[tuple[CorpusFile, str]] = field(default_factory=list)
    text_columns: set[str] = field(default_factory=set)


class _Looked(NamedTuple):
    file: CorpusFile
    kind: Kind
    columns: list[Column]
    spans: list[Span]

    @property
    def layout(self) -> TokenLayout | None:
        """How the ids of a token array stand there; None for records."""
        return self.spans[0].layout if self.spans else None

    @property
    def is_array(self) -> bool:
        """Whether it holds ids and no columns."""
        return self.layout is not None and not self.columns


_ARRAY = Choice("input_ids", "ids", None, None)
"""What is read from a token array."""


def cut_pieces(
    files: Sequence[CorpusFile],
    options: ReadOptions | None = None,
    target_bytes: int = TARGET_BYTES,
    hints: Callable[[], TokenHints] = TokenHints,
    *,
    ids_first: bool = False,
) -> PieceList:
    """Looks into every file and cuts it into pieces of about *target_bytes*.

    Uncompressed lines are cut at line feeds, Parquet between row groups, Arrow files between record batches, token
    arrays where documents end; every other file is one piece. The pieces depend on the files and the options only.

    Args:
        files: as ``find_files`` gives them.
        options: how to read.
        target_bytes: about how large a piece is.
        hints: gives what files of token ids do not say; called when there is such a file, unless ``options.tokens`` is
            given.
        ids_first: whether token ids go before texts in a file that has usual columns of both.

    Raises:
        ReadError: the column that was asked for is in none of the files, or none has a usual one.
    """
    options = options or ReadOptions()
    found = PieceList()
    looked: list[_Looked] = []
    for file in files:
        try:
            kind = sniff(file, options)
            if kind.format in array_formats() and options.tokens is None:
                options = msgspec.structs.replace(options, tokens=hints())
            looked.append(_look(file, kind, options, target_bytes))
        except (*ARROW_ERRORS, DamageError) as error:
            found.damaged.append((file, _reason(file, error)))
    if any(each.columns for each in looked):
        require(options, [each.columns for each in looked])
    elif options.text_column is not None and looked and all(each.kind.format == "text" for each in looked):
        raise ReadError(
            f"the text column {options.text_column!r} was asked for, but plain text, which is all that was found, has "
            "no columns. Leave it out, or name files that have some."
        )
    found.text_columns.update(name for each in looked for name, holds in each.columns if holds == "text")
    choices = [choose(each.columns, options, ids_first=ids_first) for each in looked]
    usual = _usual(looked, choices, options)
    for each, choice in zip(looked, choices, strict=True):
        final = choice if each.kind.format == "text" or choice.content else usual
        _add(found, each, _ARRAY if each.is_array else final)
    return found


def _look(file: CorpusFile, kind: Kind, options: ReadOptions, target_bytes: int) -> _Looked:
    reader = reader_of(kind.format)
    if kind.empty and not kind.compression:
        return _Looked(file, kind, [], [Span(0, 0, 1, 0)])
    columns = reader.columns(file, kind.compression)
    return _Looked(file, kind, columns, reader.cut(file, kind.compression, options, target_bytes))


def _usual(looked: Sequence[_Looked], choices: Sequence[Choice], options: ReadOptions) -> Choice:
    """Returns the choice for files that show no column that fits: what most of the others have."""
    counts = Counter(choice for choice in choices if choice.content)
    if counts:
        return max(counts, key=lambda choice: (counts[choice], choice.content or ""))
    columns = [name for each in looked for name, _ in each.columns]
    if columns and options.text_column is None and not any(each.is_array for each in looked):
        where = "the file" if len(looked) == 1 else f"any of the {len(looked):,} files"
        raise ReadError(
            f"no column with text was found in {where}. Columns there are: {listed(columns)}. "
            "Name the one to read as text_column."
        )
    return Choice(options.text_column or "text", "text", options.id_column, options.source_column)


def _add(found: PieceList, looked: _Looked, choice: Choice) -> None:
    file, kind = looked.file, looked.kind
    is_text = kind.format == "text"
    content = None if is_text else choice.content
    id_column, source_column = (None, None) if is_text else (choice.id_column, choice.source_column)
    what: Literal["text", "ids"] = "text" if is_text else choice.kind
    found.notes.append(
        FileNote(
            file,
            kind.format,
            kind.compression,
            kind.encoding,
            content,
            what,
            id_column,
            source_column,
            kind.empty,
            looked.layout,
        )
    )
    side = _side_columns(looked.columns) if what == "ids" else ()
    side = looked.layout.sides if looked.layout is not None and looked.is_array else side
    for start, stop, first_record, size, layout in looked.spans:
        place = (file, kind.format, kind.compression, start, stop, first_record, size)
        found.pieces.append(Piece(*place, content, what, id_column, source_column, side, layout))


def _side_columns(columns: Sequence[Column]) -> tuple[str, ...]:
    holds = dict(columns)
    return tuple(name for name in SIDE_FIELDS if holds.get(name, "text") not in ("text", "number"))


def _reason(file: CorpusFile, error: Exception) -> str:
    if isinstance(error, DamageError):
        return str(error)
    if isinstance(error, FileNotFoundError) and is_local(file.path) and is_not_utf8(file.path):
        return "cannot be opened: its name is not UTF-8; rename it"
    if isinstance(error, IsADirectoryError):
        return "a folder that cannot be listed"
    if not isinstance(error, OSError) or (is_local(file.path) and error.errno is None):
        return f"damaged or incomplete: {why(error)}"
    return f"cannot be opened: {why(error)}"
