"""What a batch holds: texts or token ids, labels, padding, and the names of its samples."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.errors import UsageError
from dataaudit.monitor.arrays import Rows, dimensions, is_array, rows_of, to_array

IDS, LABELS, MASK = "input_ids", "labels", "attention_mask"
NAMES = ("doc_id", "id")
KINDS = (
    "Expected texts (a list of str), token ids (a 2-D array or tensor, or a list of lists), a mapping with "
    "'input_ids' or a column of texts, a list of such samples, or a pair of ids and labels."
)


class Labels(NamedTuple):
    """The labels of a batch, of every place, padding included.

    Attributes:
        rows: their values.
        is_padding: bool[n], which of the places are padding.
    """

    rows: Rows
    is_padding: NDArray[np.bool_]


class Samples(NamedTuple):
    """A batch as the monitor measures it.

    Attributes:
        rows: number of samples.
        text: their texts, or None.
        ids: their token ids without padding, or None when they are texts.
        labels: or None.
        names: what the batch calls each, or None.
    """

    rows: int
    text: pa.LargeStringArray | None
    ids: Rows | None
    labels: Labels | None
    names: tuple[str | int, ...] | None


def read_batch(batch: Any, *, text_column: str, pad_id: int | None) -> Samples:
    """Returns the samples of a batch in any of the usual forms.

    Args:
        batch: see KINDS.
        text_column: where a mapping has its texts.
        pad_id: the id that fills rows up at either end, for ids without an attention mask; None when unknown.

    Raises:
        UsageError: it has none of the forms.
    """
    columns = _columns(batch, text_column)
    names = _names(columns)
    if IDS not in columns:
        text = _texts(columns[text_column])
        return Samples(len(text), text, None, None, _fitting(names, len(text)))
    ids = rows_of(columns[IDS], IDS)
    is_real = _real(ids, columns.get(MASK), pad_id)
    labels = _labels(columns.get(LABELS), columns[IDS], ids, ~is_real)
    return Samples(ids.rows, None, ids.only(is_real), labels, _fitting(names, ids.rows))


def _columns(batch: Any, text_column: str) -> Mapping[str, Any]:
    """Returns the batch's columns under the names above."""
    if isinstance(batch, Mapping):
        return _known(batch, text_column)
    if isinstance(batch, pa.Array | pa.ChunkedArray):
        return {text_column: batch}
    if is_array(batch):
        return {IDS: batch}
    if not isinstance(batch, Sequence) or isinstance(batch, str | bytes):
        raise UsageError(f"a batch is a {type(batch).__name__}. {KINDS}")
    if not len(batch):
        return {text_column: []}
    first = batch[0]
    if isinstance(first, str) or first is None:
        return {text_column: batch}
    if isinstance(first, Mapping):
        return _known({name: [each.get(name) for each in batch] for name in first}, text_column)
    if is_array(first) and len(first.shape) == 2:
        if len(batch) > 2:
            raise UsageError(f"a batch is a list of {len(batch)} arrays of 2 dimensions. {KINDS}")
        return dict(zip((IDS, LABELS), batch, strict=False))
    return {IDS: batch}


def _known(columns: Mapping[str, Any], text_column: str) -> Mapping[str, Any]:
    if IDS in columns or text_column in columns:
        return columns
    raise UsageError(
        f"a batch has neither {IDS!r} nor {text_column!r}; it has: {', '.join(map(repr, columns)) or 'nothing'}. "
        "Name its column of texts with DataMonitor(text_column=...)."
    )


def _texts(values: Any) -> pa.LargeStringArray:
    """Returns texts as Arrow, an empty one for None; a lone surrogate, which is no text, becomes U+FFFD."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if not isinstance(values, pa.Array):
        values = [values] if isinstance(values, str) else list(values)
        for row, text in enumerate(values):
            if text is not None and not isinstance(text, str):
                raise UsageError(f"sample {row} of a batch is a {type(text).__name__}, not a text. {KINDS}")
        try:
            values = pa.array(values, pa.large_string())
        except UnicodeEncodeError:
            values = pa.array([_without_surrogates(text) for text in values], pa.large_string())
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type) or pa.types.is_null(values.type)):
        raise UsageError(f"a batch holds {values.type}, not texts. {KINDS}")
    return values.cast(pa.large_string()).fill_null("")


def _without_surrogates(text: str | None) -> str | None:
    return None if text is None else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _real(ids: Rows, mask: Any, pad_id: int | None) -> NDArray[np.bool_]:
    """Returns which ids are no padding. A mask with more than two dimensions says nothing about that."""
    if mask is not None and dimensions(mask) <= 2:
        marks = rows_of(mask, MASK)
        _same_shape(marks, ids, MASK)
        is_real: NDArray[np.bool_] = marks.values != 0
        return is_real
    if pad_id is None:
        return np.ones(len(ids.values), np.bool_)
    return ~_ends(ids, ids.values == pad_id)


def _ends(ids: Rows, is_pad: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Returns where a run of padding touches the start or the end of its row."""
    places = np.arange(len(is_pad))
    row = np.repeat(np.arange(ids.rows), ids.lengths)
    first, last = (np.zeros(ids.rows, np.int64) for _ in range(2))
    first[:], last[:] = ids.offsets[1:], ids.offsets[:-1] - 1
    np.minimum.at(first, row[~is_pad], places[~is_pad])
    np.maximum.at(last, row[~is_pad], places[~is_pad])
    outside: NDArray[np.bool_] = (places < first[row]) | (places > last[row])
    return outside


def _labels(labels: Any, asked: Any, ids: Rows, is_padding: NDArray[np.bool_]) -> Labels | None:
    """Returns the labels of tokens; None without any, and for labels of whole samples or that are no whole numbers."""
    if labels is None or dimensions(labels) != dimensions(asked):
        return None
    if is_array(labels) and to_array(labels).dtype.kind == "f":
        return None
    rows = rows_of(labels, LABELS)
    _same_shape(rows, ids, LABELS)
    return Labels(rows, is_padding)


def _same_shape(given: Rows, ids: Rows, what: str) -> None:
    if not np.array_equal(given.offsets, ids.offsets):
        raise UsageError(
            f"{what} has {given.rows} samples of {_size(given)} values, {IDS} has {ids.rows} of {_size(ids)}. "
            "Expected a value for each id."
        )


def _size(rows: Rows) -> str:
    return "several" if rows.width is None else str(rows.width)


def _names(columns: Mapping[str, Any]) -> tuple[str | int, ...] | None:
    for name in NAMES:
        values = columns.get(name)
        if values is not None and dimensions(values) == 1:
            found = to_array(values).tolist() if is_array(values) else list(values)
            return tuple(each if isinstance(each, str | int) else str(each) for each in found)
    return None


def _fitting(names: tuple[str | int, ...] | None, count: int) -> tuple[str | int, ...] | None:
    return names if names is not None and len(names) == count else None
