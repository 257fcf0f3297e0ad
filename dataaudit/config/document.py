"""Reads YAML strictly and keeps the place of every key and value.

YAML 1.2 core values only: ``true`` and ``false`` are the booleans (``no`` is text), ``1e-3`` is a number, ``010`` and
``12:30:00`` are text. Duplicate keys, anchors, aliases, tags, infinities and a second document are errors.
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from dataaudit.errors import ConfigError

MAX_BYTES = 1 << 20
MAX_DEPTH = 16
NULLS = frozenset({"", "~", "null", "Null", "NULL"})
BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
WHOLE = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


class Place(NamedTuple):
    """Where something stands in a file; lines and columns count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class MarkedMapping(dict[str, Any]):
    """A mapping, its place, and the places of its keys and values."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place
        self.key_places: dict[str, Place] = {}
        self.value_places: dict[str, Place] = {}

    def put(self, key: str, value: Any, key_place: Place, value_place: Place) -> None:
        """Sets a value together with its places."""
        self[key] = value
        self.key_places[key] = key_place
        self.value_places[key] = value_place

    def overlaid(self, other: "MarkedMapping") -> "MarkedMapping":
        """Returns this mapping with the keys of *other* on top; every value keeps its place."""
        result = MarkedMapping(other.place)
        for each in (self, other):
            for key, value in each.items():
                result.put(key, value, each.key_places[key], each.value_places[key])
        return result


class MarkedList(list[Any]):
    """A list, its place, and the places of its items."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place
        self.places: list[Place] = []

    def add(self, value: Any, place: Place) -> None:
        """Appends a value together with its place."""
        self.append(value)
        self.places.append(place)


def read_document(path: Path, label: str) -> MarkedMapping:
    """Returns the mapping that a YAML file holds; *label* names the file in messages.

    Raises:
        ConfigError: there is no such file, or it does not hold one YAML mapping.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{label}: the config cannot be read ({error.strerror}). Give a YAML file.") from error
    if len(content) > MAX_BYTES:
        raise ConfigError(f"{label}: larger than 1 MiB. Expected a YAML config, which takes a few kB.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{label}:{line}: not UTF-8 text. Expected a YAML config.") from error
    return parse_document(text, label)


def parse_document(text: str, label: str) -> MarkedMapping:
    """Returns the mapping that YAML text holds; *label* names it in messages.

    Raises:
        ConfigError: the text is not one YAML mapping.
    """
    try:
        root, place = _Builder(yaml.parse(text, Loader=yaml.SafeLoader), label).document()
    except yaml.MarkedYAMLError as error:
        where = _place(label, error.problem_mark) if error.problem_mark else label
        context = f" {error.context}" if error.context else ""
        raise ConfigError(f"{where}: not valid YAML:{context} {error.problem}.") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        character = f"U+{ord(text[error.position]):04X}"
        raise ConfigError(f"{label}:{line}: not a text file, since it holds the character {character}.") from error
    if root is None:
        raise ConfigError(f"{label}: the config is empty. Expected at least 'extends: default'.")
    if not isinstance(root, MarkedMapping):
        raise ConfigError(f"{place}: the config is {short(root)}. Expected a mapping such as 'extends: default'.")
    return root


def plain(value: Any) -> Any:
    """Returns a value without its places."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def short(value: object) -> str:
    """Returns a value as people see it in a message."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


class _Builder:
    """Makes marked values of YAML events."""

    def __init__(self, events: Iterator[yaml.Event], label: str) -> None:
        self.events = events
        self.label = label

    def document(self) -> tuple[Any, Place]:
        """Returns the only document of the stream and where it starts."""
        root, place = None, Place(self.label, 1, 1)
        for count, event in enumerate(event for event in self.events if isinstance(event, yaml.DocumentStartEvent)):
            if count:
                raise ConfigError(f"{self.place(event)}: a second document starts here. Expected one config a file.")
            root, place = self.value(next(self.events), 0)
        return root, place

    def place(self, event: yaml.Event) -> Place:
        return _place(self.label, event.start_mark)

    def value(self, event: Any, depth: int) -> tuple[Any, Place]:
        """Returns the value that starts with *event*, and its place."""
        place = self.place(event)
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise ConfigError(f"{place}: anchors and aliases are not allowed. Write the value out, or use 'extends'.")
        if event.tag is not None:
            raise ConfigError(f"{place}: tags such as {event.tag!r} are not allowed. For text, use quotes.")
        if depth > MAX_DEPTH:
            raise ConfigError(f"{place}: nested more than {MAX_DEPTH} levels deep.")
        if isinstance(event, yaml.MappingStartEvent):
            return self.mapping(place, depth), place
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(place, depth), place
        return (_scalar(event.value, place) if event.implicit[0] else event.value), place

    def mapping(self, place: Place, depth: int) -> MarkedMapping:
        result = MarkedMapping(place)
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key, key_place = self.value(event, depth + 1)
            if not isinstance(key, str):
                raise ConfigError(f"{key_place}: the key is {short(key)}. Expected text; quote it if it is a name.")
            if key in result:
                first = result.key_places[key].line
                raise ConfigError(f"{key_place}: the key {key!r} stands here again (first in line {first}). Keep one.")
            value, value_place = self.value(next(self.events), depth + 1)
            result.put(key, value, key_place, value_place)
        return result

    def sequence(self, place: Place, depth: int) -> MarkedList:
        result = MarkedList(place)
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            result.add(*self.value(event, depth + 1))
        return result


def _scalar(text: str, place: Place) -> str | float | bool | None:
    """Returns the value of a plain scalar."""
    if text in NULLS:
        return None
    if text in BOOLEANS:
        return BOOLEANS[text]
    if NOT_FINITE.fullmatch(text):
        raise ConfigError(f"{place}: {text} is no limit. Expected a finite number; leave the key out for no limit.")
    if not NUMBER.fullmatch(text):
        return text
    number = float(text)
    if not math.isfinite(number) or (WHOLE.fullmatch(text) and abs(number) >= 2**63):
        raise ConfigError(f"{place}: the number {short(text)} is too large.")
    return int(text) if WHOLE.fullmatch(text) else number


def _place(label: str, mark: Any) -> Place:
    return Place(label, mark.line + 1, mark.column + 1)
