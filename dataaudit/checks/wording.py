"""How numbers are written in sentences."""

IRREGULAR = {"are": "is", "could": "could", "do": "does", "have": "has", "held": "held"}


def percent(share: float | None) -> str:
    """Returns a share as percent with three significant digits: 0.01234 → ``1.23 %``.

    Only a whole is ``100 %``: what would be rounded to it is rounded down to hundredths. Only nothing is ``0 %``.
    """
    if share is None:
        return "no value"
    if 0 < share < 1e-5:
        return "< 0.001 %"
    if 0.9995 <= share < 1:
        return f"{int(share * 10_000) / 100:g} %"
    return f"{share * 100:.3g} %"


def number(value: float) -> str:
    """Returns a number with thousands separated; not more than four significant digits when it is no integer."""
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:.4g}"


def counted(value: int, one: str, many: str | None = None) -> str:
    """Returns a count with its noun: ``1 document``, ``2,000 documents``."""
    return f"{value:,} {one if value == 1 else many or one + 's'}"


def every(value: int, one: str) -> str:
    """Returns the beginning of a sentence about all of them: ``The only file``, ``All 2,000 files``."""
    return f"The only {one}" if value == 1 else f"All {counted(value, one)}"


def agree(value: int, verb: str) -> str:
    """Returns what a plural verb begins, as it is said of *value* things: ``are empty`` → ``is empty`` of one."""
    if value != 1:
        return verb
    first, space, rest = verb.partition(" ")
    return f"{IRREGULAR.get(first, first + 's')}{space}{rest}"
