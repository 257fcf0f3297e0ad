"""Which lists are token ids or labels, and what in them is none: a null, a float, NaN, a text, a number too large."""

import math
from collections.abc import Sequence
from typing import Any

WRONG_ID = "token ids:"
"""How the reason of a record begins whose list holds something that is no token id."""


def wrong_id(values: Sequence[Any]) -> str | None:
    """Returns what the first value that is no whole number of 64 bits is, and where; None when all are."""
    for position, value in enumerate(values):
        what = _what(value)
        if what is not None:
            return f"{WRONG_ID} {what} at position {position}, where a whole number that fits 64 bits was expected"
    return None


def whole_numbers(values: Sequence[Any]) -> list[int] | None:
    """Returns labels or a mask as whole numbers of 64 bits, floats that are whole too; None when some value is none."""
    if not all(isinstance(each, int | float) and each == each // 1 for each in values):
        return None
    whole = [int(each) for each in values]
    return whole if all(-(2**63) <= each < 2**63 for each in whole) else None


def _what(value: Any) -> str | None:
    """Returns what a value is, or None for a whole number; numbers of JSON come as they are written."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):  # a number of JSON is a text of a class of its own
        return _what_number(str(value)) if type(value) is not str else "a text"
    if isinstance(value, float):
        return _what_number(repr(value))
    if isinstance(value, int):
        return None if -(2**63) <= value < 2**63 else f"{value}, too large,"
    return "a list" if isinstance(value, list) else "an object"


def _what_number(written: str) -> str | None:
    try:
        number = float(written)
    except ValueError:
        return "a text"
    if math.isnan(number):
        return "NaN"
    if math.isinf(number) and not written.lstrip("-").isdigit():
        return "an infinite number"
    short = written if len(written) <= 24 else written[:21] + "..."
    if not written.lstrip("-").isdigit():
        return f"the float {short}"
    return None if len(written) <= 20 and -(2**63) <= int(written) < 2**63 else f"{short}, too large,"
