"""What a signal is, and the decorator that makes one of a function."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.signals.batch import DocumentBatch

Need = Literal["text", "tokens", "labels", "mask", "pooled", "duplicates", "drift"]
Measure = Callable[[DocumentBatch], pa.Array]


@dataclass(frozen=True, slots=True)
class Signal:
    """A number about one document; it never knows a threshold.

    Attributes:
        name: a noun with the unit last, such as ``dup_line_char_ratio``.
        unit: ``ratio``, ``characters``, ``words``, ``tokens``, ``bits``, ...
        minimum, maximum: the range of its values, inclusive; None where there is no bound.
        null: when the value is null, as a clause ("the document has no words"), or None when it never is.
        source: the paper, code or page that defines it.
        version: raised when values change, so that stored results are not taken for new ones.
        needs: ``text``, ``tokens``, ``labels`` or ``mask`` (which stand beside given token ids), ``pooled`` (tokens and
            the corpus's token counts, in the second pass), or ``duplicates`` (what comparing all documents gave).
        requires: attributes of the batch without which it is not measured at all ("vocabulary", "max_length", ...).
        family: the module it lives in.
        doc: its definition; the first line says what it is.
        measure: the batch in, an Arrow array (int64 or float64) of the batch's length out.
    """

    name: str
    unit: str
    minimum: float | None
    maximum: float | None
    null: str | None
    source: str
    version: int
    needs: Need
    requires: tuple[str, ...]
    family: str
    doc: str
    measure: Measure

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """Where a rule's limit can lie: in the range, but anywhere for document numbers, of which -1 allows none."""
        return (None, None) if self.unit == "doc_id" else (self.minimum, self.maximum)


def signal(
    *,
    unit: str,
    source: str,
    needs: Need = "text",
    requires: tuple[str, ...] = (),
    minimum: float | None = 0,
    maximum: float | None = None,
    null: str | None = None,
    version: int = 1,
) -> Callable[[Measure], Signal]:
    """Makes a signal of a function, under the function's name and with its docstring as the definition."""

    def wrap(measure: Measure) -> Signal:
        doc = re.sub(r"\n[ ]+", "\n", (measure.__doc__ or "").strip())
        top = 1.0 if maximum is None and unit == "ratio" else maximum
        family = measure.__module__.rpartition(".")[2]
        name = measure.__name__
        return Signal(name, unit, minimum, top, null, source, version, needs, requires, family, doc, measure)

    return wrap


def ratio(numerator: NDArray[np.int64], denominator: NDArray[np.int64]) -> pa.Array:
    """Returns numerator / denominator as float64, null where the denominator is 0."""
    undefined = denominator == 0
    values = np.divide(numerator, denominator, out=np.zeros(len(numerator), np.float64), where=~undefined)
    return pa.array(values, mask=undefined)


def count(values: NDArray[np.int64]) -> pa.Array:
    """Returns counts as an int64 array without nulls."""
    return pa.array(values, pa.int64())


def place(places: NDArray[np.int64]) -> pa.Array:
    """Returns places as an int64 array, null where they are -1."""
    return pa.array(places, pa.int64(), mask=places < 0)
