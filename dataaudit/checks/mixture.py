"""The check of sources: their shares in the corpus, in shards and in windows, against a plan or against the corpus."""

from collections.abc import Iterator, Sequence

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.drift import GROUP, LISTED, drift_of
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.wording import counted, number, percent
from dataaudit.result import Drift, DriftPart

LISTED_SOURCES = 20
"""Sources that a part lists."""


@check(
    "source-mixture",
    group=GROUP,
    title="Source mixture",
    unit="share of tokens",
    needs=("drift",),
    options={"q": 0.01},
)
def source_mixture(evidence: Evidence, options: Options) -> Outcome:
    """Largest difference of a source's share from the one planned (``mixture`` in the config), where q < ``q``.

    Judged are the corpus, every shard and every window of the corpus's order; without a plan, shards and windows
    against the corpus. Where every shard holds a single source, shards and windows differ by design, and only the
    corpus is judged. q is p of Pearson's χ² after Benjamini and Hochberg, over the shards or the windows; its sample
    size is the effective number of documents, so that one giant document is not taken for a change of the mixture.

    Why: a mixture that jumps from shard to shard makes the loss jump; one off the plan trains another model.
    Do: shuffle across sources, or change the plan or the corpus; epochs says how often a source would be repeated.
    """
    drift, unit = drift_of(evidence), evidence.weight_unit
    is_planned = bool(evidence.config.mixture)
    shards, stretches = _off(drift.shards, options["q"]), _stretches(drift, options["q"])
    details: dict[str, object] = {
        "sources": [
            {"name": each.name, "share": each.token_share, "planned": each.planned_share, "epochs": each.epochs}
            for each in drift.mixture[:LISTED]
        ],
        "runs_z": drift.source_runs_z,
    }
    found = [_corpus(drift, unit)] if is_planned else []
    if len(drift.mixture) < 2 and not is_planned:
        return Outcome(None, "One source, and no planned mixture in the config.", details=details)
    if all(len(part.sources) < 2 for part in drift.shards):
        if not is_planned:
            return Outcome(None, "Every shard holds one source, so shards differ by design.", details=details)
    else:
        details["shards"] = [
            {"name": part.name, "source": part.mixture_source, "difference": part.mixture_distance}
            for part in shards[:LISTED]
        ]
        details["windows"] = [
            {
                "first_document": each[0].first_document,
                "documents": sum(part.documents for part in each),
                "source": each[0].mixture_source,
                "difference": _worst(each).mixture_distance,
            }
            for each in stretches[:LISTED]
        ]
        found += [_stretch(drift, each, len(stretches), unit) for each in stretches[:1]]
        found += [_shard(drift, part, unit) for part in shards[:1]]
    if not found:
        return Outcome(0.0, "The shares of sources are those of the corpus in every shard and window.", details=details)
    # The corpus itself comes first where nothing in it is further off.
    value, message, part = max(found, key=lambda each: each[0])
    return Outcome(
        value,
        message,
        documents=part.documents if part else None,
        tokens=part.tokens if part else None,
        details=details,
    )


Difference = tuple[float, str, DriftPart | None]
"""How large it is, the sentence about it, and the part that it is of."""


def _corpus(drift: Drift, unit: str) -> Difference:
    off = max(drift.mixture, key=lambda each: abs((each.token_share or 0.0) - (each.planned_share or 0.0)))
    repeats = f"; planned shares repeat it {number(off.epochs)} times" if off.epochs is not None else ""
    message = f"{off.name} has {percent(off.token_share)} of {unit}, planned are {percent(off.planned_share)}{repeats}."
    return abs((off.token_share or 0.0) - (off.planned_share or 0.0)), message, None


def _shard(drift: Drift, part: DriftPart, unit: str) -> Difference:
    return part.mixture_distance or 0.0, f"In {part.name}, {_shares(drift, part, unit)}.", part


def _stretch(drift: Drift, windows: Sequence[DriftPart], stretches: int, unit: str) -> Difference:
    first, last, worst = windows[0], windows[-1], _worst(windows)
    start, stop = first.first_document or 0, (last.first_document or 0) + last.documents
    where = f"From document {start:,} on" if last is drift.windows[-1] else f"In documents {start:,} to {stop - 1:,}"
    up_to = "up to " if len(windows) > 1 else ""
    message = f"{where}, {_shares(drift, worst, unit, up_to)}."
    if stretches > 1:
        message += f" {counted(stretches, 'stretch', 'stretches')} of the corpus's order in all."
    return worst.mixture_distance or 0.0, message, worst


def _shares(drift: Drift, part: DriftPart, unit: str, up_to: str = "") -> str:
    """Returns what part of a sentence says how the source's share differs."""
    source = part.mixture_source or ""
    known = {each.name: each for each in drift.mixture}.get(source)
    is_joined = len(drift.windows) != drift.window_count and part.first_document is not None
    if known is None or is_joined or (source not in part.sources and len(part.sources) >= LISTED_SOURCES):
        return f"the share of {source} is {up_to}{percent(part.mixture_distance)} of {unit} off"
    wanted = known.token_share if known.planned_share is None else known.planned_share
    share = part.sources.get(source, 0.0)
    if up_to and share < (wanted or 0.0):
        up_to = "down to "
    return f"{source} has {up_to}{percent(share)} of {unit} instead of {percent(wanted)}"


def _off(parts: Sequence[DriftPart], q: float) -> list[DriftPart]:
    return sorted((part for part in parts if _is_off(part, q)), key=lambda part: -(part.mixture_distance or 0.0))


def _is_off(part: DriftPart, q: float) -> bool:
    return part.is_judged and part.mixture_q_value is not None and part.mixture_q_value < q


def _stretches(drift: Drift, q: float) -> list[list[DriftPart]]:
    """Returns the windows that are off, neighbours together that are off by the same source; the worst first."""
    return sorted(_neighbours(drift.windows, q), key=lambda each: -(_worst(each).mixture_distance or 0.0))


def _neighbours(windows: Sequence[DriftPart], q: float) -> Iterator[list[DriftPart]]:
    together: list[DriftPart] = []
    for window in windows:
        is_off = _is_off(window, q)
        if together and not (is_off and window.mixture_source == together[-1].mixture_source):
            yield together
            together = []
        if is_off:
            together.append(window)
    if together:
        yield together


def _worst(windows: Sequence[DriftPart]) -> DriftPart:
    return max(windows, key=lambda part: part.mixture_distance or 0.0)
