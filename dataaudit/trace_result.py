"""What a trace found, as plain structs, of which every printed number is a rendering."""

from typing import Literal

import msgspec

TRACE_SCHEMA = 1
Unit = Literal["tokens", "characters"]
Recovery = Literal["fast", "slowly", "not", "unknown"]


class Reason(msgspec.Struct, frozen=True):
    """Why a batch or a document is unusual.

    Attributes:
        measure: such as ``special_char_ratio max``, of a batch; a signal's name, of a document.
        family: what it is a measure of, such as ``special characters``.
        value: measured.
        share: of all batches (documents) of the run with this value or a larger one.
    """

    measure: str
    family: str
    value: float
    share: float


class BatchRisk(msgspec.Struct, frozen=True, kw_only=True):
    """How unusual the batch of a step is among all batches of the run.

    Attributes:
        step, epoch: which one; steps count from 1 as trainers log them, epochs from 0.
        unusual: the root mean square over the families of measures of log10 of their least share; 0 is most usual.
        share: of all batches that are at least as unusual.
        rank: its place among the steps that were looked back at, from 1.
        reasons: the measure with the least share of each family, least share first.
        worst: the documents with the largest part in it, largest first, as doc_id.
    """

    step: int
    epoch: int
    unusual: float
    share: float
    rank: int
    reasons: list[Reason]
    worst: list[int]


class Piece(msgspec.Struct, frozen=True):
    """A part of a document in a sample: its tokens *start* to *stop* (characters without a tokenizer)."""

    doc_id: int
    start: int
    stop: int


class Sample(msgspec.Struct, frozen=True):
    """A sample of the batch: its number in the training set, who read it, and what it holds."""

    sample: int
    rank: int
    micro: int
    pieces: list[Piece]


class FailedRule(msgspec.Struct, frozen=True):
    """A rule of the run that a document fails; *action* is ``quarantine`` or ``flag``."""

    rule: str
    signal: str | None
    value: float | None
    min: float | None
    max: float | None
    action: str


class TracedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document of the batch.

    Attributes:
        doc_id, id, file, record, source: which one, and where it stands.
        samples: numbers of the batch's samples that hold some of it.
        size: how many of its tokens (characters) the batch holds.
        part: its share of what makes the batch unusual, from 0 to 1; over all documents they sum to 1.
        reasons: its signals that fewest documents of the training set reach.
        signals: every signal; empty for documents that are not shown in full.
        fails: rules that it fails.
        excerpt: up to 600 characters around the place that a reason counts, addresses masked; null when not read.
        start, stop: that place in the excerpt, null when there is none.
    """

    doc_id: int
    id: str | None
    file: str
    record: int
    source: str | None
    samples: list[int]
    size: int
    part: float
    reasons: list[Reason] = []
    signals: dict[str, float | int | None] = {}
    fails: list[FailedRule] = []
    excerpt: str | None = None
    start: int | None = None
    stop: int | None = None


class StepTrace(msgspec.Struct, frozen=True, kw_only=True):
    """The batch of a step, and the steps before it.

    Attributes:
        step: the step.
        batch: how unusual its batch is.
        before: the steps that were looked back at, the step itself among them, most unusual first.
        samples: what its batch held, in the order it was read.
        documents: of its batch, largest part first.
    """

    step: int
    batch: BatchRisk
    before: list[BatchRisk]
    samples: list[Sample]
    documents: list[TracedDocument]


class Spike(msgspec.Struct, frozen=True, kw_only=True):
    """A value of the log that stands out.

    Attributes:
        step: at which it was logged.
        series: ``loss`` or ``grad_norm``.
        value: the largest of the spike; null when it was no number (NaN or infinite).
        mean, sigma: of the 128 values before it that were no spikes.
        recovery: back below mean + 2 sigma for three values in a row within 16 values (``fast``), later (``slowly``),
            ``not``, or ``unknown`` when the log ends too soon.
        recovered_after: logged values until then, null when not.
        first_step: the steps from here to *step* are in this logged value.
        before: steps that were looked back at, most unusual first; at most 5.
        order_has_it: whether the order has the step.
    """

    step: int
    series: str
    value: float | None
    mean: float
    sigma: float
    recovery: Recovery
    recovered_after: int | None
    first_step: int
    before: list[BatchRisk] = []
    order_has_it: bool = True


class Association(msgspec.Struct, frozen=True):
    """Whether a measure of batches is higher before spikes than elsewhere.

    Attributes:
        measure, family: as in ``Reason``.
        before_spikes: mean over the spikes of the largest percentile (0 to 1) in the steps before.
        baseline: the mean of that at random steps.
        p: share of the random draws that reach it; corrected for the number of measures (Holm).
    """

    measure: str
    family: str
    before_spikes: float
    baseline: float
    p: float


class LossTrace(msgspec.Struct, frozen=True, kw_only=True):
    """What a log of the loss says.

    Attributes:
        files: that were read.
        values: logged values by series.
        spikes: in the order of steps.
        window: steps up to a spike in which measures are looked at.
        draws: random draws of the baseline; 0 when there were too few spikes or steps to compare.
        associations: of all measures, least p first.
        notes: what to know about the log.
    """

    files: list[str]
    values: dict[str, int]
    spikes: list[Spike]
    window: int
    draws: int
    associations: list[Association]
    notes: list[str]


class TraceResult(msgspec.Struct, frozen=True, kw_only=True):
    """A trace.

    Attributes:
        run: the run folder as it was given.
        order, packing: as they were given.
        documents, samples, steps: of the training set and the order.
        which_documents: ``all``, ``clean`` or ``records``.
        unit: what documents are measured in.
        not_measured: families of measures that the run has no signal for.
        trace: of the step that was asked for, null when only a log was given.
        losses: null without a log.
    """

    run: str
    order: str
    packing: str
    batch_size: int
    grad_accum: int
    world_size: int
    which_documents: str
    documents: int
    samples: int
    steps: int
    unit: Unit
    not_measured: list[str]
    trace: StepTrace | None
    losses: LossTrace | None
    dataaudit_version: str
    schema_version: int = TRACE_SCHEMA

    def to_json(self) -> bytes:
        """Returns the trace as indented JSON."""
        return msgspec.json.format(msgspec.json.encode(self, order="deterministic"), indent=1) + b"\n"
