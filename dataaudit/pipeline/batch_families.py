"""What batches are measured by: families of signals, so that five ways to measure repetition count as one."""

FAMILIES: dict[str, tuple[str, ...]] = {
    "surprisal": ("token_surprisal_bits",),
    "rare tokens": ("rare_token_ratio",),
    "digits": ("digit_token_ratio", "digit_char_ratio"),
    "repetition": (
        "periodic_token_repeat",
        "longest_char_run",
        "top_2gram_char_ratio",
        "dup_5gram_char_ratio",
    ),
    "special characters": ("special_char_ratio",),
    "length": ("token_count", "char_count"),
}
"""Signals of documents, by family; of a batch, their maximum and mean."""
DUPLICATES, SOURCES = "duplicates", "sources"
"""Families that are measured of the batch as a whole."""
DUPLICATE_RATIO, SOURCE_DISTANCE = "duplicate_ratio", "source_distance"
SIGNALS = tuple(signal for signals in FAMILIES.values() for signal in signals)
FAMILY_OF = {signal: family for family, signals in FAMILIES.items() for signal in signals}
