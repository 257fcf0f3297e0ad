"""``index.json`` of MosaicML and LitData: what it says of a shard, and shards that it names and that are missing.

Names in it are only compared with names of files; none is ever opened.
"""

import json
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from dataaudit.corpus.location import open_binary
from dataaudit.corpus.token_arrays.naming import exists, stamp_of

NAME = "index.json"
_MOST_BYTES = 64 << 20


def path_beside(path: str) -> str:
    """Returns the path of the index beside a shard."""
    return path[: len(path) - len(path.rpartition("/")[2])] + NAME


def load_index(path: str) -> dict[str, Any] | None:
    """Returns the index beside a shard, or None when there is none that can be read."""
    index = path_beside(path)
    return _load(index, stamp_of(index)) if exists(index) else None


@lru_cache(maxsize=2)
def _load(index: str, _stamp: str) -> dict[str, Any] | None:
    """Reads an index, which all shards of a folder ask for."""
    with open_binary(index) as file:
        data = file.read(_MOST_BYTES + 1)
    try:
        content = json.loads(data) if len(data) <= _MOST_BYTES else None
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def is_plain(name: object) -> bool:
    """Returns whether a name from an index is that of a file beside it."""
    return (
        isinstance(name, str) and name not in ("", ".", "..") and PurePosixPath(name).name == name and "\\" not in name
    )


def missing_shards(path: str, entries: list[tuple[str, ...]]) -> str | None:
    """Returns what is wrong with the shards that an index names, told with the first of them that is there.

    Args:
        path: of the shard that is being read.
        entries: for each shard of the index, the names that its file may have.
    """
    own = path.rpartition("/")[2]
    prefix = path[: len(path) - len(own)]
    plain = [names for names in entries if all(is_plain(name) for name in names)]
    first = next((names for names in plain if any(exists(prefix + name) for name in names)), ())
    if own not in first:
        return None
    strange = len(entries) - len(plain)
    missing = [names[0] for names in plain if not any(exists(prefix + name) for name in names)]
    said = []
    if missing:
        said.append(f"{NAME} names shards that are missing ({len(missing):,}), such as {missing[0]}")
    if strange:
        said.append(f"{NAME} names shards by what is no plain file name ({strange:,})")
    return "; ".join(said) or None
