"""Compares limits with the ranges of what they limit: a percent typo must not switch a rule or a check off."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dataaudit.config.document import MarkedMapping
from dataaudit.config.load import LoadedConfig, refuse
from dataaudit.config.schema import Condition, Level, Moving, Rule


class Range(NamedTuple):
    """What a value can be, both ends included; None is no bound."""

    low: float | None = None
    high: float | None = None


SHARE = Range(0, 1)


class CheckRanges(NamedTuple):
    """The ranges of a check's value, which its levels are compared with, and of its options."""

    level: Range
    options: Mapping[str, Range]


def check_limits(loaded: LoadedConfig, signals: Mapping[str, Range], checks: Mapping[str, CheckRanges]) -> None:
    """Compares the limits in a config with the ranges of signals and checks; names that are not given are left alone.

    Raises:
        ConfigError: a limit, a level or an option lies where no value can be; the message says what to write.
    """
    refuse(_problems(loaded, signals, checks))


def _problems(loaded: LoadedConfig, signals: Mapping[str, Range], checks: Mapping[str, CheckRanges]) -> Iterator[str]:
    marked_rules = {rule["id"]: rule for rule in loaded.marked.get("rules", ())}
    for rule in loaded.config.rules:
        marked = marked_rules[rule.id]
        yield from _limit_problems(rule, marked, f"rule {rule.id!r}", signals)
        for condition, marked_condition in zip(rule.applies_when, marked.get("applies_when", ()), strict=True):
            yield from _limit_problems(condition, marked_condition, f"a condition of rule {rule.id!r}", signals)
    for name, levels in loaded.config.checks.items():
        if name not in checks:
            continue
        marked = loaded.marked["checks"][name]
        for key, level in (("warn", levels.warn), ("fail", levels.fail)):
            if level is not None:
                yield from _level_problems(level, marked[key], f"{key} of check {name!r}", checks[name].level)
        for option, value in levels.options.items():
            what = f"option {option!r} of check {name!r}"
            place = marked["options"].value_places[option]
            yield from _problem(str(place), what, value, checks[name].options.get(option, Range()))


def _limit_problems(
    limits: Rule | Condition, marked: MarkedMapping, owner: str, signals: Mapping[str, Range]
) -> Iterator[str]:
    possible = signals.get(limits.signal, Range())
    for key in ("min", "max"):
        limit = getattr(limits, key)
        what = f"{key} of {owner}, on {limits.signal},"
        if isinstance(limit, Moving):
            for when in ("initial", "final"):
                yield from _problem(_place(marked, key, limit), f"{when} {what}", getattr(limit, when), possible)
        elif limit is not None:
            yield from _problem(_place(marked, key, limit), what, limit, possible)
    for value in getattr(limits, "one_of", None) or ():
        place = _place(marked, "one_of", getattr(limits, "one_of", None))
        yield from _problem(place, f"a value in one_of of {owner}, on {limits.signal},", value, possible)


def _level_problems(level: Level, marked: MarkedMapping, what: str, possible: Range) -> Iterator[str]:
    for key in ("above", "at_least"):
        bound = getattr(level, key)
        if bound is None:
            continue
        place = str(marked.value_places[key])
        if key == "above" and bound == possible.high:
            hint = (
                f" Write above: {bound / 100:g} for {bound:g} %, or at_least: {bound:g}." if possible == SHARE else ""
            )
            yield f"{place}: {what} is above {bound:g}, which no value is.{hint}"
        else:
            yield from _problem(place, what, bound, possible)


def _problem(place: str, what: str, value: float, possible: Range) -> Iterator[str]:
    low, high = possible
    if (low is None or value >= low) and (high is None or value <= high):
        return
    if possible == SHARE:
        hint = f" Write {value / 100:g} for {value:g} %." if 1 < value <= 100 else ""
        yield f"{place}: {what} is {value:g}. Shares are 0 to 1.{hint}"
        return
    ends = f"{low:g} to {high:g}" if low is not None and high is not None else ""
    ends = ends or (f"{low:g} or more" if low is not None else f"{high:g} or less")
    yield f"{place}: {what} is {value:g}. Expected {ends}, as all values are."


def _place(marked: MarkedMapping, key: str, value: object) -> str:
    """Returns where a limit stands in its file; one that ``--set`` gave stands nowhere else."""
    in_file = marked.get(key)
    is_set = not isinstance(value, Moving | tuple) and in_file != value
    return f"--set {marked['id']}.{key}" if is_set or in_file is None else str(marked.value_places[key])
