"""Checks whether the model's settings and the tokenizer go together."""

from collections.abc import Iterator
from typing import NamedTuple

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.wording import counted

ROLES = {"bos_id": "BOS", "eos_id": "EOS", "pad_id": "padding"}


class Contradiction(NamedTuple):
    """A setting of the model that the tokenizer contradicts: its name and value, and what the tokenizer has."""

    setting: str
    value: int
    tokenizer: str


@check(
    "model-tokenizer",
    group="token ids",
    title="Model and tokenizer go together",
    unit="contradictions",
    needs=("vocabulary",),
)
def model_tokenizer(evidence: Evidence, options: Options) -> Outcome:
    """Settings of the model that the tokenizer contradicts.

    ``model.bos_id``, ``eos_id`` and ``pad_id`` that the tokenizer does not have, that are ordinary tokens, or that are
    other ones than the tokenizer names itself; ``model.vocab_size`` below the tokenizer's id space.

    Why: where the model's end of a document is an ordinary word or no token, it never learns to stop; an id past the
    embedding ends the run.
    Do: take the tokenizer that belongs to the model, or set model.bos_id, model.eos_id, model.pad_id, model.vocab_size.
    """
    model = evidence.config.model
    if all(value is None for value in (model.vocab_size, model.bos_id, model.eos_id, model.pad_id)):
        return Outcome.skip("The config has no setting of the model that a tokenizer could contradict.")
    found = list(_contradictions(evidence))
    if not found:
        return Outcome(0, "The model's settings and the tokenizer go together.")
    first = found[0]
    message = (
        f"{counted(len(found), 'setting')} of the model and the tokenizer contradict each other: "
        f"model.{first.setting} is {first.value:,}, {first.tokenizer}."
    )
    return Outcome(len(found), message, details={"contradictions": [each._asdict() for each in found]})


def _contradictions(evidence: Evidence) -> Iterator[Contradiction]:
    model, vocabulary = evidence.config.model, evidence.vocabulary
    assert vocabulary is not None
    if model.vocab_size is not None and model.vocab_size < vocabulary.id_space:
        yield Contradiction("vocab_size", model.vocab_size, f"the tokenizer's ids end at {vocabulary.id_space - 1:,}")
    for name, role in ROLES.items():
        value = getattr(model, name)
        if value is None:
            continue
        own = evidence.tokenizer_ids.get(name)
        if value >= vocabulary.id_space or not vocabulary.in_use[value]:
            yield Contradiction(name, value, "which the tokenizer does not have")
        elif own is not None and own != value:
            yield Contradiction(name, value, f"but the tokenizer's own {role} is {own:,}")
        elif own is None and not vocabulary.is_special[value]:
            yield Contradiction(name, value, "which is an ordinary token of the tokenizer")
