"""Checks of the order of training: what it reads twice."""

from collections.abc import Iterable, Sequence

import msgspec

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import EXAMPLES, Evidence
from dataaudit.checks.wording import agree, counted, number, percent
from dataaudit.order_quality.facts import OrderFacts, Place, Replay
from dataaudit.result import Example

GROUP = "order"
LISTED = 20
NEEDS = ("order",)


@check("step-repeats", group=GROUP, title="Samples twice in a step", unit="share of samples", needs=NEEDS)
def step_repeats(evidence: Evidence, options: Options) -> Outcome:
    """Share of the samples read that their step has read before, by the same rank or by another.

    Why: ranks or workers that share a seed read the same; the batch is then smaller than it looks, and data are missed.
    Do: give each rank its own part (DistributedSampler, or rank and worker in the seed); draw without replacement.
    """
    found = facts(evidence).repeats
    value = _share(found.in_step, found.reads)
    details = {"in_step": found.in_step, "across_ranks": found.across_ranks, "reads": found.reads}
    if not found.in_step:
        return Outcome(
            value, f"No step of {counted(facts(evidence).steps, 'step')} reads a sample twice.", details=details
        )
    message = (
        f"{found.in_step:,} of {counted(found.reads, 'sample')} ({percent(value)}) {agree(found.in_step, 'are')} in"
    )
    message += " their step twice."
    if 2 * found.across_ranks > found.in_step:
        message += (
            f" Another rank reads {percent(found.across_ranks / found.in_step)} of them: ranks that share a seed."
        )
    return Outcome(value, message, details=details, examples=located(evidence, found.in_step_places))


@check(
    "step-copies",
    group=GROUP,
    title="Copies in a step",
    unit="share of documents",
    needs=(*NEEDS, "exact_duplicate_of"),
)
def step_copies(evidence: Evidence, options: Options) -> Outcome:
    """Share of the documents begun that have an exact copy, another document, earlier in the same step.

    Chance alone puts some copies into one step; how many is said. Needs the comparison of documents.

    Why: a step of copies is a step of fewer examples, and its gradient leans to them.
    Do: remove exact duplicates (dataaudit filter), or shuffle so that copies lie apart.
    """
    found = facts(evidence).copies
    value = _share(found.found, found.begun)
    details = {"found": found.found, "by_chance": found.by_chance, "begun": found.begun}
    if not found.found:
        return Outcome(value, "No document has an exact copy in its step.", details=details)
    message = (
        f"{found.found:,} of {counted(found.begun, 'document')} ({percent(value)}) {agree(found.found, 'have')} an "
        f"exact copy earlier in the step; a random order has about {number(round(found.by_chance))}."
    )
    return Outcome(value, message, details=details, examples=located(evidence, found.places))


@check("early-repeats", group=GROUP, title="Samples read again too early", unit="share of samples", needs=NEEDS)
def early_repeats(evidence: Evidence, options: Options) -> Outcome:
    """Share of the samples read that were read before, while others of their source still wait for their turn.

    A source counts on its own, so that one may be read more often than another. An epoch may leave out less than a
    step, or read as much again to fill its last one. Repeats within a step are step-repeats. The histogram of gaps
    counts every repeat of the same content.

    Why: what is read again early takes the place of data that are never seen, and the loss looks better than it is.
    Do: look for a resume that starts again, sampling with replacement, or ranks that each read the whole training set.
    """
    found = facts(evidence).repeats
    value = _share(found.early, found.reads)
    never = found.samples - found.distinct
    unread = f"{never:,} of {counted(found.samples, 'sample')} {agree(never, 'are')} never read"
    details = {
        "early": found.early,
        "again": found.again,
        "gaps": {str(1 << at): count for at, count in enumerate(found.gaps) if count},
        "distinct": found.distinct,
        "never_read": never,
    }
    if not found.early:
        return Outcome(value, f"No sample is read again before the rest of its source; {unread}.", details=details)
    message = (
        f"{found.early:,} of {counted(found.reads, 'sample')} ({percent(value)}) {agree(found.early, 'are')} read "
        f"again before the rest of their source; {unread}."
    )
    return Outcome(value, message, details=details, examples=located(evidence, found.early_places))


