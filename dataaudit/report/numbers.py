"""How numbers are written in the report; the same in both languages."""

import math

DASH = "–"


def count(value: int | None) -> str:
    """Returns a whole number with thousands separated, a dash for none."""
    return DASH if value is None else f"{value:,}"


def number(value: float | None) -> str:
    """Returns a number with at most four significant digits, a dash for none."""
    if value is None or not math.isfinite(value):
        return DASH
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    if 0 < abs(value) < 0.001 or abs(value) >= 1e6:
        return f"{value:.3g}"
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def percent(share: float | None) -> str:
    """Returns a share as percent with three significant digits, a dash for none; only a whole is ``100 %``."""
    if share is None or not math.isfinite(share):
        return DASH
    if 0 < share < 1e-5:
        return "< 0.001 %"
    if 0.9995 <= share < 1:
        return f"{int(share * 10_000) / 100:g} %"
    return f"{float(f'{share * 100:.3g}'):g} %"


def share_of(part: int | None, whole: int | None) -> float | None:
    """Returns part / whole, None when there is nothing to divide by."""
    return part / whole if part is not None and whole else None


def bytes_of(value: int | None) -> str:
    """Returns a size in bytes with a binary unit."""
    if value is None:
        return DASH
    size, units = float(value), ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
    while size >= 1024 and len(units) > 1:
        size, units = size / 1024, units[1:]
    return f"{size:.3g} {units[0]}" if size < 1000 else f"{size:,.0f} {units[0]}"


def judged(value: float | None, unit: str | None) -> str:
    """Returns the value of a check in its unit: shares as percent."""
    return percent(value) if (unit or "").startswith("share") else number(value)
