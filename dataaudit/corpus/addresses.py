"""Files behind fsspec addresses: s3://, hf://, memory://, ..."""

from pathlib import PurePosixPath
from typing import Any

from dataaudit.corpus.leave_out import main_among, reason_to_leave
from dataaudit.corpus.location import filesystem, why
from dataaudit.corpus.naming import Candidate
from dataaudit.errors import ReadError

_STAMPS = ("ETag", "etag", "blob_id", "sha256", "md5Hash", "mtime", "LastModified", "last_modified", "created")


def find_at_address(address: str, skipped: list[tuple[str, str]]) -> list[Candidate]:
    """Returns the file, the files of the folder, or those that match the pattern.

    Raises:
        ReadError: there is none, or the address cannot be reached.
    """
    try:
        system, path = filesystem(address)
        below, infos = _listed(system, path)
    except (OSError, ImportError, ValueError) as error:
        raise ReadError(f"{address}: cannot be read: {why(error)}.") from error
    if not infos:
        raise ReadError(f"{address}: there is no such file or folder, and as a pattern it matches none.")
    found: list[Candidate] = []
    chained = address.partition("::")[2]
    for inner, info in sorted(infos.items()):
        full = system.unstrip_protocol(inner) + (f"::{chained}" if chained else "")
        relative = PurePosixPath(inner).relative_to(below).parts if below else (PurePosixPath(inner).name,)
        reasons = [reason_to_leave(part, is_folder=part is not relative[-1]) for part in relative] if below else []
        if below and (main := main_among(inner, infos)):
            reasons.insert(0, f"belongs to {PurePosixPath(main).name}")
        if reason := next(filter(None, reasons), None):
            skipped.append((full, reason))
            continue
        stamp = next((str(info[key]) for key in _STAMPS if info.get(key) is not None), "")
        found.append(Candidate(full, relative, PurePosixPath(inner).parts, info.get("size"), stamp))
    return found


def _listed(system: Any, path: str) -> tuple[str | None, dict[str, Any]]:
    """Returns the folder that names are relative to (None for a single file), and what was found."""
    if system.isfile(path):
        return None, {path: system.info(path)}
    if system.isdir(path):
        return path, system.find(path, detail=True)
    matches = system.glob(path, detail=True)
    parts = PurePosixPath(path).parts
    wild = next((at for at, part in enumerate(parts) if set(part) & set("*?[")), len(parts) - 1)
    infos: dict[str, Any] = {}
    for inner, info in matches.items():
        infos |= system.find(inner, detail=True) if info.get("type") == "directory" else {inner: info}
    return str(PurePosixPath(*parts[:wild])), infos
