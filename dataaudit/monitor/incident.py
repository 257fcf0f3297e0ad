"""What is written down when a training run stumbles: what was seen, and where to look for the documents."""

import math
import os
from pathlib import Path
from typing import Literal

import msgspec

from dataaudit.errors import RunError
from dataaudit.monitor.result import Measure, MonitorResult

Kind = Literal["anomaly", "spike", "not-a-number"]


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """Why an incident is one.

    Attributes:
        kind: a measure of the monitor, a value far above those before, or one that is no number.
        name: of the measure, or ``loss`` or ``grad_norm``.
        value: None when it is no number.
        message: a sentence.
    """

    kind: Kind
    name: str
    value: float | None
    message: str


class StepSamples(msgspec.Struct, frozen=True, kw_only=True):
    """What a step read on this rank.

    Attributes:
        step: as the trainer logs it.
        first_sample, samples: the monitor's numbers of its samples, and how many.
        rows: their numbers in the training set; None when the order is not known.
        ids: what the training set calls them (``doc_id``, else ``id``); None without such a column.
        loss: mean over its micro-batches, as the model gave it; None when it gave none, or it is no number.
    """

    step: int
    first_sample: int
    samples: int
    rows: list[int] | None
    ids: list[str | int] | None
    loss: float | None


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    """Content of ``incident-<step>.json``.

    Attributes:
        step: the last one that was done.
        rank: which wrote it.
        reasons: at least one.
        steps: this step and those before it, the last one first.
        trace: the command that finds the documents of the step; None when the order is not known.
        result: the monitor's check.
    """

    format: Literal[1] = 1
    step: int
    epoch: float | None
    rank: int
    reasons: list[Reason]
    steps: list[StepSamples]
    trace: str | None
    result: MonitorResult


def of_measure(measure: Measure) -> Reason:
    """Returns an anomaly as a reason."""
    return Reason(kind="anomaly", name=measure.name, value=measure.value, message=measure.message)


def of_value(name: str, value: float, before: str) -> Reason:
    """Returns a loss or a gradient norm as a reason; *before* says what the values before were like."""
    if not math.isfinite(value):
        return Reason(kind="not-a-number", name=name, value=None, message=f"{name} is {value}.")
    return Reason(kind="spike", name=name, value=value, message=f"{name} is {value:.4g}; {before}.")


def write_incident(incident: Incident, folder: Path) -> Path:
    """Writes an incident and returns its file; that of another rank than 0 has it in its name.

    Raises:
        RunError: it cannot be written.
    """
    of_rank = f"-rank{incident.rank}" if incident.rank else ""
    path = folder / f"incident-{incident.step}{of_rank}.json"
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(msgspec.json.format(msgspec.json.encode(incident), indent=1) + b"\n")
        temporary.replace(path)
    except OSError as error:
        raise RunError(f"{path} cannot be written ({error.strerror}). Give the callback another folder=.") from error
    return path
