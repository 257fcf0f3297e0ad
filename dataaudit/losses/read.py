"""Reads the log of a training run."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.errors import ReadError, UsageError
from dataaudit.losses.logs import all_formats
from dataaudit.losses.points import NAMES, Points

HEAD = 64


class Series(NamedTuple):
    """A series of a log.

    Attributes:
        name: ``loss`` or ``grad_norm``.
        steps: int64, ascending.
        values: float64; NaN and infinite where they were logged so.
    """

    name: str
    steps: NDArray[np.int64]
    values: NDArray[np.float64]


class Log(NamedTuple):
    """What was read: the series, the files, and what to know about them."""

    series: list[Series]
    files: list[str]
    notes: list[str]


def read_log(places: Sequence[Path]) -> Log:
    """Reads files and folders of event files; of a step that was logged twice, as after a resume, the last counts.

    Raises:
        ReadError: a file is missing, of no known format, damaged, or holds no loss.
    """
    read = Points()
    files = [file for place in places for file in _files(place)]
    notes = [note for file in files if (note := _read(file, read))]
    series, replaced = [], 0
    for name, known in NAMES.items():
        wanted = _wanted({point.name for point in read.points}, known)
        by_step: dict[int, float] = {}
        for point in read.points:
            if point.name == wanted:
                replaced += name == "loss" and point.step in by_step
                by_step[point.step] = point.value
        if by_step:
            steps = sorted(by_step)
            series.append(Series(name, np.array(steps), np.array([by_step[step] for step in steps], np.float64)))
    if not series:
        has = ", ".join(sorted(read.names)[:12]) or "no numbers"
        raise ReadError(f"{places[0]}: no loss and no gradient norm ({', '.join(NAMES['loss'][:3])}). It has: {has}.")
    if replaced:
        notes.append(f"steps that were logged more than once, as after a resume: {replaced:,}; the last value counts.")
    return Log(series, [str(file) for file in files], notes)


def _files(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place]
    found = sorted(path for path in place.rglob("*tfevents*") if path.is_file())
    if not found:
        raise ReadError(f"{place}: the folder has no TensorBoard event files. Give the file of the log.")
    return found


def _read(path: Path, into: Points) -> str:
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
        for known in all_formats():
            if known.is_mine(path, head):
                return known.read(path, into)
    except OSError as error:
        raise ReadError(f"{path}: cannot be opened ({error.strerror or error}).") from error
    raise UsageError(f"--loss {path}: expected trainer_state.json, .jsonl, .csv, .tsv or TensorBoard event files.")


def _wanted(names: set[str], known: tuple[str, ...]) -> str | None:
    """Returns the name that a log gives to a series: a known one, or the only one that ends in it."""
    lower = {name.lower(): name for name in sorted(names)}
    for each in known:
        if each in lower:
            return lower[each]
    ending = [name for name in sorted(names) if name.lower().endswith(tuple(f"/{each}" for each in known))]
    training = [name for name in ending if "eval" not in name.lower() and "val" not in name.lower()]
    return training[0] if len(training) == 1 else None
