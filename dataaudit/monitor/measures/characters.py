"""Characters that no text has."""

from dataaudit.monitor.judging import Seen, share, skipped
from dataaudit.monitor.levels import MonitorLevels
from dataaudit.monitor.result import Measure

ORDER = 40


def measures(seen: Seen, levels: MonitorLevels) -> tuple[Measure, ...]:
    """Returns the share of characters that are controls; of token ids by what each token spells."""
    name, level = "control_char_ratio", levels.control_char_ratio
    if seen.unit == "tokens" and seen.measuring.tokenizer is None:
        return (skipped(name, "share of characters", level, "Without a tokenizer ids have no characters."),)
    window = seen.window
    return (
        share(
            seen,
            name,
            window.sum("control_characters"),
            window.sum("characters"),
            level,
            "are controls other than tab, LF and CR",
            of="characters",
            counted="control_characters",
        ),
    )
