"""Checks of the order of training: how well it is mixed, and of what."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.order import GROUP, LISTED, NEEDS, facts
from dataaudit.checks.wording import agree, counted, every, number, percent
from dataaudit.order_quality.facts import Mixture, OrderFacts

FEWEST_LENGTHS = 100
LISTED_SOURCES = 100


@check("order-shuffle", group=GROUP, title="Shuffle", unit="standard deviations", needs=NEEDS)
def order_shuffle(evidence: Evidence, options: Options) -> Outcome:
    """How many standard deviations fewer runs of one source the order has than a random one (Wald and Wolfowitz).

    A sample's source is that of the first document in it. Where there is one source, files take its place: an order of
    files that were shuffled inside is then clustered all the same.

    Why: sources in blocks make the loss jump from block to block, and the last one is what the model remembers.
    Do: shuffle over all sources, or with a buffer that is larger than a block.
    """
    found = facts(evidence).shuffle
    if found.labels < 2:
        return Outcome.skip("All samples are of one source and of one file.")
    whole = found.whole
    if whole is None or whole.z is None:
        return Outcome.skip(f"Too few runs of {found.label}s are expected to judge how they are mixed.")
    details = {
        "label": found.label,
        "labels": found.labels,
        "runs": whole.runs,
        "expected_runs": whole.expected,
        "deviation": whole.deviation,
        "z": whole.z,
    }
    far = f"{number(abs(whole.z))} standard deviations {'fewer' if whole.z < 0 else 'more'}"
    random = number(round(whole.expected))
    message = f"{whole.runs:,} runs of one {found.label} where a random order has about {random}: {far}."
    return Outcome(max(-whole.z, 0.0), message, details=details)


@check(
    "unshuffled-stretches",
    group=GROUP,
    title="Unshuffled stretches",
    unit="share of windows",
    needs=NEEDS,
    options={"deviations": 8},
)
def unshuffled_stretches(evidence: Evidence, options: Options) -> Outcome:
    """Share of windows in which sources (or files) come in blocks: ``deviations`` too few runs, and more.

    Windows hold ``order.window_samples`` samples, fewer in a short order. Those in which chance would give too few runs
    for the normal approximation (a standard deviation below 5) are not judged.

    Why: a shuffle that stopped half-way, a file that was appended, a buffer that ran empty: the rest looks well mixed.
    Do: look at the steps named; shuffle the whole.
    """
    found = facts(evidence)
    z = found.shuffle.z
    judged = int((~np.isnan(z)).sum())
    if not judged:
        return Outcome.skip(f"No window has enough runs of {found.shuffle.label}s to be judged.")
    stretched = np.flatnonzero(z < -options["deviations"])
    stretches = [found.steps_of(first, last) for first, last in _rows(stretched.tolist())]
    details = {"judged": judged, "stretches": [{"first_step": a, "last_step": b} for a, b in stretches[:LISTED]]}
    if not len(stretched):
        lowest = number(float(np.nanmin(z)))
        message = f"{every(judged, 'window')} {agree(judged, 'have')} {found.shuffle.label}s mixed (lowest z {lowest})."
        return Outcome(0.0, message, details=details)
    first, last = stretches[0]
    message = f"From step {first:,} to {last:,} {found.shuffle.label}s come in blocks"
    message += f"; {counted(len(stretches), 'such stretch', 'such stretches')} in all." if len(stretches) > 1 else "."
    return Outcome(len(stretched) / judged, message, details=details)


@check(
    "length-order",
    group=GROUP,
    title="Order of lengths",
    unit="correlation",
    needs=NEEDS,
    options={"deviations": 3},
)
def length_order(evidence: Evidence, options: Options) -> Outcome:
    """Lag-1 autocorrelation of the logarithm of lengths in the order they are read, if it is not chance.

    The length of a sample is that of the first document in it. Chance gives ± ``deviations`` / √n for n samples.

    Why: lengths that come sorted or in groups make steps of unlike size, and the loss swings with them.
    Do: shuffle; if the trainer groups by length on purpose, switch this check off.
    """
    found = facts(evidence)
    value = found.autocorrelation
    if found.lengths < FEWEST_LENGTHS or value is None:
        return Outcome.skip(
            f"{counted(found.lengths, 'sample')} with a length, or all of one length: too few to judge."
        )
    noise = options["deviations"] / math.sqrt(found.lengths)
    details = {"autocorrelation": value, "chance": noise, "samples": found.lengths}
    if value <= noise:
        return Outcome(
            0.0, f"Lengths are in no order: autocorrelation {number(value)}, chance ± {number(noise)}.", details=details
        )
    message = (
        f"A sample's length is like that of the one before: autocorrelation {number(value)}, chance ± {number(noise)}."
    )
    return Outcome(value, message, details=details)


@check(
    "order-mixture",
    group=GROUP,
    title="Mixture along the order",
    unit="share of tokens",
    needs=NEEDS,
    options={"p": 0.001},
)
def order_mixture(evidence: Evidence, options: Options) -> Outcome:
    """Largest difference of a source's share in a window from the one planned, where p < ``p`` over all windows.

    Planned is ``mixture`` of the config, else the training set's own shares. p bounds the chance of such a difference
    by Bernstein's inequality, from the sizes of the training set's samples: a few giant documents explain a lot of it.
    It is taken together over sources and windows (Bonferroni).

    Why: a mixture that jumps, at a resume or between datasets, is a jump of the loss, and a model of other data.
    Do: look at the first step named; mix before shuffling; restore the mixture's state at a resume.
    """
    found = facts(evidence)
    mixture = found.mixture
    details: dict[str, object] = {"planned": mixture.is_planned, "windows": len(mixture.p)}
    if len(mixture.names) < 2:
        return Outcome.skip("One source, and no planned mixture in the config.")
    off = np.flatnonzero(mixture.p * len(mixture.p) < options["p"])
    off = off[np.argsort(-mixture.difference[off], kind="stable")]
    details["off"] = [_window(found, at) for at in off[:LISTED].tolist()]
    planned = "planned" if mixture.is_planned else "the training set has"
    if not len(off):
        whose = "that are planned" if mixture.is_planned else "of the training set"
        windows = len(mixture.p)
        message = f"{every(windows, 'window')} {agree(windows, 'have')} the shares {whose}."
        return Outcome(0.0, message, details=details)
    alike = sorted(at for at in off.tolist() if mixture.source[at] == mixture.source[off[0]])
    first, last = found.steps_of(*next(row for row in _rows(alike) if row[0] <= off[0] <= row[1]))
    worst = _window(found, int(off[0]))
    message = (
        f"From step {first:,} to {last:,} {worst['source']} has up to {percent(worst['share'])} of "
        f"{evidence.weight_unit}; {planned} {percent(worst['expected'])}."
    )
    if worst["share"] < worst["expected"]:
        message = message.replace(" has up to ", " has down to ", 1)
    return Outcome(float(mixture.difference[off[0]]), message, details=details)


@check("source-epochs", group=GROUP, title="Epochs of a source", unit="epochs", needs=NEEDS)
def source_epochs(evidence: Evidence, options: Options) -> Outcome:
    """Largest number of times that the order reads a source: tokens drawn over the tokens it has in the training set.

    Why: up to about four epochs, repeated data are nearly as good as new ones (arXiv 2305.16264); then they are not.
    Do: give the source a smaller share, or more data.
    """
    mixture = facts(evidence).mixture
    epochs = _epochs(mixture)
    if not epochs:
        return Outcome.skip("The training set has no tokens.")
    name, value, _, _ = max(epochs, key=lambda each: each.epochs)
    details = {"sources": [each._asdict() for each in epochs[:LISTED_SOURCES]]}
    lowest = min(each.epochs for each in epochs)
    others = f"; the least read {number(lowest)} times" if len(epochs) > 1 else ""
    message = f"{name} is read {number(value)} times over{others}."
    return Outcome(value, message, details=details)


class Epochs(NamedTuple):
    """How often a source is read: tokens drawn over the *unique* ones that samples hold."""

    name: str
    epochs: float
    drawn: int
    unique: int


def _epochs(mixture: Mixture) -> list[Epochs]:
    return [
        Epochs(name, drawn / held, drawn, held)
        for name, drawn, held in zip(mixture.names, mixture.drawn.tolist(), mixture.held.tolist(), strict=True)
        if held
    ]


def _window(found: OrderFacts, at: int) -> dict[str, Any]:
    mixture, (first, last) = found.mixture, found.steps_of(at, at)
    source = int(mixture.source[at])
    return {
        "first_step": first,
        "last_step": last,
        "source": mixture.names[source],
        "share": float(mixture.share[at]),
        "expected": float(mixture.expected[source]),
        "p": float(mixture.p[at]),
    }


def _rows(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Returns ascending numbers as rows of consecutive ones, first and last."""
    found: list[tuple[int, int]] = []
    for each in numbers:
        if found and found[-1][1] == each - 1:
            found[-1] = found[-1][0], each
        else:
            found.append((each, each))
    return found
