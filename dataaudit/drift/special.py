"""Tail probabilities, from the standard library's mathematics alone."""

import math

TINY = 1e-300
CLOSE = 1e-15
MOST_TERMS = 100_000


def normal_sf(z: float) -> float:
    """Returns the probability that a standard normal value is above *z*."""
    return 0.5 * math.erfc(z / math.sqrt(2))


def chi_square_sf(x: float, degrees: int) -> float:
    """Returns the probability that a χ² value with *degrees* degrees of freedom is above *x*; 1 for no degrees.

    Source: Press et al., Numerical Recipes, §6.2: a series below the mean, Lentz's continued fraction above.
    """
    if x <= 0 or degrees < 1:
        return 1.0
    shape, point = degrees / 2, x / 2
    scale = math.exp(shape * math.log(point) - point - math.lgamma(shape))
    if point < shape + 1:
        return max(0.0, 1 - scale * _lower_series(shape, point))
    return min(1.0, scale * _upper_fraction(shape, point))


def _lower_series(shape: float, point: float) -> float:
    term = total = 1 / shape
    for step in range(1, MOST_TERMS):
        term *= point / (shape + step)
        total += term
        if term < total * CLOSE:
            break
    return total


def _upper_fraction(shape: float, point: float) -> float:
    below = point + 1 - shape
    ratio, inverse = 1 / TINY, 1 / below
    value = inverse
    for step in range(1, MOST_TERMS):
        factor = -step * (step - shape)
        below += 2
        inverse = 1 / _nonzero(factor * inverse + below)
        ratio = _nonzero(below + factor / ratio)
        change = inverse * ratio
        value *= change
        if abs(change - 1) < CLOSE:
            break
    return value


def _nonzero(value: float) -> float:
    return value if abs(value) >= TINY else TINY


def kolmogorov_sf(x: float) -> float:
    """Returns the probability that Kolmogorov's limit variable is above *x*."""
    if x <= 0:
        return 1.0
    if x < 1:
        power = -(math.pi**2) / (8 * x * x)
        total = math.fsum(math.exp((2 * k - 1) ** 2 * power) for k in range(1, 21))
        return max(0.0, 1 - math.sqrt(2 * math.pi) / x * total)
    return max(0.0, 2 * math.fsum((-1) ** (k - 1) * math.exp(-2 * (k * x) ** 2) for k in range(1, 21)))
