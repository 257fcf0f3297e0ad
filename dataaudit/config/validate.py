"""Compares a YAML document with the config's types, and says every difference with its place."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import inspect

from dataaudit.config.document import MarkedList, MarkedMapping, Place, short
from dataaudit.config.schema import RESERVED_RULE_IDS, Condition, Config, Level, Moving, Rule
from dataaudit.errors import suggestion

SHAPE = inspect.type_info(Config)


def type_problems(value: Any, kind: inspect.Type, place: Place, path: str = "") -> Iterator[str]:
    """Yields what is wrong with *value* as a *kind*; keys that are missing are *missing_keys*' business."""
    if isinstance(kind, inspect.UnionType):
        if value is None and kind.includes_none:
            return
        others = [each for each in kind.types if not isinstance(each, inspect.NoneType)]
        structs = [each for each in others if isinstance(each, inspect.StructType)]
        if len(others) == 1 or (structs and isinstance(value, MarkedMapping)):
            yield from type_problems(value, (structs or others)[0], place, path)
            return
    if isinstance(kind, inspect.StructType | inspect.DictType) and isinstance(value, MarkedMapping):
        yield from _mapping_problems(value, kind, path)
    elif isinstance(kind, inspect.VarTupleType) and isinstance(value, MarkedList):
        for index, (item, item_place) in enumerate(zip(value, value.places, strict=True)):
            yield from type_problems(item, kind.item_type, item_place, f"{path}[{index}]")
    elif not _accepts(kind, value):
        choices = kind.values if isinstance(kind, inspect.LiteralType) else ()
        near = suggestion(str(value), [each for each in choices if isinstance(each, str)])
        yield f"{place}: {path} is {short(value)}. Expected {_expected(kind)}.{near}"


def missing_keys(data: MarkedMapping) -> Iterator[str]:
    """Yields a message for every required key that a rule or a condition of a type-correct config lacks."""
    for rule in data.get("rules", ()):
        lacking = _lacking(rule, Rule)
        if lacking:
            others = [each["id"] for each in data["rules"] if each is not rule and "id" in each]
            near = suggestion(rule.get("id", ""), others)
            yield f"{rule.place}: rule {rule.get('id', 'without id')!r} lacks {lacking}.{near}"
        for key in ("min", "max"):
            limit = rule.get(key)
            if isinstance(limit, MarkedMapping) and (lacking := _lacking(limit, Moving)):
                yield f"{limit.place}: {key} of rule {rule.get('id')!r} lacks {lacking}."
        for condition in rule.get("applies_when", ()):
            if lacking := _lacking(condition, Condition):
                yield f"{condition.place}: a condition of rule {rule.get('id')!r} lacks {lacking}."


def limit_problems(config: Config, data: MarkedMapping) -> Iterator[str]:
    """Yields what is wrong with the limits of rules and checks; *data* is what *config* was made of."""
    for rule, marked in zip(config.rules, data.get("rules", ()), strict=True):
        name = f"rule {rule.id!r}"
        if rule.id in RESERVED_RULE_IDS:
            yield f"{_where(marked, 'id')}: {rule.id!r} is a reason of dataaudit's own. Give the rule another id."
        if rule.one_of is not None:
            if rule.min is not None or rule.max is not None:
                yield f"{_where(marked, 'one_of')}: {name} has one_of and a range. Keep one of the two."
            if not rule.one_of:
                yield f"{_where(marked, 'one_of')}: {name} allows no value at all. Expected at least one in one_of."
        else:
            for when in ("initial", "final"):
                problems = list(_range_problems(_limit(rule.min, when), _limit(rule.max, when), marked, name))
                yield from problems
                if problems:
                    break
        for condition, marked_condition in zip(rule.applies_when, marked.get("applies_when", ()), strict=True):
            yield from _range_problems(condition.min, condition.max, marked_condition, f"a condition of {name}")
    if config.order.name is not None and config.order.batch_size is None:
        yield f"{_where(data['order'], 'name')}: order has a name and no batch_size. Say how many samples a rank reads."
    if config.mixture and not any(config.mixture.values()):
        yield f"{_where(data, 'mixture')}: every share of the mixture is 0. Expected at least one above 0."
    if not 0 < config.duplicates.threshold <= 1:
        place = _where(data["duplicates"], "threshold")
        yield f"{place}: duplicates.threshold is {config.duplicates.threshold:g}. Expected more than 0, at most 1."
    for check, levels in config.checks.items():
        marked = data["checks"][check]
        for key, level in (("warn", levels.warn), ("fail", levels.fail)):
            if level is not None and (level.above is None) == (level.at_least is None):
                yield f"{_where(marked, key)}: {key} of check {check!r} needs exactly one of 'above' and 'at_least'."
        if levels.warn and levels.fail and _order(levels.fail) < _order(levels.warn):
            yield f"{_where(marked, 'fail')}: check {check!r} fails before it warns. Expected fail at or past warn."


