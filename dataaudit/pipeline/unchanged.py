"""Whether a file of the corpus is still the one that was planned or audited."""

from pathlib import Path

from dataaudit.corpus import CorpusFile
from dataaudit.corpus.location import is_local
from dataaudit.errors import RunError


def refuse_changed(file: CorpusFile) -> None:
    """Compares size and time of a local file with those at the audit; other files are taken as they are.

    Raises:
        RunError: the file has changed or gone.
    """
    if (gone := _gone(file)) is not None:
        raise RunError(f"{gone}, and the corpus that was audited is needed. Put it back, or audit again.")
    if (change := _change(file)) is not None:
        raise RunError(f"{file.path} has changed since the audit ({change}). Run dataaudit audit again.")


def refuse_changed_since_plan(file: CorpusFile) -> None:
    """Does the same before the file is measured, maybe on another machine than it was planned on.

    Raises:
        RunError: the file has changed, or is not there.
    """
    if (gone := _gone(file)) is not None:
        raise RunError(
            f"{gone}, and was there when the run was planned. Relative paths start at the folder where that was: run "
            "the command there. If the file has gone, run the audit or plan again."
        )
    if (change := _change(file)) is not None:
        raise RunError(
            f"{file.path} has changed since the run was planned ({change}). Run the audit or plan again; what is "
            "finished of other files is kept."
        )


def _gone(file: CorpusFile) -> str | None:
    """Returns that a file cannot be read, and why; None when it is there, or nothing is known of it."""
    if not _is_known(file):
        return None
    try:
        Path(file.path).stat()
    except OSError as error:
        return f"{file.path}: cannot be read ({error.strerror})"
    return None


def _change(file: CorpusFile) -> str | None:
    """Returns how a file that is there differs from what it was; None when it does not, or nothing is known of it."""
    if not _is_known(file):
        return None
    facts = Path(file.path).stat()
    if (facts.st_size, str(facts.st_mtime_ns)) == (file.size, file.stamp):
        return None
    return f"{facts.st_size:,} bytes, where there were {file.size:,}, or another time"


def _is_known(file: CorpusFile) -> bool:
    return file.size is not None and not file.path.startswith("hub:") and is_local(file.path)
