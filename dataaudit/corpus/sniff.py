"""Which format and compression a file has, by its content; the name only breaks ties."""

import contextlib
import csv
import io
import itertools
import json
import re
from pathlib import PurePosixPath
from typing import NamedTuple

from dataaudit.corpus.columns import TEXT_NAMES
from dataaudit.corpus.compression import find_compression
from dataaudit.corpus.documents import CorpusFile, ReadOptions
from dataaudit.corpus.location import DamageError, open_binary
from dataaudit.corpus.readers import reader_of
from dataaudit.corpus.stream import CHUNK, Head, head_of
from dataaudit.corpus.token_arrays.naming import is_text
from dataaudit.corpus.token_readers import names as array_formats
from dataaudit.corpus.token_readers import recognise


class Kind(NamedTuple):
    """What a file is.

    Attributes:
        format: name of the reader.
        compression: "gzip", "zstd", "bz2", "xz" or None.
        encoding: "utf-8" or "utf-16" for formats of text, None for tables.
        empty: whether it holds nothing at all.
    """

    format: str
    compression: str | None
    encoding: str | None
    empty: bool


_TABLES = {b"PAR1": "parquet", b"ARROW1\0\0": "arrow", b"\xff\xff\xff\xff": "arrow"}
_FOREIGN = {
    b"PARE": "an encrypted Parquet file",
    b"FEA1": "a Feather file of version 1; write it again as Arrow IPC or Parquet",
    b"PK\x03\x04": "a ZIP archive; unpack it first",
    b"7z\xbc\xaf": "a 7z archive; unpack it first",
    b"Rar!": "a RAR archive; unpack it first",
    b"%PDF": "a PDF file; extract its text first",
    b"\x93NUMPY": "a NumPy array",
    b"\x80\x02\x8a\x0a": "a pickle; it is never loaded",
    b"\x80\x04\x95": "a pickle; it is never loaded",
    b"\x80\x05\x95": "a pickle; it is never loaded",
    b"\x80\x02": "a pickle; it is never loaded",
    b"\x80\x03": "a pickle; it is never loaded",
    b"\x80\x04": "a pickle; it is never loaded",
    b"\x80\x05": "a pickle; it is never loaded",
    b"SQLite format 3": "an SQLite database; export its table first",
    b"\x04\x22\x4d\x18": "LZ4 data; decompress it first",
    b"\xff\x06\x00\x00sNaPpY": "Snappy data; decompress it first",
    b"Obj\x01": "an Avro file; write it as Parquet or JSON lines first",
    b"ORC": "an ORC file; write it as Parquet first",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
}
_BY_NAME = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json_array",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".txt": "text",
    ".text": "text",
    ".md": "text",
}
_OBJECT = re.compile(rb'\s*\{\s*["}]')
_ARRAY = re.compile(rb"\s*\[\s*(?:\{|\]\s*\Z)")
_DELIMITERS = "[,\t;]"
_SAMPLED_LINES = 50
_CERTAIN = 3
"""Bytes of a magic number that are more than a token id."""


def sniff(file: CorpusFile, options: ReadOptions) -> Kind:
    """Returns what a file is.

    Raises:
        OSError: it cannot be opened.
        DamageError: it cannot be decompressed, or is nothing that can be read.
        ReadError: ``options.format`` is no format.
    """
    if options.format is not None:
        reader_of(options.format)
    if file.path.startswith("hub:"):
        return Kind("hub", None, None, empty=False)
    with open_binary(file.path) as data:
        first = data.read(CHUNK)
    array, array_by_name = _token_array(file, first, options)
    if array:
        return Kind(array, None, None, empty=False)
    compression = find_compression(first)
    if array_by_name and compression and not _unpacks(first, compression):
        compression = None  # ids that happen to be its magic bytes
    table = next((name for magic, name in _TABLES.items() if first.startswith(magic)), None)
    if table or options.format in ("parquet", "arrow"):
        if table is None and first and options.format:
            raise DamageError(f"not {_a(options.format)}: it begins with {_hex(first)}")
        return Kind(options.format or table or "", None, None, empty=not first)
    head = head_of(first, compression)
    if compression or is_text(first):  # the bytes as they are: the first id may be a byte-order mark of UTF-16
        array_by_name = None
    found = options.format or _format(file.name, head, compression, array_by_name)
    if found == array_by_name:
        return Kind(found, None, None, empty=False)
    return Kind(found, compression, head.encoding, empty=head.whole and not head.data)


