"""What judging an order of training found, as a plain struct, of which every printed number is a rendering."""

from typing import Literal

import msgspec

from dataaudit.result import Finding, Status

ORDER_SCHEMA = 1


class OrderResult(msgspec.Struct, frozen=True, kw_only=True):
    """An order of training, judged.

    Attributes:
        run: the run folder as it was given.
        order, packing: how samples are read and made.
        batch_size, grad_accum, world_size: samples a rank and micro-batch, micro-batches a step, ranks.
        which_documents: ``all``, ``clean`` or ``records``.
        documents, samples, steps: of the training set and the order.
        unit: what documents are measured in.
        verdict: the worst status of all findings.
        counts: findings by status.
        findings: one a check, worst first.
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
    unit: Literal["tokens", "characters"]
    verdict: Status
    counts: dict[str, int]
    findings: list[Finding]
    dataaudit_version: str
    schema_version: int = ORDER_SCHEMA

    def to_json(self) -> bytes:
        """Returns the result as indented JSON."""
        return msgspec.json.format(msgspec.json.encode(self, order="deterministic"), indent=1) + b"\n"
