"""What several test modules share."""

from pathlib import Path


def contents(run: Path) -> dict[str, bytes]:
    """Every file of a run folder but those that hold times."""
    return {
        str(path.relative_to(run)): path.read_bytes()
        for path in sorted(run.rglob("*"))
        if path.is_file() and path.name not in ("timings.json", ".lock")
    }
