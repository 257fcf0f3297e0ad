"""How numbers are written in sentences."""


def percent(share: float | None) -> str:
    """Returns a share as percent with three significant digits: 0.01234 → ``1.23 %``."""
    if share is None:
        return "no value"
    return f"{share * 100:.3g} %"


def number(value: float) -> str:
    """Returns a number with thousands separated; not more than four significant digits when it is no integer."""
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:.4g}"


def counted(value: int, one: str, many: str | None = None) -> str:
    """Returns a count with its noun: ``1 document``, ``2,000 documents``."""
    return f"{value:,} {one if value == 1 else many or one + 's'}"
