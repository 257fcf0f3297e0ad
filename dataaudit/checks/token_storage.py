"""Checks of how token ids are stored: what a raw array, its header and its index say about each other."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import polars as pl

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.wording import agree, counted, every, percent
from dataaudit.corpus import TokenFacts

GROUP = "token files"
EMPTY = "empty"
"""The problem of a sequence without tokens, which is for empty-sequences to judge."""
LISTED = 100
"""Files and places that a finding lists."""
FEWEST_TOKENS = 256
"""A file with fewer ids is not judged by what is usual of ids."""
MOSTLY, HALF = 0.9, 0.5
OFTEN = 0.75
"""Share of small ids that the places of lower halves stay under; two thirds of ids four times as wide are halves."""
PAST_ANY_VOCABULARY = 22
"""Bits of ids that no vocabulary in use has."""
SWAPPED, TIMES_LESS = 0.2, 4.0
TAIL_TOKENS, TAIL_TIMES = 1024, 64

Judge = Callable[[str, TokenFacts], str | None]
"""Says what is wrong with a file, by its name and facts; None when nothing is."""


@check("token-size", group=GROUP, title="Token files of another size", unit="files", needs=("token_files",))
def token_size(evidence: Evidence, options: Options) -> Outcome:
    """Files whose size is no whole number of ids, or not what their header, index or sidecar declares.

    Why: the writer was killed or the copy was cut; what is missing is missing without a word.
    Do: make or copy these files again.
    """

    def judge(_: str, facts: TokenFacts) -> str | None:
        parts = []
        if facts.extra_bytes:
            parts.append(f"{counted(facts.extra_bytes, 'byte')} after the last whole id of {facts.itemsize} bytes")
        if facts.declared_tokens not in (None, facts.tokens):
            parts.append(
                f"{counted(facts.tokens, 'id')} where the {facts.declared_by} declares {facts.declared_tokens:,}"
            )
        return "; ".join(parts) or None

    return _files(evidence, judge, "have another size than they should", "has the size that it should have")


@check("token-width", group=GROUP, title="Ids read with the wrong width", unit="files", needs=("token_files",))
def token_width(evidence: Evidence, options: Options) -> Outcome:
    """Files that hold wider or narrower ids than they are read as.

    Wider: at every second place more than 90 % of the ids are 0 to 3, at the others at most 75 %, as the upper halves
    of wider ids are. Narrower: more than half of the ids lie past the limit (``model.vocab_size``, else the tokenizer's
    ids, else 4,194,304) and are as large as two narrower ids side by side. Judged from 256 ids on.

    Why: every id is garbage, and most of the garbage is in range for a large table.
    Do: read the file with the other type (``--token-dtype``); mend the header or sidecar that names this one.
    """
    limit, outside = evidence.id_limit, _outside(evidence)

    def judge(name: str, facts: TokenFacts) -> str | None:
        if facts.tokens < FEWEST_TOKENS:
            return None
        halves = sorted((facts.small_even / ((facts.tokens + 1) // 2), facts.small_odd / (facts.tokens // 2)))
        if facts.itemsize < 8 and halves[1] > MOSTLY and halves[0] <= OFTEN:
            return f"ids of {facts.itemsize * 2} bytes or more read as {facts.dtype}"
        half = facts.itemsize * 4
        past = half if limit is not None and limit <= 1 << half else PAST_ANY_VOCABULARY
        wide = sum(facts.bit_lengths[past + 1 :]) / facts.tokens
        beyond = outside[name] / facts.tokens if name in outside else wide
        if facts.itemsize > 2 and wide > HALF and beyond > HALF:
            return f"{percent(beyond)} of ids out of range: ids of {facts.itemsize // 2} bytes read as {facts.dtype}"
        return None

    return _files(evidence, judge, "hold ids of another width than they are read as", "is read with its own width")


@check("token-byte-order", group=GROUP, title="Ids read in the wrong byte order", unit="files", needs=("token_files",))
def token_byte_order(evidence: Evidence, options: Options) -> Outcome:
    """Files whose ids are stored with their bytes in reverse.

    At least 20 % of the ids, zeros apart, are multiples of 256 as they are read, four times fewer are in reverse, and
    in reverse the ids are smaller. Real ids have 3 %. Judged from 256 ids on.

    Why: a big-endian machine or library wrote them; every id is garbage.
    Do: swap the bytes (``array.byteswap()``), or write the file again as little-endian.
    """

    def judge(_: str, facts: TokenFacts) -> str | None:
        zeros = facts.bit_lengths[0] if facts.bit_lengths else 0
        others = facts.tokens - zeros
        if facts.itemsize < 2 or others < FEWEST_TOKENS:
            return None
        as_read, swapped = ((each - zeros) / others for each in (facts.low_zero, facts.low_zero_swapped))
        is_smaller = _mean_bits(facts.bit_lengths_swapped) < _mean_bits(facts.bit_lengths)
        if as_read < SWAPPED or as_read <= TIMES_LESS * swapped or not is_smaller:
            return None
        return f"{percent(as_read)} of ids are multiples of 256, {percent(swapped)} with their bytes in reverse"

    return _files(evidence, judge, "hold ids with their bytes in reverse", "is read in its own byte order")


@check("token-wrap", group=GROUP, title="Types too small for the ids", unit="files", needs=("token_files",))
def token_wrap(evidence: Evidence, options: Options) -> Outcome:
    """Files whose type cannot hold every id of the tokenizer (of ``model.vocab_size`` without one).

    Why: NumPy wraps without a word: 70,000 becomes 4,464 as uint16. Half of the ids of a vocabulary of 128,000 do.
    Do: tokenize again into uint32. Wrapped ids cannot be told from real ones.
    """
    limit = evidence.vocabulary.id_space if evidence.vocabulary is not None else evidence.id_limit
    if limit is None:
        return Outcome.skip("Neither a tokenizer nor model.vocab_size was given.")

    def judge(_: str, facts: TokenFacts) -> str | None:
        room = 1 << (facts.itemsize * 8 - (0 if facts.dtype.startswith("u") else 1))
        return f"{facts.dtype} holds {room:,} ids, the vocabulary has {limit:,}" if room < limit else None

    return _files(
        evidence, judge, "have a type that is too small for the vocabulary", "holds every id of the vocabulary"
    )


@check("zero-tail", group=GROUP, title="Tails that were never written", unit="files", needs=("token_files",))
def zero_tail(evidence: Evidence, options: Options) -> Outcome:
    """Files that end in 1,024 or more ids 0, 64 times as many as stand in a row anywhere else.

    Why: the file was laid out in its full size and the writer was killed; the model trains on a run of token 0.
    Do: write the file again; cut off the tail if the rest is whole.
    """

    def judge(_: str, facts: TokenFacts) -> str | None:
        tail, other = facts.trailing_zeros, facts.longest_zero_run
        if tail < TAIL_TOKENS or tail < TAIL_TIMES * other:
            return None
        return (
            f"ids 0 from position {facts.tokens - tail:,} to the end ({tail:,}); elsewhere {other:,} in a row at most"
        )

    return _files(evidence, judge, "end in ids that were never written", "was written to its end")


@check("token-index", group=GROUP, title="Indexes that do not fit", unit="places", needs=("token_files",))
def token_index(evidence: Evidence, options: Options) -> Outcome:
    """Places where an index or a sidecar does not fit the ids: out of order, past an end, of no sequence.

    Sequences without tokens are left to empty-sequences.

    Why: a reader that trusts the index gives other documents, ids of two documents, or stops in the middle of a run.
    Do: make the index again from the ids; look for a merge of files that overflowed.
    """
    kinds: Counter[str] = Counter()
    files = {name: facts for name, facts in evidence.token_files.items() if facts.problem_counts.keys() - {EMPTY}}
    for facts in files.values():
        kinds.update({kind: number for kind, number in facts.problem_counts.items() if kind != EMPTY})
    count = kinds.total()
    places = [
        {"file": name, "sequence": each.sequence, "position": each.position, "kind": each.kind, "problem": each.message}
        for name, facts in files.items()
        for each in facts.problems
        if each.kind != EMPTY
    ]
    details: dict[str, Any] = {"kinds": dict(kinds), "places": places[:LISTED]}
    if not count:
        return Outcome(0, f"{every(len(evidence.token_files), 'file')}: nothing in an index or sidecar is amiss.")
    first = places[0] if places else {"file": next(iter(files)), "problem": ""}
    where = "" if first.get("sequence") is None else f", sequence {first['sequence']:,}"
    message = (
        f"{counted(count, 'place')} in {counted(len(files), 'file')} {agree(count, 'do')} not fit; first "
        f"{first['file']}{where}: {first['problem']}."
    )
    return Outcome(count, message, details=details)


def _files(evidence: Evidence, judge: Judge, verb: str, good: str) -> Outcome:
    """Judges the files that something is wrong with; *verb* is said of them, *good* of each when there are none."""
    found = list(_judged(evidence.token_files, judge))
    details = {"files": found[:LISTED]}
    count = len(evidence.token_files)
    if not found:
        return Outcome(0, f"Each of {counted(count, 'file')} {good}.", details=details)
    message = (
        f"{len(found):,} of {counted(count, 'file')} {agree(len(found), verb)}; first {found[0]['file']}: "
        f"{found[0]['reason']}."
    )
    return Outcome(len(found), message, details=details)


def _judged(files: Mapping[str, TokenFacts], judge: Judge) -> Iterator[dict[str, Any]]:
    for name, facts in files.items():
        reason = judge(name, facts)
        if reason is not None:
            yield {
                "file": name,
                "reason": reason,
                "dtype": facts.dtype,
                "dtype_from": facts.dtype_from,
                "tokens": facts.tokens,
            }


def _outside(evidence: Evidence) -> dict[str, int]:
    """Returns the ids out of range by file; nothing when no range is known."""
    if "oov_token_count" not in evidence.measured:
        return {}
    found = evidence.documents.group_by("file").agg(pl.col("oov_token_count").sum()).collect(engine="streaming")
    return dict(zip(found["file"].to_list(), found["oov_token_count"].to_list(), strict=True))


def _mean_bits(counts: list[int]) -> float:
    """Returns the mean bit length; negative ids count as having one more than all others."""
    total = sum(counts)
    return sum(bits * count for bits, count in enumerate(counts)) / total if total else 0.0
