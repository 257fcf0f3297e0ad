"""Checks of the token ids of each document, for ``datasets.filter`` and ``datasets.map``, without a config or a run."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.errors import UsageError
from dataaudit.integrations.columns import Batch, TypedColumn, names_of, put_columns
from dataaudit.integrations.token_columns import side_lists, token_lists
from dataaudit.signals import DocumentBatch, Lists, SpecialIds, all_signals

FAULTS_COLUMN = "dataaudit_token_faults"
SIGNALS = (
    *("token_count", "max_token_id", "negative_token_count", "first_content_token_id", "last_content_token_id"),
    *("label_count", "masked_label_ratio", "negative_label_count", "max_label_id"),
    *("mask_count", "invalid_mask_count", "hidden_token_count", "attended_pad_count"),
)
Flags = NDArray[np.bool_]


def _versions() -> tuple[tuple[str, int], ...]:
    return tuple((name, all_signals()[name].version) for name in SIGNALS)


@dataclass(frozen=True)
class TokenChecks:
    """What each document's token ids, labels and attention mask have to be.

    For ``ds.filter(checks.keep, batched=True)`` and ``ds.map(checks.annotate, batched=True)``. Its state is plain data
    with the version of every signal that it looks at, so that ``datasets`` finds its cached results again in another
    process and never takes those of other settings. What is None is not checked. Faults:

    - ``no-ids``: no list, or one with a null, a float or another thing that is no whole number;
    - ``empty``: no tokens;
    - ``negative-id``: an id below 0;
    - ``id-out-of-range``: an id that is not below *vocab_size*;
    - ``too-long``: more than *max_length* tokens;
    - ``bos-missing``, ``eos-missing``: the first or last token that is no padding is another one;
    - ``label-count``: not as many labels as tokens;
    - ``all-labels-masked``: every label is -100;
    - ``label-out-of-range``: a label below 0 that is not -100, or not below *vocab_size*;
    - ``mask-count``: not as many entries in the mask as tokens;
    - ``mask-values``: an entry that is neither 0 nor 1;
    - ``mask-padding``: the mask hides a token that is no *pad_id* at the document's ends, or shows one that is.

    Attributes:
        vocab_size: rows of the model's embedding table.
        max_length: the model's context length in tokens.
        bos_id, eos_id, pad_id: of the model.
        ids_column: the column with the token ids.
        labels_column, attention_mask_column: columns beside it; they are checked where the dataset has them.
        versions: version by signal.
    """

    vocab_size: int | None = None
    max_length: int | None = None
    bos_id: int | None = None
    eos_id: int | None = None
    pad_id: int | None = None
    ids_column: str = "input_ids"
    labels_column: str = "labels"
    attention_mask_column: str = "attention_mask"
    versions: tuple[tuple[str, int], ...] = field(init=False, default_factory=_versions)

    def __post_init__(self) -> None:
        """Refuses settings that no model has."""
        least = {"vocab_size": 1, "max_length": 1, "bos_id": 0, "eos_id": 0, "pad_id": 0}
        for name, lowest in least.items():
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < lowest):
                raise UsageError(
                    f"{name}={value!r} is no setting of a model. Expected a whole number from {lowest} on."
                )

    def keep(self, batch: Batch) -> bool | list[bool] | Flags:
        """Says of each document whether it has no fault: a list, an array for an Arrow table, one bool for one example.

        Raises:
            UsageError: there is no column of token ids, or it holds no lists.
        """
        if _is_one(batch, self.ids_column):
            return not any(fails[0] for _, fails in self._judge(_batch_of_one(batch)))
        failing = [fails for _, fails in self._judge(batch)]
        kept: Flags = ~np.logical_or.reduce(failing)
        return kept if isinstance(batch, pa.Table) else kept.tolist()

    def faults(self, batch: Batch) -> list[str] | list[list[str]]:
        """Returns the names of each document's faults, in the order above; one list for one example.

        Raises:
            UsageError: there is no column of token ids, or it holds no lists.
        """
        if _is_one(batch, self.ids_column):
            return [name for name, fails in self._judge(_batch_of_one(batch)) if fails[0]]
        return self._named(batch)

    def annotate(self, batch: Batch) -> dict[str, TypedColumn] | pa.Table:
        """Adds ``dataaudit_token_faults``, the names of each document's faults, for ``ds.map(..., batched=True)``."""
        return put_columns(batch, {FAULTS_COLUMN: pa.array(self._named(batch), pa.list_(pa.string()))})

    def _named(self, batch: Batch) -> list[list[str]]:
        judged = list(self._judge(batch))
        return [[name for name, fails in judged if fails[row]] for row in range(len(judged[0][1]))]

    def _judge(self, batch: Batch) -> Iterator[tuple[str, Flags]]:
        """Yields each fault and which documents have it; those without ids have no other."""
        ids = token_lists(batch, self.ids_column, "the token ids; name it with ids_column=NAME")
        there = names_of(batch)
        sides = {
            name: side_lists(batch, column, name)
            for name, column in (("labels", self.labels_column), ("attention_mask", self.attention_mask_column))
            if column.split(".")[0] in there
        }
        yield "no-ids", ids.missing
        for name, fails in self._judge_lists(ids, sides):
            yield name, fails & ~ids.missing

    def _judge_lists(self, ids: Lists, sides: Mapping[str, Lists]) -> Iterator[tuple[str, Flags]]:
        measured = _Measured(self._batch(ids, sides))
        length = measured.of("token_count", 0)
        yield "empty", length == 0
        yield "negative-id", measured.of("negative_token_count", 0) > 0
        if self.vocab_size is not None:
            yield "id-out-of-range", measured.of("max_token_id", -1) >= self.vocab_size
        if self.max_length is not None:
            yield "too-long", length > self.max_length
        for end, name, wanted in (("bos", "first", self.bos_id), ("eos", "last", self.eos_id)):
            if wanted is not None:
                yield f"{end}-missing", (measured.of(f"{name}_content_token_id", -1) != wanted) & (length > 0)
        if "labels" in sides:
            yield from self._judge_labels(measured, length)
        if "attention_mask" in sides:
            yield "mask-count", measured.of("mask_count", -1) != length
            yield "mask-values", measured.of("invalid_mask_count", 0) > 0
            if self.pad_id is not None:
                yield (
                    "mask-padding",
                    (measured.of("hidden_token_count", 0) > 0) | (measured.of("attended_pad_count", 0) > 0),
                )

    def _judge_labels(self, measured: "_Measured", length: NDArray[np.int64]) -> Iterator[tuple[str, Flags]]:
        yield "label-count", measured.of("label_count", -1) != length
        yield "all-labels-masked", measured.of("masked_label_ratio", 0) == 1
        outside = measured.of("negative_label_count", 0) > 0
        if self.vocab_size is not None:
            outside |= measured.of("max_label_id", -1) >= self.vocab_size
        yield "label-out-of-range", outside

    def _batch(self, ids: Lists, sides: Mapping[str, Lists]) -> DocumentBatch:
        special = SpecialIds(*(-1 if each is None else each for each in (self.bos_id, self.eos_id, self.pad_id)))
        return DocumentBatch(
            ids=ids.values,
            id_offsets=ids.offsets,
            given=True,
            special_ids=special,
            labels=sides.get("labels"),
            attention_mask=sides.get("attention_mask"),
        )


