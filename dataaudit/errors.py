"""What can go wrong, as a person should read it.

    DataAuditError
    ├── UsageError        an argument or option that cannot be used
    ├── ConfigError       a config file that is not valid, with file and line
    ├── ReadError         an input that cannot be opened or has no usable column
    ├── TokenizerError    a tokenizer file that cannot be loaded
    ├── RunError          a run folder that cannot be used or is damaged
    ├── NoDocumentsError  nothing was read
    └── AnomalyError      a training run was to end at an anomaly of its data, and there is one

Every message says what is wrong, where, what was expected and what to do next.
"""

import difflib
from collections.abc import Iterable


class DataAuditError(Exception):
    """A fault that the user can act on; shown without a traceback."""


class UsageError(DataAuditError):
    """An argument or option that cannot be used."""


class ConfigError(DataAuditError):
    """A config that is not valid."""


class ReadError(DataAuditError):
    """An input that cannot be read as a whole."""


class TokenizerError(DataAuditError):
    """A tokenizer file that cannot be loaded or used."""


class RunError(DataAuditError):
    """A run folder that is missing, damaged, locked or of another version."""


class NoDocumentsError(DataAuditError):
    """No document was read from the inputs."""


class AnomalyError(DataAuditError):
    """An anomaly in the data of a training run that was to end at one."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """Returns " Did you mean 'x'?" for the nearest known name, or an empty text."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" Did you mean {near[0]!r}?" if near else ""
