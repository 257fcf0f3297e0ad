"""One JSON object in, the wanted fields out."""

import json
import math
import re
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Annotated, Any, Union

import msgspec
from msgspec import UNSET, UnsetType

from dataaudit.corpus.documents import FaultKind, Piece
from dataaudit.corpus.location import DamageError
from dataaudit.corpus.token_values import wrong_id

_SURROGATE = re.compile("[\ud800-\udfff]")
_INT64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class Fields(msgspec.Struct, frozen=True, gc=False):
    """What a record holds.

    Attributes:
        content: the text, or the token ids.
        id, source: as text, or None.
        numbers: the user's own numbers in their order; None where there is none.
        repaired: whether a lone surrogate was replaced by U+FFFD.
        side: the lists beside the token ids in the piece's order; None where there is no list of whole numbers.
    """

    content: str | list[int]
    id: str | None
    source: str | None
    numbers: tuple[float | None, ...]
    repaired: bool
    side: tuple[list[int] | None, ...] = ()


class FaultyRecordError(Exception):
    """A record that gives no document."""

    def __init__(self, kind: FaultKind, reason: str) -> None:
        super().__init__(reason)
        self.kind: FaultKind = kind
        self.reason = reason


class Number(str):
    """A number as it is written, digit for digit."""

    __slots__ = ()


class RecordDecoder:
    """Decodes records of a piece: the wanted fields at parser speed, and what the fast parser refuses one by one."""

    def __init__(self, piece: Piece, number_columns: Iterable[str]) -> None:
        if piece.content is None:
            raise DamageError("no column with text is known")
        self._column = piece.content
        self._kind = piece.kind
        self._id = piece.id_column
        self._source = piece.source_column
        self._numbers = tuple(number_columns)
        self._side = piece.side_columns

        wanted: dict[str, Any] = dict.fromkeys(self._numbers, float | None)
        wanted |= {name: str | int | None for name in (self._id, self._source) if name}
        wanted |= dict.fromkeys(self._side, list[_INT64] | None)
        wanted[self._column] = str if piece.kind == "text" else list[_INT64]
        self._fast, get = _fast_decoder(wanted)
        self._get_content = get[self._column]
        self._get_id = get[self._id] if self._id else None
        self._get_source = get[self._source] if self._source else None
        self._get_numbers = [get[name] for name in self._numbers]
        self._get_side = [get[name] for name in self._side]

    def decode(self, data: bytes) -> Fields:
        """Returns the fields of one record; *data* is known to be UTF-8.

        Raises:
            FaultyRecordError: it is no JSON object or holds no text.
        """
        try:
            record = self._fast(data)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            return self._decode_slowly(data)
        content = self._get_content(record)
        if content is UNSET:
            raise self._without_content(UNSET)
        name = self._get_id(record) if self._get_id else None
        if name.__class__ is not str:
            name = None if name is None or name is UNSET else str(name)
        source = self._get_source(record) if self._get_source else None
        if source.__class__ is not str:
            source = None if source is None or source is UNSET else str(source)
        numbers = tuple([None if (value := get(record)) is UNSET else value for get in self._get_numbers])
        if not self._get_side:
            return Fields(content, name, source, numbers, repaired=False)
        side = tuple([None if (value := get(record)) is UNSET else value for get in self._get_side])
        return Fields(content, name, source, numbers, repaired=False, side=side)

    def _decode_slowly(self, data: bytes) -> Fields:
        record = load_object(data)
        content = look_up(record, self._column)
        repaired = False
        if self._kind == "text":
            if not isinstance(content, str) or isinstance(content, Number):
                raise self._without_content(content)
            text, repaired = without_surrogates(content)
            return self._with_names(record, text, repaired)
        ids = as_token_ids(content)
        if ids is None:
            raise self._without_content(content)
        return self._with_names(record, ids, repaired)

    def _with_names(self, record: dict[str, Any], content: str | list[int], repaired: bool) -> Fields:
        names: list[str | None] = []
        for column in (self._id, self._source):
            name = as_name(look_up(record, column)) if column else None
            if name is not None:
                name, changed = without_surrogates(name)
                repaired |= changed
            names.append(name)
        numbers = tuple(as_number(look_up(record, column)) for column in self._numbers)
        side = tuple(as_token_ids(look_up(record, column)) for column in self._side)
        return Fields(content, names[0], names[1], numbers, repaired, side)

    def _without_content(self, value: Any) -> FaultyRecordError:
        expected = "text" if self._kind == "text" else "a list of whole numbers that fit 64 bits"
        if value is UNSET:
            return FaultyRecordError("without_text", f"there is no field {self._column!r}")
        if self._kind == "ids" and isinstance(value, list) and (wrong := wrong_id(value)) is not None:
            return FaultyRecordError("without_text", wrong)
        return FaultyRecordError("without_text", f"field {self._column!r} holds {kind_of(value)}, not {expected}")


def _fast_decoder(wanted: dict[str, Any]) -> tuple[Callable[[bytes], Any], dict[str, Callable[[Any], Any]]]:
    """Returns a decoder of a struct with only the wanted fields, and a getter of each.

    A dotted name is looked for as it is written first, then as nested fields.
    """
    tree: dict[str, Any] = {}
    for name, kind in wanted.items():
        tree[name] = kind
        first, *others = name.split(".")
        if others:
            branch = tree.setdefault(first, {})
            for part in others[:-1]:
                branch = branch.setdefault(part, {}) if isinstance(branch, dict) else {}
            if isinstance(branch, dict):
                branch.setdefault(others[-1], kind)
    struct, attributes = _struct(tree)
    getters = {name: _getter(name, attributes) for name in wanted}
    return msgspec.json.Decoder(struct).decode, getters


