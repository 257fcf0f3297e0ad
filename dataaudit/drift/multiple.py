"""Many tests at once."""

from collections.abc import Sequence


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Returns the q-value of each p-value: the least false-discovery rate at which it would be called a finding.

    None stays None and does not count.

    Source: Benjamini & Hochberg 1995.
    """
    order = sorted((value, place) for place, value in enumerate(p_values) if value is not None)
    found: list[float | None] = [None] * len(p_values)
    least = 1.0
    for rank in range(len(order), 0, -1):
        value, place = order[rank - 1]
        least = min(least, value * len(order) / rank)
        found[place] = least
    return found