def keep(example: Batch, **settings: Any) -> bool | list[bool] | Flags:
    """Says of one document, or of each of a batch, whether it has no fault; *settings* are those of ``TokenChecks``.

    For ``ds.filter(token_checks.keep, fn_kwargs={"vocab_size": 50257, "max_length": 1024}, batched=True)``.
    """
    return TokenChecks(**settings).keep(example)


def faults(example: Batch, **settings: Any) -> list[str] | list[list[str]]:
    """Returns the names of the faults of one document, or of each of a batch; *settings* as in ``keep``."""
    return TokenChecks(**settings).faults(example)


class _Measured:
    """The signals of a batch as NumPy arrays."""

    def __init__(self, batch: DocumentBatch) -> None:
        self._batch = batch

    def of(self, name: str, null: int) -> NDArray[Any]:
        """Returns a signal with *null* where it is undefined."""
        assert name in SIGNALS, "the version of every signal is part of the state"
        values: NDArray[Any] = all_signals()[name].measure(self._batch).fill_null(null).to_numpy(zero_copy_only=False)
        return values


def _is_one(batch: Batch, name: str) -> bool:
    """Says whether this is one example and not a batch, by what stands in its column of token ids."""
    if isinstance(batch, pa.Table):
        return False
    names = names_of(batch)
    top = name if name in names else name.split(".")[0]
    if top not in names:
        return False
    values = batch[top]
    if values is None or isinstance(values, Mapping):
        return True
    if hasattr(values, "ndim"):
        return bool(values.ndim == 1 and values.dtype != object)
    rows = list(values)
    return not any(hasattr(each, "__len__") for each in rows) and not (rows and all(each is None for each in rows))


def _batch_of_one(example: Batch) -> dict[str, list[Any]]:
    return {name: [example[name]] for name in names_of(example)}
