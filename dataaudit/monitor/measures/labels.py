"""Faults of labels: samples and batches without any that counts, impossible ones, and ones on padding."""

from dataaudit.monitor.judging import Seen, above, share, skipped
from dataaudit.monitor.levels import MonitorLevels
from dataaudit.monitor.result import Measure

ORDER = 60


def measures(seen: Seen, levels: MonitorLevels) -> tuple[Measure, ...]:
    """Returns the measures of labels; -100 is the label that does not count."""
    window = seen.window
    units = {
        "masked_sample_ratio": ("share of samples", levels.masked_sample_ratio),
        "masked_batch_count": ("batches", levels.masked_batch_count),
        "label_out_of_range_count": ("labels", levels.label_out_of_range_count),
        "padding_label_ratio": ("share of padding", levels.padding_label_ratio),
    }
    labelled = window.sum("labelled")
    if not labelled:
        return tuple(skipped(name, unit, level, "The batches have no labels.") for name, (unit, level) in units.items())
    masked, outside = window.sum("masked_batches"), window.sum("labels_out_of_range")
    return (
        share(
            seen,
            "masked_sample_ratio",
            window.sum("masked"),
            labelled,
            levels.masked_sample_ratio,
            "have labels of which none counts",
            of="samples",
            counted="masked",
        ),
        above(
            "masked_batch_count",
            "batches",
            masked,
            levels.masked_batch_count,
            f"{masked:,} batches have no label that counts; their loss is no number.",
            examples=window.examples("masked") if masked else (),
        ),
        above(
            "label_out_of_range_count",
            "labels",
            outside,
            levels.label_out_of_range_count,
            f"{outside:,} labels are neither -100 nor in the vocabulary.",
            examples=window.examples("labels_out_of_range"),
        ),
        share(
            seen,
            "padding_label_ratio",
            window.sum("padding_labels"),
            window.sum("padding"),
            levels.padding_label_ratio,
            "have a label that counts",
            of="padding",
            counted="padding_labels",
        ),
    )
