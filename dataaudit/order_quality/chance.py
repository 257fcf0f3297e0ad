"""What a random order would give that reads each document once."""

import numpy as np
from numpy.typing import NDArray


def expected_close(begun: NDArray[np.float64], documents: float, reach: float) -> float:
    """Returns how many documents would follow one of their group within *reach* documents, in a random order.

    Args:
        begun: documents of each group that are read.
        documents: all that are read.
        reach: documents.

    Each of a group's m documents has m - 1 others, each of them within the reach before it by a chance of about
    reach / documents.
    """
    if not documents:
        return 0.0
    share = min(reach / documents, 1.0)
    return float((begun * (1.0 - (1.0 - share) ** np.maximum(begun - 1, 0))).sum())


def expected_in_step(begun: NDArray[np.float64], documents: float, steps: float) -> float:
    """Returns how many documents would repeat one of their group in the same step, in a random order.

    A step of B documents holds B · m / documents of a group of m on average; all but the first are repeats. It holds
    none by a chance of the product over i < m of 1 - B / (documents - i), here with the middle i for all.
    """
    if not documents or not steps:
        return 0.0
    of_step = documents / steps
    none = (1.0 - of_step / np.maximum(documents - (begun - 1) / 2, of_step)) ** begun
    return float(steps * (of_step * begun / documents - 1.0 + none).clip(0).sum())
