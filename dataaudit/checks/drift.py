"""Checks of drift: shards, windows and the whole corpus against what they should be like."""

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import WORST, Evidence
from dataaudit.checks.wording import agree, counted, number, percent
from dataaudit.result import Drift, DriftPart, Part

GROUP = "drift"
LISTED = 20
NAMED_TOKENS = 8
FEWEST_WINDOWS = 10
OUTLIER_Z = 5.0
TOO_SMALL = "No shard has enough tokens and documents to be judged (drift.min_tokens, drift.min_documents)."


def excess(part: DriftPart) -> float | None:
    """Returns the excess that judges a shard: against its source's other shards if there are any."""
    return part.kl_excess if part.kl_excess_source is None else part.kl_excess_source


@check("shard-drift", group=GROUP, title="Shards unlike the others", unit="nats", needs=("drift",))
def shard_drift(evidence: Evidence, options: Options) -> Outcome:
    """Largest ``kl_excess`` of a shard: KL of its tokens from all other shards', less what chance alone gives.

    A shard is an input file, a piece of a large one, or a group of small ones. A shard that holds one source alone is
    compared with the other shards of that source, if there are any. Shards below ``drift.min_tokens`` or
    ``drift.min_documents`` are reported and not judged; so are those whose tokens lie in a few documents
    (``drift.min_effective_documents``), since one giant document differs from any corpus. Raw KL is no alarm: a clean
    shard of 60,000 tokens under a vocabulary of 128,000 has 0.5 nats. Without a tokenizer, words in 65,536 buckets are
    counted.

    Why: a shard of another language, a broken file or a template flood shows here, with the tokens that make it so.
    Do: read the tokens named, look at the shard, and mix, clean or drop it.
    """
    drift = drift_of(evidence)
    judged = [part for part in drift.shards if part.is_judged and excess(part) is not None]
    uneven = _uneven(evidence)
    details: dict[str, object] = {
        "unit": drift.unit,
        "overdispersion": drift.overdispersion,
        "judged": len(judged),
        "uneven": [{"name": part.name, "longest_document_share": part.longest_document_share} for part in uneven],
    }
    if drift.shard_count < 2:
        return Outcome.skip("One shard has no others to be compared with.")
    if not judged:
        return Outcome.skip(TOO_SMALL + _of_uneven(uneven))
    judged.sort(key=lambda part: -(excess(part) or 0.0))
    worst, value = judged[0], excess(judged[0]) or 0.0
    details["shards"] = [
        {"name": part.name, "kl_excess": excess(part), "tokens": _named(part)} for part in judged[:LISTED]
    ]
    message = f"{worst.name} is the furthest from the others: {number(value)} nats more than chance."
    if value >= 0.02 and _named(worst):
        message += f" It has more of: {', '.join(_named(worst))}."
    message += _of_outliers(drift) + _of_uneven(uneven)
    parts = [
        Part(name=part.name, documents=part.documents, of_documents=part.documents, share=1.0)
        for part in judged[:WORST]
    ]
    return Outcome(value, message, documents=worst.documents, tokens=worst.tokens, details=details, worst_shards=parts)


@check(
    "length-drift",
    group=GROUP,
    title="Shards of other lengths",
    unit="distance",
    needs=("drift",),
    options={"q": 0.05},
)
def length_drift(evidence: Evidence, options: Options) -> Outcome:
    """Largest Kolmogorov-Smirnov distance of a shard's document lengths from the rest's, where q < ``q``.

    The distance is the largest difference of the two cumulative shares: 0 to 1. The p-value alone would warn about
    everything: with 100,000 documents a distance of 0.01 already has p < 0.05. So the distance is judged, and q (p
    after Benjamini and Hochberg, over all shards) only has to say that it is not chance.

    Why: a shard of cut, joined or padded documents changes the batches, and often the loss.
    Do: look at the shard's shortest and longest documents.
    """
    drift = drift_of(evidence)
    judged = [part for part in drift.shards if part.is_judged and part.length_distance is not None]
    if drift.shard_count < 2:
        return Outcome.skip("One shard has no others to be compared with.")
    if not judged:
        return Outcome.skip(TOO_SMALL)
    real = [part for part in judged if part.length_q_value is not None and part.length_q_value < options["q"]]
    if not real:
        return Outcome(0.0, f"No shard's lengths differ from the others' by more than chance (q < {options['q']:g}).")
    real.sort(key=lambda part: -(part.length_distance or 0.0))
    worst = real[0]
    details = {
        "shards": [
            {
                "name": part.name,
                "distance": part.length_distance,
                "q_value": part.length_q_value,
                "wasserstein": part.length_wasserstein,
                "psi": part.length_psi,
            }
            for part in real[:LISTED]
        ]
    }
    message = (
        f"{worst.name} differs most in length: distance {number(worst.length_distance or 0.0)}, on average by "
        f"{number(worst.length_wasserstein or 0.0)} {evidence.weight_unit}."
    )
    return Outcome(worst.length_distance, message, documents=worst.documents, tokens=worst.tokens, details=details)


