"""What lies beside the data in a folder and is none."""

import json
import re
from pathlib import Path

_NOTES = re.compile(
    r"(readme|license|licence|copying|changelog|citation)(\..*)?"
    r"|dataset_infos?\.json|dataset_dict\.json|state\.json|_success|_metadata|_common_metadata"
    r"|checksums?(\..*)?|(md5|sha1|sha256|sha512)sums?(\..*)?|.*\.(md5|sha1|sha256|sha512|crc|lock|idx|tmp|part|swp)"
    r"|thumbs\.db|desktop\.ini",
    re.IGNORECASE,
)


def reason_to_leave(name: str, *, is_folder: bool) -> str | None:
    """Returns why a file or folder that was found in a folder is no data, or None when it may be."""
    if name.startswith("."):
        return "hidden"
    if is_folder:
        return "made by a program" if name in ("__pycache__", "__MACOSX") else None
    return "a note, a checksum or a mark, no data" if _NOTES.fullmatch(name) else None


def saved_dataset_files(folder: Path) -> set[str] | None:
    """Returns the file names of a dataset that ``save_to_disk`` wrote, or None when the folder is none.

    Caches of ``map`` lie in the same folder; they would be read as data.
    """
    try:
        state = json.loads((folder / "state.json").read_bytes())
        return {each["filename"] for each in state["_data_files"]}
    except (OSError, ValueError, KeyError, TypeError):
        return None
