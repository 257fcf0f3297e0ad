"""The levels from which a measure of the monitor is an anomaly."""

import msgspec

from dataaudit.errors import UsageError


class MonitorLevels(msgspec.Struct, frozen=True, kw_only=True):
    """Levels of the monitor; None reports a measure and never judges it.

    Attributes:
        duplicate_ratio: share of samples that repeat an earlier one of the window; an anomaly above it.
        kl_excess: nats further from the reference than chance gives; above.
        oov_token_ratio: share of tokens that are the unknown token, an id without a token, or out of range; above.
        out_of_range_count: ids outside the model's vocabulary; above.
        control_char_ratio: share of characters that are controls; above.
        length_p_value: chance of the shift of lengths; an anomaly below it, if length_distance is reached too.
        length_distance: Kolmogorov-Smirnov's D of the lengths, the least that matters.
        masked_sample_ratio: share of samples of which no label counts; above.
        masked_batch_count: batches of which no label counts, whose loss is no number; above.
        label_out_of_range_count: labels outside the model's vocabulary; above.
        padding_label_ratio: share of padding that has a label; above.
        min_tokens: tokens that a window needs for kl_excess to be judged.
        min_samples: samples that it needs for that.
    """

    duplicate_ratio: float | None = 0.05
    kl_excess: float | None = 0.1
    oov_token_ratio: float | None = 0.01
    out_of_range_count: float | None = 0
    control_char_ratio: float | None = 0.0001
    length_p_value: float = 0.05
    length_distance: float | None = 0.1
    masked_sample_ratio: float | None = 0.01
    masked_batch_count: float | None = 0
    label_out_of_range_count: float | None = 0
    padding_label_ratio: float | None = 0
    min_tokens: int = 50_000
    min_samples: int = 100

    def __post_init__(self) -> None:
        """Refuses what no value can pass.

        Raises:
            UsageError: a level is negative or no number, or a share above 1.
        """
        for name, level in msgspec.structs.asdict(self).items():
            if level is None:
                continue
            highest = 1.0 if name.endswith(("_ratio", "_distance", "_p_value")) else float("inf")
            if not isinstance(level, int | float) or not 0 <= level <= highest:
                expected = "a share from 0 to 1" if highest == 1 else "a number from 0"
                raise UsageError(f"the level {name} is {level!r}. Expected {expected}; 5 % is 0.05.")
