"""The shape of a vocabulary's use: Zipf's slope, entropy, variety."""

import math
from typing import NamedTuple

import numpy as np

from dataaudit.drift.sums import Counts, entropy

FIRST_RANK, LAST_RANK, RANKS = 10, 10_000, 40
FEWEST_RANKS = 5


class Shape(NamedTuple):
    """How the tokens are spread over the ids.

    Attributes:
        tokens, types: how many tokens, of how many distinct ids.
        type_token_ratio: types / tokens; falls with the size of the corpus, so compare like with like.
        entropy: nats a token.
        perplexity: exp(entropy), the number of equally frequent ids with that entropy.
        zipf_slope: of ln frequency over ln rank, ranks 10 to 10,000; about −1 for natural text.
    """

    tokens: int
    types: int
    type_token_ratio: float | None
    entropy: float | None
    perplexity: float | None
    zipf_slope: float | None


def shape(counts: Counts) -> Shape:
    """Returns the shape of counts; what is undefined for no tokens is None."""
    tokens, types = int(counts.sum()), int(np.count_nonzero(counts))
    nats = entropy(counts)
    return Shape(
        tokens,
        types,
        types / tokens if tokens else None,
        nats,
        None if nats is None else math.exp(nats),
        zipf_slope(counts),
    )


def zipf_slope(counts: Counts) -> float | None:
    """Returns the least-squares slope on log-spaced ranks; None with too few distinct ids."""
    ordered = -np.sort(-counts[counts > 0])
    ranks = np.unique(np.geomspace(FIRST_RANK, LAST_RANK, RANKS).round().astype(np.int64))
    ranks = ranks[ranks <= len(ordered)]
    if len(ranks) < FEWEST_RANKS:
        return None
    x = [math.log(rank) for rank in ranks.tolist()]
    y = [math.log(count) for count in ordered[ranks - 1].tolist()]
    centre_x, centre_y = math.fsum(x) / len(x), math.fsum(y) / len(y)
    across = math.fsum((a - centre_x) ** 2 for a in x)
    return math.fsum((a - centre_x) * (b - centre_y) for a, b in zip(x, y, strict=True)) / across
