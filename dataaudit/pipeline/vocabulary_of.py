"""What a run needs of its tokenizer's file, which must still be the one that the run was made with."""

import hashlib
from functools import lru_cache
from pathlib import Path

from dataaudit.errors import RunError
from dataaudit.kernels.vocabulary import Vocabulary
from dataaudit.pipeline.plan import TokenizerSettings
from dataaudit.tokenize import vocabulary
from dataaudit.tokenize.vocabulary import SpecialIds, special_ids


def vocabulary_of(tokenizer: TokenizerSettings) -> Vocabulary:
    """Returns the facts about a run's tokenizer; reading them takes over a second, so a process does it once."""
    return _vocabulary(unchanged(tokenizer), tokenizer.sha256)


@lru_cache(maxsize=1)
def _vocabulary(path: str, sha256: str) -> Vocabulary:  # noqa: ARG001 - another file is another entry of the cache
    return vocabulary(path)


def special_ids_of(tokenizer: TokenizerSettings) -> SpecialIds:
    """Returns the ids that a run's tokenizer names itself."""
    return special_ids(unchanged(tokenizer))


def unchanged(tokenizer: TokenizerSettings) -> str:
    """Returns the path of a run's tokenizer file.

    Raises:
        RunError: the file has gone or is another one now.
    """
    path = Path(tokenizer.path)
    try:
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise RunError(
            f"the run's tokenizer {path} cannot be read ({error.strerror}). Put the file back, or audit again with "
            "--tokenizer."
        ) from error
    if sha256 != tokenizer.sha256:
        raise RunError(
            f"{path} is no longer the tokenizer that the run was made with (sha256 {sha256[:12]} instead of "
            f"{tokenizer.sha256[:12]}). Put that file back, or audit again with --tokenizer."
        )
    return tokenizer.path
