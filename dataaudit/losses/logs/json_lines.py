"""JSON lines: an object a step."""

import json
from pathlib import Path

from dataaudit.losses.points import Points


def is_mine(path: Path, head: bytes) -> bool:  # noqa: ARG001 - the name tells
    """Says whether the file is of this format."""
    return path.suffix.lower() in (".jsonl", ".ndjson")


def read(path: Path, into: Points) -> str:
    """Reads the lines; NaN and Infinity are numbers, and lines that are no JSON object are counted."""
    wrong = first = 0
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            if isinstance(row, dict):
                into.add_row(row)
            else:
                wrong, first = wrong + 1, first or number
    note = f"{path}: lines that are no JSON objects were left out: {wrong:,}; the first is line {first}."
    return note if wrong else ""
