"""Why a signal has no value in a run."""

from collections.abc import Container
from dataclasses import dataclass

from dataaudit.checks.evidence import NO_IDS
from dataaudit.config.schema import Model
from dataaudit.pipeline.plan import Plan
from dataaudit.signals import Signal, all_signals

SIDES = {"labels": "labels", "mask": "attention_mask"}
"""The columns that a signal's need stands for."""
SETTINGS = {
    "embedding_rows": "model.vocab_size",
    "eos_id": "model.eos_id",
    "max_length": "model.max_length",
    "pad_id": "model.pad_id",
    "special_ids": "model.bos_id, model.eos_id or model.pad_id",
}
"""The settings that what a signal requires comes from."""


@dataclass(frozen=True, slots=True)
class WhatWasThere:
    """What a run had to measure.

    Attributes:
        has_tokens: whether there are token ids, given or made here.
        is_compared: whether documents were compared, all or a sample.
        came_as_ids: whether the corpus came as token ids.
        sides: columns beside the token ids.
    """

    has_tokens: bool
    is_compared: bool
    came_as_ids: bool
    sides: frozenset[str]


def what_was_there(plan: Plan, measured: Container[str]) -> WhatWasThere:
    """Returns what a run had; *measured* are the names of its signals."""
    pieces = [piece for shard in plan.shards for piece in shard]
    return WhatWasThere(
        has_tokens="token_count" in measured,
        is_compared="duplicate_count" in measured,
        came_as_ids=any(piece.kind == "ids" for piece in pieces),
        sides=frozenset(name for piece in pieces for name in piece.side_columns),
    )


def outdated(plan: Plan, model: Model) -> dict[str, str]:
    """Returns the signals that were measured with other ids of the model than these, and that it is so.

    Labels and masks are seen only while the corpus is read, so another model does not measure them again.
    """
    used = plan.map.model_ids
    if used is None or (used.bos, used.eos, used.pad) == (model.bos_id, model.eos_id, model.pad_id):
        return {}
    reason = "labels and masks were read with other model ids; audit again"
    return {
        each.name: reason for each in all_signals().values() if each.needs in SIDES and {*each.requires} & {*SETTINGS}
    }


def reason_of(signal: Signal, there: WhatWasThere) -> str:
    """Returns why a signal was not measured, as a clause."""
    if signal.needs == "duplicates" and there.is_compared:
        return "only a sample was compared (duplicates.sample)"
    if signal.needs == "duplicates":
        return "documents were not compared (duplicates.enabled is false)"
    if signal.needs == "drift":
        return "shards were not compared; judge the run again with dataaudit check"
    if signal.needs == "text":
        return "the corpus came as token ids"
    if not there.came_as_ids and (signal.needs in SIDES or "given" in signal.requires):
        return NO_IDS
    if signal.needs in SIDES and SIDES[signal.needs] not in there.sides:
        return f"the corpus has no column {SIDES[signal.needs]} beside token ids"
    if not there.has_tokens:
        return "no tokenizer was given"
    missing = {"vocabulary": "no tokenizer was given", "text": "the corpus came as token ids"}
    reasons = [
        missing.get(name) or f"the config has no {SETTINGS.get(name, name)}"
        for name in signal.requires
        if name != "given"
    ]
    return "; ".join(reasons) or "not measured"
