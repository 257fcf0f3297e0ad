"""Ids that the model or the tokenizer does not know."""

from dataaudit.monitor.judging import Seen, above, share, skipped
from dataaudit.monitor.levels import MonitorLevels
from dataaudit.monitor.result import Measure

ORDER = 30


def measures(seen: Seen, levels: MonitorLevels) -> tuple[Measure, ...]:
    """Returns ids that are out of range, and the share of tokens out of the vocabulary."""
    return _out_of_range(seen, levels.out_of_range_count), _unknown(seen, levels.oov_token_ratio)


def _out_of_range(seen: Seen, level: float | None) -> Measure:
    if seen.unit == "words":
        return skipped("out_of_range_count", "ids", level, "Texts without a tokenizer have no ids.")
    found = seen.window.sum("out_of_range")
    rows = seen.measuring.id_space
    message = f"{found:,} ids are not from 0 to {rows - 1:,}" + (
        "." if seen.measuring.vocab_size else ", the largest that any vocabulary has; vocab_size is not known."
    )
    return above("out_of_range_count", "ids", found, level, message, examples=seen.window.examples("out_of_range"))


def _unknown(seen: Seen, level: float | None) -> Measure:
    name = "oov_token_ratio"
    if seen.unit == "words" or (seen.measuring.tokenizer is None and seen.measuring.vocab_size is None):
        return skipped(
            name, "share of tokens", level, "Without tokenizer and vocab_size nothing says which are unknown."
        )
    return share(
        seen,
        name,
        seen.window.sum("unknown_tokens") + seen.window.sum("out_of_range"),
        seen.window.sum("tokens"),
        level,
        "are the unknown token, an id without a token, or out of range",
        of="tokens",
        counted="unknown_tokens",
    )
