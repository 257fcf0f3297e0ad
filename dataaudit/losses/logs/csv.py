"""CSV and TSV logs, such as exports of Weights & Biases."""

from pathlib import Path

import polars as pl

from dataaudit.errors import ReadError
from dataaudit.losses.points import STEPS, Points, step_of

SUFFIXES = {".csv": ",", ".tsv": "\t"}


def is_mine(path: Path, head: bytes) -> bool:  # noqa: ARG001 - the name tells
    """Says whether the file is of this format."""
    return path.suffix.lower() in SUFFIXES


def read(path: Path, into: Points) -> str:
    """Reads a table with a column of steps; exports that prefix columns with a run's name lose the prefix."""
    try:
        table = pl.read_csv(
            path, separator=SUFFIXES[path.suffix.lower()], infer_schema=False, null_values=["", "null", "None"]
        )
    except pl.exceptions.PolarsError as error:
        raise ReadError(f"{path}: cannot be read as a table: {' '.join(str(error).split())[:200]}") from error
    names = {name: name.rpartition(" - ")[2] for name in table.columns}
    steps = next((name for known in STEPS for name in names if names[name].lower() == known), None)
    if steps is None:
        raise ReadError(f"{path}: no column of steps ({', '.join(STEPS)}). It has: {', '.join(table.columns[:12])}.")
    at = table.get_column(steps).cast(pl.Float64, strict=False)
    for name in table.columns:
        values = table.get_column(name).str.strip_chars().cast(pl.Float64, strict=False)
        for step, value in zip(at.to_list(), values.to_list(), strict=True):
            number = step_of(step)
            if name != steps and number is not None and value is not None:
                into.add(names[name], number, value)
    return ""
