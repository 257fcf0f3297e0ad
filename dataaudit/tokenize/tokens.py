"""Token ids of a batch of documents, and the integer type they are stored in."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.errors import TokenizerError

IdType = type[np.uint16] | type[np.uint32] | type[np.int64]


class Unencoded(NamedTuple):
    """A document that has no token ids because the engine could not encode it.

    Attributes:
        document: its index in the batch.
        reason: what went wrong, for a person.
    """

    document: int
    reason: str


class TokenBatch(NamedTuple):
    """Token ids of all documents one after the other.

    Attributes:
        ids: uint32, the ids.
        offsets: int64, one more than there are documents; document i has ``ids[offsets[i]:offsets[i + 1]]``.
        unencoded: documents that could not be encoded, by index; they have no ids here, which is not the same as a
            document of zero tokens.
    """

    ids: NDArray[np.uint32]
    offsets: NDArray[np.int64]
    unencoded: tuple[Unencoded, ...] = ()


def id_dtype(id_space: int) -> type[np.uint16] | type[np.uint32]:
    """Returns the smallest type that holds every id below *id_space*: uint16 up to 65,536 ids, else uint32."""
    return np.uint16 if id_space <= 1 << 16 else np.uint32


def narrow(ids: NDArray[Any], dtype: IdType) -> NDArray[Any]:
    """Returns *ids* as *dtype*.

    Raises:
        TokenizerError: An id does not fit; NumPy alone would wrap it to another id without a word.
    """
    if ids.dtype == dtype or len(ids) == 0:
        return ids.astype(dtype, copy=False)
    limits = np.iinfo(dtype)
    for extreme in (int(ids.min()), int(ids.max())):
        if not limits.min <= extreme <= limits.max:
            raise TokenizerError(
                f"token id {extreme} does not fit {limits.dtype} ({limits.min} to {limits.max}); stored so, it would "
                "wrap to another id. Take the type from the tokenizer's whole id space, added tokens included."
            )
    return ids.astype(dtype)
