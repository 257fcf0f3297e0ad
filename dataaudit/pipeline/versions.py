"""Which versions of the tool and its libraries measure; results of others are not taken over."""

from importlib.metadata import version

from dataaudit import __version__
from dataaudit.kernels.jit import SOURCE_DIGEST

LIBRARIES = ("datasets", "fastokens", "numba", "numpy", "polars", "pyarrow", "tokenizers")


def versions() -> dict[str, str]:
    """Returns the version of dataaudit, of each library, and the digest of the kernels."""
    return {"dataaudit": __version__, "kernels": SOURCE_DIGEST, **{name: version(name) for name in LIBRARIES}}
