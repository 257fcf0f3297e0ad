"""Reads a table of steps and samples: what a training run logged."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dataaudit.errors import ReadError, suggestion
from dataaudit.order.files import refuse_outside
from dataaudit.order.listed import ListedOrder
from dataaudit.order.setup import Setup

STEPS = ("step", "global_step", "iteration")
NUMBERS = ("sample", "samples", "sample_index", "index", "indices")
KEYS = {"doc_id": "doc_id", "doc_ids": "doc_id", "id": "id", "ids": "id"}
LARGEST_PLACE = (1 << 31) - 1
LONGEST_JSON = 1 << 26
"""Bytes of a .json file that is read as one value."""


def read_steps(name: str, path: Path, setup: Setup) -> ListedOrder:
    """Reads a table: a step a row with a list of samples, or a sample a row.

    Columns: step; sample (numbers from 0), doc_id or id; and, if there, rank and micro.

    Raises:
        ReadError: the file cannot be read, lacks a column, or names what is no sample.
    """
    table = _table(path)
    step = _first(table, STEPS, path, "step")
    what = _first(table, (*NUMBERS, *KEYS), path, "sample, doc_id or id")
    table = table.select(step, what, *(each for each in ("rank", "micro") if each in table.columns))
    if isinstance(table.schema[what], pl.List):
        table = _exploded(table, what, path)
    table = table.drop_nulls(what)
    if not len(table):
        raise ReadError(f"{path}: it lists no sample.")
    steps = _integers(table, step, path)
    if what in NUMBERS:
        samples = _integers(table, what, path)
        refuse_outside(samples, setup.samples, path)
    else:
        samples = _numbered(table, what, setup, path)
    ranks, micro = (_places(table, each, path) for each in ("rank", "micro"))
    by_step = np.argsort(steps, kind="stable")
    found, counts = np.unique(steps, return_counts=True)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    of_rank, of_micro = ranks[by_step].astype(np.int32), micro[by_step].astype(np.int32)
    return ListedOrder(name, found, offsets, samples[by_step], of_rank, of_micro)


def _exploded(table: pl.DataFrame, what: str, path: Path) -> pl.DataFrame:
    """Returns a sample a row; ranks and micro-batches that are lists too go with their samples."""
    lists = [name for name in ("rank", "micro") if isinstance(table.schema.get(name), pl.List)]
    try:
        return table.explode(what, *lists)
    except pl.exceptions.PolarsError as error:
        raise ReadError(f"{path}: a step has more or fewer values in {' or '.join(lists)} than in {what}.") from error


def _table(path: Path) -> pl.DataFrame:
    suffix = path.suffix.lower()
    try:
        if suffix == ".parquet":
            return pl.read_parquet(path)
        if suffix in (".csv", ".tsv"):
            return pl.read_csv(path, separator="\t" if suffix == ".tsv" else ",", infer_schema_length=10_000)
        if suffix in (".jsonl", ".ndjson"):
            return pl.read_ndjson(path, infer_schema_length=10_000)
        if suffix == ".json":
            return _one_value(path)
    except OSError as error:
        raise ReadError(f"{path}: cannot be opened ({error.strerror or error}).") from error
    except (pl.exceptions.PolarsError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ReadError(f"{path}: cannot be read as {suffix[1:]}: {reason}") from error
    raise ReadError(f"{path}: an order is a .npy, .jsonl, .json, .csv, .tsv or .parquet file.")


def _one_value(path: Path) -> pl.DataFrame:
    """Reads a JSON object (one step) or a list of them."""
    if path.stat().st_size > LONGEST_JSON:
        raise ReadError(f"{path}: too large for one JSON value. Write a line a step instead (.jsonl).")
    value = json.loads(path.read_bytes())
    rows: Any = value if isinstance(value, list) else [value]
    if not all(isinstance(row, dict) for row in rows):
        raise ReadError(f"{path}: expected an object a step; found a list of other values.")
    wanted = (*STEPS, *NUMBERS, *KEYS, "rank", "micro")
    return pl.DataFrame([{key: row[key] for key in wanted if key in row} for row in rows], infer_schema_length=None)


def _first(table: pl.DataFrame, names: tuple[str, ...], path: Path, what: str) -> str:
    for name in names:
        if name in table.columns:
            return name
    near = suggestion(names[0], table.columns)
    raise ReadError(f"{path}: no column {what}.{near} It has: {', '.join(table.columns[:12]) or 'none that is known'}.")


def _integers(table: pl.DataFrame, name: str, path: Path) -> NDArray[np.int64]:
    column = table.get_column(name)
    if not column.dtype.is_numeric():
        raise ReadError(f"{path}: {name} must be whole numbers; entry 0 is {column[0]!r}.")
    cast = column.cast(pl.Int64, strict=False)
    wrong = cast.is_null() | (cast.cast(pl.Float64) != column.cast(pl.Float64, strict=False))
    if wrong.any():
        at = int(wrong.arg_max() or 0)
        raise ReadError(f"{path}: {name} must be whole numbers; entry {at} is {column[at]!r}.")
    return np.array(cast.to_numpy(), np.int64)


def _places(table: pl.DataFrame, name: str, path: Path) -> NDArray[np.int64]:
    """Returns ranks or micro-batches; 0 without the column."""
    if name not in table.columns:
        return np.zeros(len(table), np.int64)
    found = _integers(table, name, path)
    if found.min() < 0 or found.max() > LARGEST_PLACE:
        raise ReadError(f"{path}: {name} must be whole numbers from 0 to {LARGEST_PLACE:,}.")
    return found


def _numbered(table: pl.DataFrame, what: str, setup: Setup, path: Path) -> NDArray[np.int64]:
    """Finds samples by document."""
    if setup.numbering is None:
        raise ReadError(
            f"{path}: {what} names documents, which are the samples of a run without packing. "
            "Give sample numbers in a column sample."
        )
    column = table.get_column(what)
    samples = setup.numbering(KEYS[what], np.asarray(column.to_list(), object))
    unknown = np.flatnonzero(samples < 0)
    if len(unknown):
        raise ReadError(
            f"{path}: {len(unknown):,} of {len(samples):,} entries name no document of the training set; "
            f"the first is {what} {column[int(unknown[0])]!r}. Check RUN and --documents."
        )
    return samples