def _token_array(file: CorpusFile, first: bytes, options: ReadOptions) -> tuple[str | None, str | None]:
    """Returns the format of a token array by its content, and by no more than its name.

    Files with the name of a text format are none, whatever they begin with.
    """
    if options.format is not None:
        return (options.format if options.format in array_formats() else None), None
    found = {} if _by_name(file.name) else recognise(file, first)
    return found.get("content"), found.get("name")


def _unpacks(first: bytes, compression: str) -> bool:
    try:
        return bool(head_of(first, compression).data)
    except DamageError:
        return False


def _by_name(name: str) -> str | None:
    suffixes = [suffix.lower() for suffix in reversed(PurePosixPath(name).suffixes)]
    return next((_BY_NAME[suffix] for suffix in suffixes if suffix in _BY_NAME), None)


def _format(name: str, head: Head, compression: str | None, array: str | None) -> str:
    """Returns the format; *array* is that of a token array of this name, which goes last: any bytes may be ids."""
    by_name = _by_name(name)
    data = head.data
    if not data.strip():
        return by_name or array or "text"
    if compression and (inner := next((kind for magic, kind in _TABLES.items() if data.startswith(magic)), None)):
        raise DamageError(f"{_a(inner)} inside {compression}; decompress it first")
    for magic, what in _FOREIGN.items():
        if data.startswith(magic) and not (array and len(magic) < _CERTAIN):
            raise DamageError(f"this is {what}")
    if data[257:262] == b"ustar":
        raise DamageError("this is a tar archive; unpack it first")
    if array:
        return array
    if by_name in ("parquet", "arrow"):
        raise DamageError(f"not {_a(by_name)}, or damaged: it begins with {_hex(data)}")
    return _json(by_name, head) or _delimited(by_name, head) or _text(by_name, data)


def _json(by_name: str | None, head: Head) -> str | None:
    """JSON lines, a JSON array (or objects over several lines), or None."""
    lines = [line for line in head.data.split(b"\n", _SAMPLED_LINES)[:_SAMPLED_LINES] if line.strip()]
    if _ARRAY.match(head.data):
        return "jsonl" if len(lines) > 1 and _is_json(lines[0]) else "json_array"
    objects = [line for line in lines if _OBJECT.match(line)]
    named = by_name in ("jsonl", "json_array")
    is_one_a_line = by_name == "jsonl" or 2 * len(objects) >= len(lines)
    if is_one_a_line and any(_is_json(line) for line in objects):
        return "jsonl"
    if _OBJECT.match(head.data) and by_name not in ("csv", "text"):
        one_a_line = len(lines) == 1 or (by_name == "jsonl" and lines[0].strip() != b"{")
        return "jsonl" if one_a_line else "json_array"
    return by_name if named else None


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _delimited(by_name: str | None, head: Head) -> str | None:
    if by_name == "csv":
        return "csv"
    if by_name is not None:
        return None
    header = head.data.partition(b"\n")[0].decode(errors="replace").strip()
    cells = [cell.strip('" ').lower() for cell in re.split(_DELIMITERS, header)]
    is_header = len(cells) > 1 and any(cell in TEXT_NAMES for cell in cells) and all(len(cell) < 64 for cell in cells)
    return "csv" if is_header and _has_rows_of(len(cells), head) else None


def _has_rows_of(width: int, head: Head) -> bool:
    """Whether most of the first rows have as many cells as the header: a first sentence with a comma is none."""
    text = head.data.decode(errors="replace")
    delimiter = max(_DELIMITERS[1:-1], key=text.partition("\n")[0].count)
    widths = []
    with contextlib.suppress(csv.Error):  # a cell larger than the csv module takes: the rows before it tell
        for row in itertools.islice(csv.reader(io.StringIO(text), delimiter=delimiter), 1, _SAMPLED_LINES):
            widths += [len(row)] if row else []
    if not head.whole:
        del widths[-1:]
    return 2 * widths.count(width) >= len(widths)


def _text(by_name: str | None, data: bytes) -> str:
    if by_name == "text" or b"\0" not in data:
        return "text"
    raise DamageError(f"not a kind of file that can be read: it begins with {_hex(data)}")


def _a(name: str) -> str:
    return {"parquet": "a Parquet file", "arrow": "an Arrow IPC file"}[name]


def _hex(data: bytes) -> str:
    return f"the bytes {data[:8].hex(' ')}"
