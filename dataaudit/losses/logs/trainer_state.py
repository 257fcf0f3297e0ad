"""``trainer_state.json`` of transformers, and any JSON list of such rows."""

import json
from pathlib import Path
from typing import Any

from dataaudit.errors import ReadError
from dataaudit.losses.points import Points


def is_mine(path: Path, head: bytes) -> bool:  # noqa: ARG001 - the name tells
    """Says whether the file is of this format."""
    return path.suffix.lower() == ".json"


def read(path: Path, into: Points) -> str:
    """Reads ``log_history``."""
    try:
        value: Any = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ReadError(f"{path}: no JSON that can be read: {error}.") from error
    rows = value.get("log_history") if isinstance(value, dict) else value
    if not isinstance(rows, list):
        raise ReadError(
            f"{path}: expected log_history, as in trainer_state.json, or a list of rows with step and loss."
        )
    for row in rows:
        if isinstance(row, dict):
            into.add_row(row)
    return ""
