"""What a check of the monitor found."""

import msgspec

from dataaudit.errors import suggestion
from dataaudit.result import Status


class SampleExample(msgspec.Struct, frozen=True, kw_only=True):
    """A sample behind a number.

    Attributes:
        sample: its number, in the order in which the monitor saw them, from 0.
        id: what the batch's own ``doc_id`` or ``id`` calls it, or None.
        value: what it has of what is counted, such as its control characters.
    """

    sample: int
    id: str | int | None
    value: float


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """One number of a window, judged.

    Attributes:
        name, unit: what it is.
        value: the number; None when it is undefined or was not measured.
        level: from which on it is an anomaly (see ``MonitorLevels``); None when it is not judged.
        status: ``fail`` for an anomaly, ``pass``, ``skip`` when it cannot be judged, ``info`` when it has no level.
        message: a sentence.
        p_value: the chance of such a value, where there is one.
        examples: samples that show it, the first ones of the window; at most 8.
    """

    name: str
    unit: str
    value: float | None
    level: float | None
    status: Status
    message: str
    p_value: float | None = None
    examples: tuple[SampleExample, ...] = ()


class MonitorResult(msgspec.Struct, frozen=True, kw_only=True):
    """A check of the samples that were seen last.

    Attributes:
        first_sample: number of the window's first sample.
        samples, tokens: in the window; tokens are None for texts without a tokenizer.
        seen_samples, seen_batches: since the start.
        reference: what the window is compared with.
        measures: every measure, in a fixed order.
    """

    first_sample: int
    samples: int
    tokens: int | None
    seen_samples: int
    seen_batches: int
    reference: str
    measures: tuple[Measure, ...]

    @property
    def anomalies(self) -> tuple[Measure, ...]:
        """The measures that are anomalies."""
        return tuple(each for each in self.measures if each.status is Status.FAIL)

    @property
    def is_anomalous(self) -> bool:
        """Whether any measure is an anomaly."""
        return bool(self.anomalies)

    def __getitem__(self, name: str) -> Measure:
        for each in self.measures:
            if each.name == name:
                return each
        names = [each.name for each in self.measures]
        raise KeyError(f"no measure {name!r}.{suggestion(name, names)} There are: {', '.join(names)}.")