def _mapping_problems(value: MarkedMapping, kind: inspect.StructType | inspect.DictType, path: str) -> Iterator[str]:
    fields = None if isinstance(kind, inspect.DictType) else {field.name: field.type for field in kind.fields}
    for key, item in value.items():
        inner = f"{path}.{key}" if path else key
        if fields is None:
            assert isinstance(kind, inspect.DictType)
            yield from type_problems(item, kind.value_type, value.value_places[key], inner)
        elif key in fields:
            yield from type_problems(item, fields[key], value.value_places[key], inner)
        else:
            near = suggestion(key, fields) or f" Expected one of: {', '.join(fields)}."
            yield f"{value.key_places[key]}: unknown key {short(key)}{f' in {path}' if path else ''}.{near}"


def _accepts(kind: inspect.Type, value: Any) -> bool:
    match kind:
        case inspect.AnyType():
            return True
        case inspect.BoolType():
            return isinstance(value, bool)
        case inspect.LiteralType():
            return not isinstance(value, bool) and value in kind.values
        case inspect.FloatType():
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            return is_number and (kind.ge is None or value >= kind.ge)
        case inspect.IntType():
            is_whole = isinstance(value, int) and not isinstance(value, bool)
            return is_whole and (kind.ge is None or value >= kind.ge) and (kind.le is None or value <= kind.le)
        case inspect.StrType():
            return isinstance(value, str) and _fits(kind, value)
        case inspect.UnionType():
            return any(_accepts(each, value) for each in kind.types)
        case _:
            return False


def _fits(kind: inspect.StrType, value: str) -> bool:
    return (kind.max_length is None or len(value) <= kind.max_length) and (
        kind.pattern is None or re.fullmatch(kind.pattern, value) is not None
    )


def _expected(kind: inspect.Type) -> str:
    match kind:
        case inspect.BoolType():
            return "true or false"
        case inspect.LiteralType():
            return " or ".join(short(each) for each in kind.values)
        case inspect.FloatType():
            return "a number" + (f" from {kind.ge:g} on" if kind.ge is not None else "")
        case inspect.IntType():
            upto = "on" if kind.le is None else f"to {kind.le}"
            return "a whole number" + (f" from {kind.ge} {upto}" if kind.ge is not None else "")
        case inspect.StrType():
            return "text" if kind.pattern is None else "at most 80 characters: lower-case words joined by - or /"
        case inspect.UnionType():
            return " or ".join(_expected(each) for each in kind.types if not isinstance(each, inspect.NoneType))
        case inspect.VarTupleType():
            return "a list"
        case _:
            return "a mapping"


def _lacking(marked: MarkedMapping, kind: type[msgspec.Struct]) -> str:
    required = [field.name for field in msgspec.structs.fields(kind) if field.required]
    return " and ".join(repr(name) for name in required if name not in marked)


def _range_problems(low: float | None, high: float | None, marked: MarkedMapping, name: str) -> Iterator[str]:
    if low is None and high is None:
        yield f"{marked.place}: {name} has no limit. Expected 'min', 'max' or both."
    elif low is not None and high is not None and low > high:
        yield f"{_where(marked, 'min')}: {name} has min {low:g} above max {high:g}; no value can be kept."


def _limit(limit: float | Moving | None, when: str) -> float | None:
    """Returns a limit, one that moves as it is when it starts or ends."""
    if isinstance(limit, Moving):
        return limit.initial if when == "initial" else limit.final
    return limit


def _order(level: Level) -> tuple[float, bool]:
    """Returns a key that orders levels by when they are reached."""
    return (level.at_least, False) if level.at_least is not None else (level.above or 0.0, True)


def _where(marked: MarkedMapping, key: str) -> Place:
    return marked.value_places.get(key, marked.place)
