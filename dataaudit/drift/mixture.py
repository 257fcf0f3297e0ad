"""Shares of sources: against the corpus or a plan, and how well they are shuffled."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from dataaudit.drift.special import chi_square_sf


class MixtureDrift(NamedTuple):
    """Shares of sources against those expected.

    Attributes:
        largest_difference: of a share from the one expected, in absolute terms: 0 to 1.
        source: place of the source with it.
        p_value: of Pearson's χ²; 0 when there is something of a source that is expected to have none.
    """

    largest_difference: float
    source: int
    p_value: float


def mixture_drift(weights: Sequence[int], draws: float, expected: Sequence[float]) -> MixtureDrift | None:
    """Compares the shares of sources in a part with the expected shares; None when there is nothing.

    The difference is of *weights* (tokens). The tokens of a document come together, so the test takes the weights'
    shares as those of so many *draws*: the effective number of documents, which one giant document makes small.
    """
    whole, plan = sum(weights), math.fsum(expected)
    if not whole or not draws or plan <= 0:
        return None
    shares = [(weight / whole, share / plan) for weight, share in zip(weights, expected, strict=True)]
    gaps = [abs(found - wanted) for found, wanted in shares]
    # Of two sources both are equally far off, but for rounding: the first one is named.
    largest = max(range(len(gaps)), key=lambda place: (round(gaps[place], 12), -place))
    possible = [(found, wanted) for found, wanted in shares if wanted > 0]
    if any(found > 0 and wanted <= 0 for found, wanted in shares):
        return MixtureDrift(gaps[largest], largest, 0.0)
    chi_square = draws * math.fsum((found - wanted) ** 2 / wanted for found, wanted in possible)
    return MixtureDrift(gaps[largest], largest, chi_square_sf(chi_square, len(possible) - 1))


class RunsTest(NamedTuple):
    """Runs of equal labels in a row of documents.

    Attributes:
        runs: how many there are.
        expected, deviation: mean and standard deviation of that in a random order.
        z: (runs − expected) / deviation; far below 0 when sources come in blocks. None without deviation.
    """

    runs: int
    expected: float
    deviation: float
    z: float | None


def runs_test(runs: int, documents: Sequence[int]) -> RunsTest | None:
    """Judges how well sources are mixed in order, from the number of runs and the documents of each source.

    None for fewer than two documents.

    Source: Wald & Wolfowitz 1940 for more than two labels.
    """
    squares, cubes = sum(each**2 for each in documents), sum(each**3 for each in documents)
    return runs_test_of_sums(runs, sum(documents), squares, cubes)


def runs_test_of_sums(runs: int, n: int, squares: int, cubes: int) -> RunsTest | None:
    """Judges the number of runs by the documents, and the sums of the squares and cubes of each source's documents."""
    if n < 2:
        return None
    expected = n + 1 - squares / n
    top = squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3
    deviation = math.sqrt(max(0.0, top / (n**2 * (n - 1))))
    return RunsTest(runs, expected, deviation, (runs - expected) / deviation if deviation > 0 else None)
