"""Whether a file of the corpus is still the one that was audited."""

from pathlib import Path

from dataaudit.corpus import CorpusFile
from dataaudit.corpus.location import is_local
from dataaudit.errors import RunError


def refuse_changed(file: CorpusFile) -> None:
    """Compares size and time of a local file with those at the audit; other files are taken as they are.

    Raises:
        RunError: the file has changed or gone.
    """
    if file.size is None or file.path.startswith("hub:") or not is_local(file.path):
        return
    try:
        facts = Path(file.path).stat()
    except OSError as error:
        raise RunError(
            f"{file.path}: cannot be read ({error.strerror}), and the corpus that was audited is needed. Put it back, "
            "or audit again."
        ) from error
    if (facts.st_size, str(facts.st_mtime_ns)) != (file.size, file.stamp):
        raise RunError(
            f"{file.path} has changed since the audit ({facts.st_size:,} bytes, {file.size:,} were audited, or another "
            "time). Run dataaudit audit again."
        )
