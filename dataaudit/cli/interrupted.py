"""What Ctrl-C does."""

import os
import sys
from pathlib import Path
from typing import NoReturn

INTERRUPTED = 130


def interrupted(out: Path) -> NoReturn:
    """Ends at once; every finished shard is in the folder, and unfinished ones count for nothing."""
    sys.stderr.write(f"\ninterrupted; finished shards are kept in {out}. Run the same command again to resume.\n")
    sys.stderr.flush()
    sys.stdout.flush()
    os._exit(INTERRUPTED)
