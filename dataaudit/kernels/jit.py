"""The one decorator that compiles a kernel, and the folder its machine code is kept in.

Numba's own cache key knows a function's file but not the helpers it calls from other files, and its default
folder is beside the source, which may be read-only. So compiled kernels go to a folder of our own, named by a
digest of every kernel source and of the compiler's version.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba.core import config as numba_config


def _source_digest() -> str:
    digest = hashlib.sha256()
    digest.update(f"{numba.__version__} {llvmlite.__version__} {sys.version_info[:2]}".encode())
    folder = Path(__file__).parent
    for path in [*sorted(folder.glob("*.py")), *sorted(folder.glob("data/*"))]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


SOURCE_DIGEST = _source_digest()
"""Of every kernel, its tables and the compiler: two machines with the same digest measure the same."""


def _cache_root() -> Path:
    named = os.environ.get("DATAAUDIT_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dataaudit"


def _cache_folder() -> Path:
    """Returns a folder that only this user writes to; a private temporary one when the home cannot be written."""
    settings: Any = numba_config
    checked = "-boundscheck" if settings.BOUNDSCHECK else ""  # else code without the checks would be taken
    try:
        folder = _cache_root() / f"kernels-{SOURCE_DIGEST}{checked}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except (OSError, RuntimeError):
        pass
    return Path(tempfile.mkdtemp(prefix="dataaudit-kernels-"))


F = TypeVar("F", bound=Callable[..., Any])

CACHE_FOLDER = _cache_folder()

ONE = np.uint64(1)
"""For indices in the innermost loops: with unsigned ones no code is made that looks whether they count from the end."""


def kernel(function: F) -> F:
    """Compiles *function* on its first call, without the GIL, and keeps the machine code for later processes."""
    settings: Any = numba_config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(CACHE_FOLDER)
    try:
        compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    finally:
        settings.CACHE_DIR = before
    return cast("F", compiled)