@check("resume-replay", group=GROUP, title="Replay of what was read", unit="samples", needs=NEEDS)
def resume_replay(evidence: Evidence, options: Options) -> Outcome:
    """Longest run of samples that repeat earlier ones in the same order, at one distance.

    Compared is content: samples of the same pieces of the same documents, or of exact copies. Repeats within a step do
    not count. A second pass over the whole training set in the same order (all of its samples but less than a step were
    read, and lie between) is told, and is no replay.

    Why: a run that was resumed at the wrong place trains on what it has seen, and its loss looks good meanwhile.
    Do: restore the sampler's state with the model's, or skip the batches that were read; check the first batch.
    """
    found = facts(evidence).repeats
    details = {
        "replayed": found.replayed,
        "longest_pass": found.longest_pass,
        "replays": [
            {
                "step": each.step,
                "samples": each.reads,
                "distance": each.distance,
                "from_step": each.from_step,
                "copies": each.is_copy,
            }
            for each in _longest_first(found.replays)[:LISTED]
        ],
    }
    passes = _passes(facts(evidence))
    if not found.replays:
        longest = f"the longest run that does has {counted(found.longest, 'sample')}" if found.longest else "none does"
        return Outcome(
            found.longest, f"No stretch repeats an earlier one in its order: {longest}.{passes}", details=details
        )
    worst = _longest_first(found.replays)[0]
    what = "copies of what" if worst.is_copy else "what"
    message = (
        f"From step {worst.step:,} on, {worst.reads:,} samples in a row are {what} was read from step "
        f"{worst.from_step:,} on, in the same order.{passes}"
    )
    places = [Place(each.step, None, None, each.documents, each.from_step, None) for each in found.replays]
    return Outcome(found.longest, message, details=details, examples=located(evidence, places))


def _passes(found: OrderFacts) -> str:
    if not found.repeats.passed:
        return ""
    return f" {found.repeats.passed:,} samples are read in the order of the pass before: epochs are not shuffled anew."


def _longest_first(replays: Sequence[Replay]) -> list[Replay]:
    return sorted(replays, key=lambda each: (-each.reads, each.step))


@check(
    "close-near-duplicates",
    group=GROUP,
    title="Near duplicates close together",
    unit="share of documents",
    needs=(*NEEDS, "duplicate_cluster"),
    options={"deviations": 5},
)
def close_near_duplicates(evidence: Evidence, options: Options) -> Outcome:
    """Share of the documents begun that follow another of their cluster of duplicates closely, less what chance gives.

    Close is within ``order.near_steps`` steps. Counts that are not ``deviations`` standard deviations above those of a
    random order are none.

    Why: pages of one template that come in a row pull the weights one way, and the loss falls and jumps.
    Do: shuffle documents, not files; remove near duplicates.
    """
    found = facts(evidence).near
    reach = counted(facts(evidence).near_samples, "sample")
    details = {"found": found.found, "by_chance": found.by_chance, "begun": found.begun}
    if found.found <= found.by_chance + options["deviations"] * max(found.by_chance, 1.0) ** 0.5:
        message = (
            f"{found.found:,} of {counted(found.begun, 'document')} {agree(found.found, 'begin')} within {reach} of"
        )
        chance = f"as chance gives (about {number(round(found.by_chance))})"
        return Outcome(0.0, f"{message} a near duplicate, {chance}.", details=details)
    value = _share(found.found, found.begun) - _share(found.by_chance, found.begun)
    message = (
        f"{found.found:,} of {counted(found.begun, 'document')} {agree(found.found, 'begin')} within {reach} "
        f"of a near duplicate; a random order has about {number(round(found.by_chance))}."
    )
    return Outcome(value, message, details=details, examples=located(evidence, found.places))


def facts(evidence: Evidence) -> OrderFacts:
    """Returns what was measured of the order."""
    assert evidence.order is not None
    return evidence.order


def located(evidence: Evidence, places: Iterable[Place]) -> list[Example]:
    """Returns the documents of places, each with its step, its rank, and where it was read before."""
    found = []
    for place in places:
        before = "" if place.other_step is None else f"; before in step {place.other_step:,}"
        if place.other_rank is not None:
            before += f", rank {place.other_rank}"
        rank = "" if place.rank is None else f", rank {place.rank}"
        sample = "" if place.sample is None else f", sample {place.sample:,}"
        for document in place.documents:
            if document in evidence.order_documents:
                reason = f"step {place.step:,}{rank}{sample}{before}"
                found.append(msgspec.structs.replace(evidence.order_documents[document], reason=reason))
    return found[:EXAMPLES]


def _share(part: float, whole: int) -> float:
    return part / whole if whole else 0.0
