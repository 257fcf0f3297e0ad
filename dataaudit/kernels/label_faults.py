"""Labels and attention masks beside the tokens of a document."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel

IGNORED = -100
"""The label that PyTorch's cross-entropy leaves out."""


class LabelCounts(NamedTuple):
    """One int64 a document each; places are from the document's start, -1 where there is none.

    Attributes:
        masked: labels that are IGNORED.
        compared, equal: other labels with a token at the same place, and those equal to it.
        next_compared, next_equal: other labels with a token at the next place, and those equal to that one.
        first_unequal: place of the first that is not equal to its token.
        negative, first_negative: labels below 0 that are not IGNORED.
        largest, first_largest: the largest label, -1 when no label is above that, and its place.
        eos, masked_eos: end tokens with a label, padding apart, and those whose label is IGNORED.
        cut_eos, first_cut_eos: of these, the ones right after a token whose label is not.
    """

    masked: NDArray[np.int64]
    compared: NDArray[np.int64]
    equal: NDArray[np.int64]
    next_compared: NDArray[np.int64]
    next_equal: NDArray[np.int64]
    first_unequal: NDArray[np.int64]
    negative: NDArray[np.int64]
    first_negative: NDArray[np.int64]
    largest: NDArray[np.int64]
    first_largest: NDArray[np.int64]
    eos: NDArray[np.int64]
    masked_eos: NDArray[np.int64]
    cut_eos: NDArray[np.int64]
    first_cut_eos: NDArray[np.int64]


def label_counts(
    offsets: NDArray[np.int64],
    ids: NDArray[Any],
    contents: tuple[NDArray[np.int64], NDArray[np.int64]],
    label_offsets: NDArray[np.int64],
    labels: NDArray[np.int64],
    eos: int,
) -> LabelCounts:
    """Counts over the labels of each document.

    Args:
        offsets: int64[docs + 1], where each document starts in *ids*.
        ids: [tokens].
        contents: where its tokens start and stop in *ids*, padding apart.
        label_offsets: int64[docs + 1], where its labels start in *labels*.
        labels: int64[labels].
        eos: id of the end token, or -1.
    """
    found = np.zeros((len(LabelCounts._fields), len(offsets) - 1), np.int64)
    _label_counts(offsets, ids, contents[0], contents[1], label_offsets, labels, eos, found)
    return LabelCounts(*found)


@kernel
def _label_counts(
    offsets: NDArray[np.int64],
    ids: NDArray[Any],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    label_offsets: NDArray[np.int64],
    labels: NDArray[np.int64],
    eos: int,
    found: NDArray[np.int64],
) -> None:
    for doc in range(len(offsets) - 1):
        start, length = offsets[doc], offsets[doc + 1] - offsets[doc]
        first, count = label_offsets[doc], label_offsets[doc + 1] - label_offsets[doc]
        masked = compared = equal = next_compared = next_equal = negative = eoses = masked_eos = cut_eos = 0
        first_unequal = first_negative = first_largest = first_cut_eos = largest = -1
        for i in range(count):
            label = labels[first + i]
            if label == IGNORED:
                masked += 1
            else:
                if i < length:
                    compared += 1
                    if ids[start + i] == label:
                        equal += 1
                    elif first_unequal < 0:
                        first_unequal = i
                if i + 1 < length:
                    next_compared += 1
                    next_equal += ids[start + i + 1] == label
                if label < 0:
                    if negative == 0:
                        first_negative = i
                    negative += 1
                elif label > largest:
                    largest, first_largest = label, i
            if eos >= 0 and starts[doc] <= start + i < stops[doc] and ids[start + i] == eos:
                eoses += 1
                if label == IGNORED:
                    masked_eos += 1
                    if i > 0 and labels[first + i - 1] != IGNORED:
                        if cut_eos == 0:
                            first_cut_eos = i
                        cut_eos += 1
        found[0, doc], found[1, doc], found[2, doc], found[3, doc] = masked, compared, equal, next_compared
        found[4, doc], found[5, doc], found[6, doc], found[7, doc] = next_equal, first_unequal, negative, first_negative
        found[8, doc], found[9, doc], found[10, doc], found[11, doc] = largest, first_largest, eoses, masked_eos
        found[12, doc], found[13, doc] = cut_eos, first_cut_eos


class MaskCounts(NamedTuple):
    """One int64 a document each; places are from the document's start, -1 where there is none.

    Attributes:
        invalid, first_invalid: entries that are neither 0 nor 1.
        holes, first_hole: zeros with a 1 somewhere before and after them.
        hidden, first_hidden: tokens that are no padding under a 0 that is no hole.
        attended, first_attended: padding tokens under something else than 0.
    """

    invalid: NDArray[np.int64]
    first_invalid: NDArray[np.int64]
    holes: NDArray[np.int64]
    first_hole: NDArray[np.int64]
    hidden: NDArray[np.int64]
    first_hidden: NDArray[np.int64]
    attended: NDArray[np.int64]
    first_attended: NDArray[np.int64]


def mask_counts(
    offsets: NDArray[np.int64],
    ids: NDArray[Any],
    contents: tuple[NDArray[np.int64], NDArray[np.int64]],
    mask_offsets: NDArray[np.int64],
    mask: NDArray[np.int64],
    pad: int,
) -> MaskCounts:
    """Counts over the attention mask of each document.

    Args:
        offsets: int64[docs + 1], where each document starts in *ids*.
        ids: [tokens].
        contents: where its tokens start and stop in *ids*, padding apart.
        mask_offsets: int64[docs + 1], where its mask starts in *mask*.
        mask: int64[entries].
        pad: id of the padding token, or -1: then no padding is known, and none is hidden or attended.
    """
    found = np.zeros((len(MaskCounts._fields), len(offsets) - 1), np.int64)
    _mask_counts(offsets, ids, contents[0], contents[1], mask_offsets, mask, pad, found)
    return MaskCounts(*found)


@kernel
def _mask_counts(
    offsets: NDArray[np.int64],
    ids: NDArray[Any],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    mask_offsets: NDArray[np.int64],
    mask: NDArray[np.int64],
    pad: int,
    found: NDArray[np.int64],
) -> None:
    for doc in range(len(offsets) - 1):
        start, length = offsets[doc], offsets[doc + 1] - offsets[doc]
        first, count = mask_offsets[doc], mask_offsets[doc + 1] - mask_offsets[doc]
        for row in range(1, 8, 2):
            found[row, doc] = -1
        lowest, highest = count, -1
        for i in range(count):
            if mask[first + i] != 0:
                lowest, highest = min(lowest, i), i
        for i in range(count):
            entry = mask[first + i]
            _note(found, 0, doc, i, entry != 0 and entry != 1)
            is_hole = entry == 0 and lowest < i < highest
            _note(found, 2, doc, i, is_hole)
            if pad >= 0 and i < length:
                is_content = starts[doc] <= start + i < stops[doc]
                _note(found, 4, doc, i, entry == 0 and not is_hole and is_content and ids[start + i] != pad)
                _note(found, 6, doc, i, entry != 0 and not is_content)


@kernel
def _note(found: NDArray[np.int64], row: int, doc: int, place: int, is_so: bool) -> None:
    if is_so:
        if found[row, doc] == 0:
            found[row + 1, doc] = place
        found[row, doc] += 1
