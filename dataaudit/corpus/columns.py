"""Which column holds the text or the token ids, which the id, which the source."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import pyarrow as pa

from dataaudit.corpus.documents import ReadOptions
from dataaudit.corpus.json_record import Number
from dataaudit.errors import ReadError, suggestion

Holds = Literal["text", "ids", "number", "nothing", "other"]
"""What a column holds: texts, lists of whole numbers, numbers, only nulls so far, or something else."""

TEXT_NAMES = ("text", "content", "raw_content", "body")
IDS_NAMES = ("input_ids", "tokens", "token_ids")
ID_NAMES = ("id", "doc_id", "document_id", "uuid", "_id")
SOURCE_NAMES = ("source", "dataset", "meta.source", "metadata.source")
_CONTENT = ("text", "ids")
_DEPTH = 3


class Column(NamedTuple):
    """A column of a file by its dotted name."""

    name: str
    holds: Holds


class Choice(NamedTuple):
    """The columns that are read from a file; names are dotted, None means there is none."""

    content: str | None
    kind: Literal["text", "ids"]
    id_column: str | None
    source_column: str | None


def choose(columns: Sequence[Column], options: ReadOptions, *, ids_first: bool = False) -> Choice:
    """Returns what to read from a file with these columns; the content is None when no column fits.

    Of usual columns texts go before token ids, unless *ids_first*.
    """
    holds = dict(columns)
    wanted = options.text_column
    content = wanted if wanted in holds else None if wanted else _content(columns, ids_first=ids_first)
    kind: Literal["text", "ids"] = "ids" if content and holds[content] == "ids" else "text"
    return Choice(
        content,
        kind,
        options.id_column or _first(ID_NAMES, holds, ("text", "number", "nothing")),
        options.source_column or _first(SOURCE_NAMES, holds, ("text",)),
    )


def _content(columns: Sequence[Column], *, ids_first: bool) -> str | None:
    texts = [each.name for each in columns if each.holds == "text"]
    nothing = [each.name for each in columns if each.holds == "nothing"]
    ids = [each.name for each in columns if each.holds == "ids"]
    filled = [(texts, TEXT_NAMES), (ids, IDS_NAMES)]
    if ids_first:
        filled.reverse()
    for names, usual in [*filled, (nothing, TEXT_NAMES + IDS_NAMES)]:
        ranked = sorted(
            (name.count("."), usual.index(last), name) for name in names if (last := name.rpartition(".")[2]) in usual
        )
        if ranked:
            return ranked[0][2]
    return None


def _first(usual: Iterable[str], holds: dict[str, Holds], fitting: tuple[Holds, ...]) -> str | None:
    return next((each for each in usual if holds.get(each) in fitting), None)


def require(options: ReadOptions, found: Iterable[Sequence[Column]]) -> None:
    """Makes sure that the columns that were asked for exist in one of the files at least.

    Raises:
        ReadError: one does not, or the text column holds no text anywhere.
    """
    known: dict[str, set[Holds]] = {}
    for columns in found:
        for name, holds in columns:
            known.setdefault(name, set()).add(holds)
    asked = (("text", options.text_column), ("id", options.id_column), ("source", options.source_column))
    for role, wanted in asked:
        if wanted is not None and wanted not in known:
            raise ReadError(
                f"the {role} column {wanted!r} is in none of the files.{suggestion(wanted, known)} "
                f"Columns there are: {listed(known)}."
            )
    if options.text_column is not None and not known[options.text_column] & {"text", "ids", "nothing"}:
        raise ReadError(
            f"the text column {options.text_column!r} holds no text in any of the files. "
            f"Columns with text: {listed(name for name, holds in known.items() if 'text' in holds)}."
        )


def listed(names: Iterable[str]) -> str:
    """Returns up to 30 names for a message."""
    found = [name if len(name) <= 60 else name[:57] + "..." for name in dict.fromkeys(names)]
    return ", ".join(found[:30]) + (f" and {len(found) - 30} more" if len(found) > 30 else "") or "none"


def columns_of_records(records: Iterable[dict[str, Any]]) -> list[Column]:
    """Returns the columns of sampled JSON objects, in the order in which they are met."""
    found: dict[str, Holds] = {}
    for record in records:
        _meet(record, "", found)
    return [Column(name, holds) for name, holds in found.items()]


def _meet(record: dict[str, Any], above: str, found: dict[str, Holds]) -> None:
    for key, value in record.items():
        name = above + key
        holds = _holds(value)
        before = found.setdefault(name, "nothing")
        if before == "nothing" or (holds in _CONTENT and before not in _CONTENT):
            found[name] = holds
        if isinstance(value, dict) and name.count(".") < _DEPTH:
            _meet(value, name + ".", found)


def _holds(value: Any) -> Holds:
    if value is None or value == []:
        return "nothing"
    if isinstance(value, Number):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list) and all(each is None or isinstance(each, Number) for each in value):
        return "ids"
    return "other"


def columns_of_schema(schema: pa.Schema) -> list[Column]:
    """Returns the columns of a table, nested ones with dotted names."""
    found: list[Column] = []
    for field in schema:
        _fields(field, "", found)
    return found


def _fields(field: pa.Field, above: str, found: list[Column]) -> None:
    name = above + field.name
    found.append(Column(name, holds_of_type(field.type)))
    if pa.types.is_struct(field.type) and name.count(".") < _DEPTH:
        for each in field.type:
            _fields(each, name + ".", found)


def holds_of_type(kind: pa.DataType) -> Holds:
    """Returns what a column of an Arrow type holds."""
    types = pa.types
    if types.is_dictionary(kind):
        return holds_of_type(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType):
        return holds_of_type(kind.storage_type)
    if types.is_null(kind):
        return "nothing"
    if is_texts(kind):
        return "text"
    if is_list(kind):
        value = kind.value_type  # floats too: ids stored as such are faults, named row by row
        if types.is_integer(value) or types.is_floating(value):
            return "ids"
        return "nothing" if types.is_null(value) else "other"
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "number"
    return "other"


def is_texts(kind: pa.DataType) -> bool:
    """Returns whether an Arrow type holds texts, or bytes that may be texts."""
    types = pa.types
    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_string_view(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_binary_view(kind)
    )


def is_list(kind: pa.DataType) -> bool:
    """Returns whether an Arrow type holds lists."""
    types = pa.types
    return bool(
        types.is_list(kind)
        or types.is_large_list(kind)
        or types.is_fixed_size_list(kind)
        or types.is_list_view(kind)
        or types.is_large_list_view(kind)
    )