def _struct(tree: dict[str, Any]) -> tuple[type[msgspec.Struct], dict[str, Any]]:
    """Returns a struct type, and for every field its attribute, or (attribute, fields) where it is nested."""
    fields: list[tuple[str, Any, Any]] = []
    attributes: dict[str, Any] = {}
    for number, (name, kind) in enumerate(tree.items()):
        attribute = f"f{number}"
        if isinstance(kind, dict):
            inner, below = _struct(kind)
            kind = inner | None
            attributes[name] = (attribute, below)
        else:
            attributes[name] = attribute
        fields.append((attribute, Union[kind, UnsetType], UNSET))  # noqa: UP007 - kind is a value
    rename = {f"f{number}": name for number, name in enumerate(tree)}
    return msgspec.defstruct("Record", fields, rename=rename, gc=False), attributes


def _getter(name: str, attributes: dict[str, Any]) -> Callable[[Any], Any]:
    literal = attrgetter(attributes[name])
    *parents, last = name.split(".")
    path: list[str] = []
    level: Any = attributes
    for part in parents:
        if not isinstance(level[part], tuple):
            return (
                literal  # the parent is wanted as a value itself: a record that has it as an object goes the slow way
            )
        attribute, level = level[part]
        path.append(attribute)
    if not path:
        return literal
    path.append(level[last])

    def get(record: Any) -> Any:
        value = literal(record)
        if value is not UNSET:
            return value
        for attribute in path:
            record = getattr(record, attribute)
            if record is None or record is UNSET:
                return UNSET
        return record

    return get


def load_object(data: bytes) -> dict[str, Any]:
    """Returns a JSON object as Python's json reads it, numbers as ``Number``; control characters and NaN are let in.

    Raises:
        FaultyRecordError: *data* is not UTF-8, not JSON, or no object.
    """
    text = require_utf8(data)
    try:
        value = json.loads(text, strict=False, parse_int=Number, parse_float=Number, parse_constant=Number)
    except json.JSONDecodeError as error:
        raise FaultyRecordError("unreadable", f"not valid JSON: {_position(error)}") from error
    except RecursionError as error:
        raise FaultyRecordError("unreadable", "not readable as JSON: it is nested too deeply") from error
    if not isinstance(value, dict):
        raise FaultyRecordError("unreadable", f"a JSON object was expected, this is {kind_of(value)}")
    return value


def _position(error: json.JSONDecodeError) -> str:
    line = f"line {error.lineno}, " if error.lineno > 1 else ""
    return f"{error.msg[:1].lower()}{error.msg[1:].removesuffix(' starting at')} at {line}column {error.colno}"


def require_utf8(data: bytes) -> str:
    """Returns the bytes as text.

    Raises:
        FaultyRecordError: they are not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        reason = f"not valid UTF-8: byte 0x{data[error.start]:02x} at byte {error.start + 1} of the record"
        raise FaultyRecordError("unreadable", reason) from error


def look_up(record: dict[str, Any], name: str) -> Any:
    """Returns a field by its name as it is written, else by its dotted path; UNSET when there is none."""
    if name in record:
        return record[name]
    value: Any = record
    for part in name.split("."):
        if not isinstance(value, dict) or part not in value:
            return UNSET
        value = value[part]
    return value


def kind_of(value: Any) -> str:
    """Returns what a JSON value is, for a person."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Number | int | float):
        return "a number"
    return "a text" if isinstance(value, str) else "an object" if isinstance(value, dict) else "a list"


def without_surrogates(text: str) -> tuple[str, bool]:
    """Returns the text with U+FFFD for each lone surrogate, and whether there was one."""
    repaired, count = _SURROGATE.subn("\ufffd", text)
    return repaired, count > 0


def as_token_ids(value: Any) -> list[int] | None:
    """Returns a list of whole numbers that fit 64 bits, or None when it is something else."""
    if not isinstance(value, list):
        return None
    ids: list[int] = []
    for each in value:
        if not isinstance(each, Number) or len(each) > 20 or not each.lstrip("-").isdigit():
            return None
        number = int(each)
        if not -(2**63) <= number < 2**63:
            return None
        ids.append(number)
    return ids


def as_number(value: Any) -> float | None:
    """Returns a finite number, or None when it is something else."""
    if not isinstance(value, Number | int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def as_name(value: Any) -> str | None:
    """Returns an id or a source as text, as JSON writes it; None when there is none.

    Raises:
        FaultyRecordError: it is nested too deeply to be written.
    """
    if value is None or value is UNSET:
        return None
    if isinstance(value, str):
        return str(value)
    try:
        return _written(value)
    except RecursionError as error:
        raise FaultyRecordError("unreadable", "its id or source is nested too deeply") from error


def _written(value: Any) -> str:
    """Returns a value as JSON, its numbers digit for digit."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, dict):
        pairs = [f"{json.dumps(str(key), ensure_ascii=False)}: {_written(item)}" for key, item in value.items()]
        return f"{{{', '.join(pairs)}}}"
    return json.dumps(value, ensure_ascii=False, default=str)


def plain_object(data: bytes) -> dict[str, Any]:
    """Returns a JSON object as plain values, lone surrogates replaced by U+FFFD.

    Raises:
        FaultyRecordError: *data* is no JSON object.
    """
    try:
        value = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        load_object(data)
        value = _without_surrogates(json.loads(data, strict=False))
    if not isinstance(value, dict):
        raise FaultyRecordError("unreadable", f"a JSON object was expected, this is {kind_of(value)}")
    return value


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    return without_surrogates(value)[0] if isinstance(value, str) else value
