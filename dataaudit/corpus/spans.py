"""Where files of lines may be cut."""

from dataaudit.corpus.documents import CorpusFile, Piece
from dataaudit.corpus.location import is_local, open_binary
from dataaudit.corpus.readers import Span
from dataaudit.corpus.stream import CHUNK, is_utf16


def whole(file: CorpusFile, first_record: int = 1) -> list[Span]:
    """Returns the file as one part."""
    return [Span(0, None, first_record, file.size or 0)]


def cut_lines(file: CorpusFile, compression: str | None, target_bytes: int) -> list[Span]:
    """Returns parts that end with the first line feed at or after a multiple of *target_bytes*.

    Compressed files, UTF-16 and files behind an address stay whole: to number their lines they would be read twice.
    """
    if compression or not is_local(file.path) or file.size is None or file.size <= target_bytes:
        return whole(file)
    spans: list[Span] = []
    start, first_line, lines, position = 0, 1, 1, 0
    goal = target_bytes
    with open_binary(file.path) as data:
        while chunk := data.read(CHUNK):
            if position == 0 and is_utf16(chunk):
                return whole(file)
            counted = 0
            while (at := chunk.find(b"\n", max(goal - 1 - position, counted))) >= 0:
                lines += chunk.count(b"\n", counted, at + 1)
                counted = at + 1
                end = position + counted
                spans.append(Span(start, end, first_line, end - start))
                start, first_line = end, lines
                goal = (end // target_bytes + 1) * target_bytes
            lines += chunk.count(b"\n", counted)
            position += len(chunk)
    if start < position:
        spans.append(Span(start, position, first_line, position - start))
    return spans


def whole_piece(file: CorpusFile, format: str, compression: str | None) -> Piece:  # noqa: A002 - the field's name
    """Returns a piece to look into the head of a file with, before its columns are known."""
    return Piece(file, format, compression, 0, None, 1, file.size or 0, None, "text", None, None)