@check("change-points", group=GROUP, title="Changes along the corpus", unit="changes", needs=("drift",))
def changes(evidence: Evidence, options: Options) -> Outcome:
    """Places in the corpus's order from which on a measure of the windows stays different.

    Windows hold ``drift.window_documents`` documents. Followed are kl_excess, length, entropy, repetition, control and
    special characters, and the share of each source. PELT finds the places, and CUSUM slow changes that it leaves.
    Where sources lie one after the other, in shards of their own, changes at their boundaries are told and not counted.

    Why: a crawl that changed, a pipeline that was updated half-way, sources that are not shuffled.
    Do: look at the documents from there on; shuffle, or clean the part.
    """
    drift = drift_of(evidence)
    judged = sum(window.is_judged for window in drift.windows)
    details = {
        "changes": [
            {
                "document": each.document,
                "measure": each.measure,
                "before": each.before,
                "after": each.after,
                "at_source_boundary": each.at_source_boundary,
            }
            for each in drift.change_points[:LISTED]
        ],
        "windows_judged": judged,
    }
    if judged < FEWEST_WINDOWS:
        return Outcome.skip(f"{counted(judged, 'window')} with enough {drift.unit}; {FEWEST_WINDOWS} make a series.")
    counts = [each for each in drift.change_points if not each.at_source_boundary]
    if not counts:
        message = f"No lasting change over {counted(judged, 'window')}."
        if drift.change_points:
            message += f" {counted(len(drift.change_points), 'change')} where one source ends and the next begins."
        return Outcome(0, message, details=details)
    first = counts[0]
    values = f"{number(first.after)} instead of {number(first.before)}"
    message = f"From document {first.document:,} on, {first.measure} is {values}."
    if len(counts) > 1:
        message += f" {counted(len(counts), 'change')} in all."
    return Outcome(len(counts), message, details=details)


@check("reference-drift", group=GROUP, title="Drift from the reference", unit="nats", needs=("drift", "reference"))
def reference_drift(evidence: Evidence, options: Options) -> Outcome:
    """``kl_excess`` of the corpus against an earlier run (``--reference RUN``), which is taken as exact.

    Why: a corpus that was meant to be the same, or an extension, should read the same.
    Do: read the tokens named, and the shards that are furthest from the reference.
    """
    drift = drift_of(evidence)
    value = drift.reference_excess
    if value is None:
        return Outcome.skip("There are no tokens to compare, here or in the reference.")
    if drift.tokens < evidence.config.drift.min_tokens:
        return Outcome.skip(f"The corpus has fewer than {number(evidence.config.drift.min_tokens)} {drift.unit}.")
    shards = sorted(
        (part for part in drift.shards if part.is_judged and part.reference_excess is not None),
        key=lambda part: -(part.reference_excess or 0.0),
    )
    tokens = [driver.text or str(driver.id) for driver in drift.reference_drivers[:NAMED_TOKENS]]
    details = {
        "kl": drift.reference_kl,
        "tokens": tokens,
        "shards": [{"name": part.name, "reference_excess": part.reference_excess} for part in shards[:LISTED]],
    }
    message = f"The corpus is {number(value)} nats further from {drift.reference} than chance gives."
    if value >= 0.02:
        message += f" It has more of: {', '.join(map(repr, tokens))}."
    return Outcome(value, message, details=details)


@check("vocabulary-use", group=GROUP, title="Vocabulary use", unit="slope", needs=("drift",))
def vocabulary_use(evidence: Evidence, options: Options) -> Outcome:
    """Zipf's slope (ln frequency over ln rank, ranks 10 to 10,000), entropy and variety of tokens. Information.

    Why: natural text has a slope near -1; a far flatter or steeper one is a list, a template or a code dump.
    Do: compare with an earlier corpus.
    """
    drift = drift_of(evidence)
    details = {
        "tokens": drift.tokens,
        "types": drift.types,
        "type_token_ratio": drift.type_token_ratio,
        "entropy": drift.entropy,
        "perplexity": drift.perplexity,
    }
    if drift.entropy is None or drift.perplexity is None:
        return Outcome(None, f"No {drift.unit}.", details=details)
    slope = "too few for a slope" if drift.zipf_slope is None else f"slope {number(drift.zipf_slope)}"
    message = (
        f"{drift.tokens:,} {drift.unit} of {drift.types:,} kinds, {slope}; entropy {number(drift.entropy)} nats, as of "
        f"{number(round(drift.perplexity))} equally frequent ones."
    )
    return Outcome(drift.zipf_slope, message, details=details)


def drift_of(evidence: Evidence) -> Drift:
    """Returns the part on drift, which a check with ``needs=("drift",)`` has."""
    assert evidence.drift is not None
    return evidence.drift


def _uneven(evidence: Evidence) -> list[DriftPart]:
    """Returns the shards that are large enough, but in too few documents; the most uneven first."""
    needed = evidence.config.drift
    found = [
        part
        for part in drift_of(evidence).shards
        if not part.is_judged and part.tokens >= needed.min_tokens and part.documents >= needed.min_documents
    ]
    return sorted(found, key=lambda part: -(part.longest_document_share or 0.0))[:LISTED]


def _of_uneven(uneven: list[DriftPart]) -> str:
    if not uneven:
        return ""
    count = len(uneven)
    return (
        f" {counted(count, 'shard')} {agree(count, 'are')} not judged, because a few documents hold most of it: in "
        f"{uneven[0].name} the longest one has {percent(uneven[0].longest_document_share)} of the length."
    )


def _of_outliers(drift: Drift) -> str:
    """Tells how many shards stand out among the others, unless they differ by design."""
    if all(len(part.sources) < 2 for part in drift.shards) and len(drift.mixture) > 1:
        return ""
    count = sum((part.outlier_z or 0.0) >= OUTLIER_Z for part in drift.shards)
    if not count:
        return ""
    return (
        f" {counted(count, 'shard')} {agree(count, 'stand')} out from the others (robust z of {OUTLIER_Z:g} or more)."
    )


def _named(part: DriftPart) -> list[str]:
    return [repr(driver.text) if driver.text else f"id {driver.id}" for driver in part.drivers[:NAMED_TOKENS]]
