"""A fair coin for each document, by its id alone."""

import numpy as np
from numpy.typing import NDArray

_P1, _P2, _P3, _P4, _P5 = (
    np.uint64(prime)
    for prime in (
        0x9E3779B185EBCA87,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0x85EBCA77C2B2AE63,
        0x27D4EB2F165667C5,
    )
)


def coins(doc_ids: NDArray[np.uint64]) -> NDArray[np.int8]:
    """Returns 0 or 1 for each document: the lowest bit of XXH64 of its id's 8 bytes, the lowest first."""
    hashes = _P5 + np.uint64(8) ^ _turned(doc_ids * _P2, 31) * _P1
    hashes = _turned(hashes, 27) * _P1 + _P4
    for shift, prime in ((33, _P2), (29, _P3)):
        hashes = (hashes ^ hashes >> np.uint64(shift)) * prime
    return ((hashes ^ hashes >> np.uint64(32)) & np.uint64(1)).astype(np.int8)


def _turned(values: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
    return values << np.uint64(bits) | values >> np.uint64(64 - bits)
