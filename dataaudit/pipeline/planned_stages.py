"""What a plan says of the stages to come, before any document is counted."""

from typing import NamedTuple

from dataaudit.duplicates.partitions import PARTITION_RECORDS
from dataaudit.pipeline.plan import Plan


class PlannedStage(NamedTuple):
    """A stage that workers share: its name, how many tasks it has, and what else there is to say of them."""

    name: str
    tasks: int
    note: str


def planned_stages(plan: Plan) -> list[PlannedStage]:
    """Returns the stages in their order."""
    shards = len(plan.shards)
    size = sum(piece.size for pieces in plan.shards for piece in pieces)
    with_ids = sum(pieces[0].kind == "ids" for pieces in plan.shards)
    with_tokens = shards if plan.map.tokenizer is not None else with_ids
    found = [PlannedStage("measuring", shards, f", which read {size / 1e6:,.1f} MB")]
    if with_tokens:
        found.append(PlannedStage("comparing with the corpus", with_tokens, ""))
    found.append(PlannedStage("looking for drift", shards, ""))
    if plan.map.shingle_units is not None:
        note = f", and 2 or more by the number of documents ({PARTITION_RECORDS:,} records each)"
        found.append(PlannedStage("looking for duplicates", shards, note))
    return found


def rounds(plan: Plan) -> int:
    """Returns how often workers with shares of their own have to be started, if none waits for the others."""
    return 2 if plan.map.shingle_units is None else 4
