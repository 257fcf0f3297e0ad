"""Measures one batch: what is counted of each sample, and the occurrences of each id."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.duplicates.fingerprint import digests
from dataaudit.errors import UsageError
from dataaudit.kernels.normal import normal
from dataaudit.kernels.unicode import categories, characters
from dataaudit.monitor.arrays import Rows
from dataaudit.monitor.batches import Labels, Samples
from dataaudit.monitor.units import Unit
from dataaudit.monitor.vocabulary import MonitorTokenizer
from dataaudit.signals import DocumentBatch
from dataaudit.signals.characters import of_classes
from dataaudit.signals.views import WORD_BUCKETS, decoded, word_buckets

IGNORED = -100
"""The label that PyTorch's losses pass over."""
UNKNOWN_SPACE = 1 << 20
"""Ids from here on are out of range when nobody says how many there are: no public vocabulary is as large."""

Integers = NDArray[np.int64]


class Measured(NamedTuple):
    """A batch; every array but *ids* and *owners* has a value a sample.

    Attributes:
        ids: int64[n], ids (or buckets of words) inside the vocabulary, in order.
        owners: int64[n], which sample of the batch each belongs to.
        lengths: tokens; characters of texts without a tokenizer.
        digests: uint64; 0 for a sample with nothing in it.
        counts: what is added up, by name; see ``COUNTED``.
    """

    ids: Integers
    owners: Integers
    lengths: Integers
    digests: NDArray[np.uint64]
    counts: dict[str, Integers]


COUNTED = (
    *("characters", "control_characters", "tokens", "unknown_tokens", "out_of_range"),
    *("labelled", "masked", "labels_out_of_range", "padding", "padding_labels"),
)
"""By sample: characters and controls; tokens, those without meaning, and those outside the vocabulary; 1 with labels,
1 when none of them counts; labels outside the vocabulary; places of padding, and those of them with a label."""


class Measuring:
    """What measuring needs.

    Attributes:
        tokenizer: or None.
        vocab_size: ids from this number on are out of range; None when unknown.
    """

    def __init__(self, tokenizer: MonitorTokenizer | None, vocab_size: int | None) -> None:
        self.tokenizer = tokenizer
        self.vocab_size = vocab_size
        self.id_space = vocab_size or UNKNOWN_SPACE
        self._is_unknown = np.zeros(self.id_space, np.bool_)
        self._characters, self._controls = np.zeros(self.id_space, np.int64), np.zeros(self.id_space, np.int64)
        if tokenizer is not None:
            facts = tokenizer.vocabulary
            self._is_unknown[:] = True
            self._is_unknown[: facts.id_space] = ~facts.in_use[: self.id_space]
            if 0 <= facts.unk_id < self.id_space:
                self._is_unknown[facts.unk_id] = True
            self._characters[: facts.id_space] = tokenizer.spelling.characters[: self.id_space]
            self._controls[: facts.id_space] = tokenizer.spelling.controls[: self.id_space]

    def measure(self, samples: Samples) -> Measured:
        """Returns what is counted of a batch."""
        counts = {name: np.zeros(samples.rows, np.int64) for name in COUNTED}
        if samples.labels is not None:
            _count_labels(samples.labels, self.vocab_size, counts)
        if samples.ids is not None:
            return self._of_ids(
                samples.ids,
                _digests(samples.ids.values.astype("<i8", copy=False), samples.ids.offsets),
                counts,
                is_text=False,
            )
        batch = DocumentBatch(text=samples.text)
        texts = batch.once(decoded)
        counts["characters"] = np.diff(texts.offsets)
        counts["control_characters"] = of_classes(batch, categories("Cc") & ~characters("\t\n\r"))
        plain = normal(texts)
        found = _digests(plain.codepoints.astype("<u4", copy=False), plain.offsets)
        if self.tokenizer is None:
            buckets, offsets, _ = batch.once(word_buckets)
            lengths = np.diff(offsets)
            owners = np.repeat(np.arange(samples.rows), lengths)
            return Measured(buckets, owners, counts["characters"], found, counts)
        assert samples.text is not None
        ids, offsets, _ = self.tokenizer.encoder.encode(samples.text)
        return self._of_ids(Rows(ids.astype(np.int64), offsets, None), found, counts, is_text=True)

    def _of_ids(self, ids: Rows, found: NDArray[np.uint64], counts: dict[str, Integers], *, is_text: bool) -> Measured:
        values = ids.values
        owners = np.repeat(np.arange(ids.rows), ids.lengths)
        inside = (values >= 0) & (values < self.id_space)
        if not inside.all():
            counts["out_of_range"] = ids.sums(~inside)
            values, owners = values[inside], owners[inside]
        counts["tokens"] = ids.lengths
        if self.tokenizer is not None:
            counts["unknown_tokens"] = np.bincount(owners[self._is_unknown[values]], minlength=ids.rows)
            if not is_text:
                kept = Rows(values, np.concatenate([[0], np.cumsum(ids.lengths - counts["out_of_range"])]), None)
                counts["characters"] = kept.sums(self._characters[values])
                counts["control_characters"] = kept.sums(self._controls[values])
        return Measured(values, owners, ids.lengths, found, counts)


def unit_of(samples: Samples, tokenizer: MonitorTokenizer | None, known: Unit | None) -> Unit:
    """Returns what the samples are counted in, ``tokens`` or ``words``.

    Raises:
        UsageError: the samples before were counted in the other one.
    """
    unit: Unit = "words" if samples.text is not None and tokenizer is None else "tokens"
    if known is not None and unit != known:
        raise UsageError(
            f"a batch has {'texts' if unit == 'words' else 'token ids'}, but {known} were counted before. "
            "Give the monitor one kind of batches, or a tokenizer, with which texts are counted in tokens too."
        )
    return unit


def space_of(unit: Unit, measuring: Measuring) -> int:
    """Returns how many different ids there can be."""
    return WORD_BUCKETS if unit == "words" else measuring.id_space


def _digests(values: NDArray[Any], offsets: Integers) -> NDArray[np.uint64]:
    """Returns 64 bits of the digest of each sample; 0 for a sample with nothing in it."""
    found: NDArray[np.uint64] = np.where(np.diff(offsets) > 0, digests(values, offsets)[:, 0] | np.uint64(1), 0)
    return found


def _count_labels(labels: Labels, vocab_size: int | None, counts: dict[str, Integers]) -> None:
    rows = labels.rows
    counting = rows.values != IGNORED
    is_filled = rows.lengths > 0
    counts["labelled"] = is_filled.astype(np.int64)
    counts["masked"] = ((rows.sums(counting & ~labels.is_padding) == 0) & is_filled).astype(np.int64)
    counts["padding"] = rows.sums(labels.is_padding)
    counts["padding_labels"] = rows.sums(labels.is_padding & counting)
    outside = counting & (rows.values < 0)
    if vocab_size is not None:
        outside |= rows.values >= vocab_size
    counts["labels_out_of_range"] = rows.sums(outside)
