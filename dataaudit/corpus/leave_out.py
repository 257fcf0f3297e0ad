"""What lies beside the data in a folder and is none."""

import json
import re
from collections.abc import Collection
from pathlib import Path

_NOTES = re.compile(
    r"(readme|license|licence|copying|changelog|citation)(\..*)?"
    r"|export\.json|tokenizer\.json|tokenizer_config\.json|special_tokens_map\.json"
    r"|dataset_infos?\.json|dataset_dict\.json|state\.json|_success|_metadata|_common_metadata"
    r"|checksums?(\..*)?|(md5|sha1|sha256|sha512)sums?(\..*)?|.*\.(md5|sha1|sha256|sha512|crc|lock|idx|tmp|part|swp)"
    r"|thumbs\.db|desktop\.ini",
    re.IGNORECASE,
)

REASONS_ENDING = ".reasons.jsonl"
"""What the file of reasons beside quarantined sequences ends with."""
SIDECARS = {
    REASONS_ENDING: ("", False),
    ".idx": (".bin", False),
    ".ds.index": (".ds", True),
    ".ds.metadata": (".ds", True),
    ".ds.loss": (".ds", True),
    ".csv.gz": (".npy", False),
    ".mds.zstd": (".mds", False),
    ".mds.gz": (".mds", False),
}
"""What a file beside token ids ends with, what theirs ends with instead, and whether nothing else has such a name."""
_INDEX_MAGIC = b"MMIDIDX"
_SHARD_INDEX = "index.json"
_SHARD = re.compile(r".*\.mds(\.\w+)?|chunk-.*\.bin")


def reason_to_leave(name: str, *, is_folder: bool) -> str | None:
    """Returns why a file or folder that was found in a folder is no data, or None when it may be."""
    if name.startswith("."):
        return "hidden"
    if is_folder:
        return "made by a program" if name in ("__pycache__", "__MACOSX") else None
    return "a note, a checksum or a mark, no data" if _NOTES.fullmatch(name) else None


def main_of(path: Path) -> str | None:
    """Returns the name of the file of token ids that a file belongs to, None when it is no sidecar.

    An empty text says that it must be one, and that the file of ids is missing: to be told as a fault of the corpus.
    """
    if path.name == _SHARD_INDEX:
        return _first_shard(path)
    for ending, (instead, is_always_one) in SIDECARS.items():
        if path.name.endswith(ending):
            main = path.name.removesuffix(ending) + instead
            if (path.parent / main).is_file():
                return main
            return "" if is_always_one or _begins_as_index(path) else None
    return None


def _first_shard(path: Path) -> str | None:
    """Returns the first file in the folder that an index of MosaicML or LitData can be of."""
    try:
        names = sorted(each.name for each in path.parent.iterdir())
    except OSError:
        return None
    return next((name for name in names if _SHARD.fullmatch(name)), None)


def main_among(path: str, paths: Collection[str]) -> str | None:
    """Returns the path among *paths* of the file of token ids that a file belongs to, or None."""
    if path.rpartition("/")[2] == _SHARD_INDEX:
        folder = path.removesuffix(_SHARD_INDEX)
        names = (each.removeprefix(folder) for each in sorted(paths) if each.startswith(folder))
        return next((folder + name for name in names if _SHARD.fullmatch(name)), None)
    mains = (path.removesuffix(ending) + main for ending, (main, _) in SIDECARS.items() if path.endswith(ending))
    return next((main for main in mains if main in paths), None)


def _begins_as_index(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_INDEX_MAGIC)) == _INDEX_MAGIC
    except OSError:
        return False


def saved_dataset_files(folder: Path) -> set[str] | None:
    """Returns the file names of a dataset that ``save_to_disk`` wrote, or None when the folder is none.

    Caches of ``map`` lie in the same folder; they would be read as data.
    """
    try:
        state = json.loads((folder / "state.json").read_bytes())
        return {each["filename"] for each in state["_data_files"]}
    except (OSError, ValueError, KeyError, TypeError):
        return None
