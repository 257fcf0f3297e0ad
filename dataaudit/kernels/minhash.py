"""MinHash signatures, bit for bit those of ``datasketch.MinHash(num_perm=128, seed=1, scheme="affine32")``.

A shingle gives its low 32 bits. They go through the finalizer of MurmurHash3, then through 128 permutations
``a * h + b mod 2**32`` with odd a; a signature is the least value of each. (E. Zhu, datasketch 2.0.)
"""

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.hashtable import mix
from dataaudit.kernels.jit import kernel

PERMUTATIONS, SEED = 128, 1
BANDS, ROWS = 16, 8
_random = np.random.RandomState(SEED)
_A: NDArray[np.uint32] = _random.randint(0, 1 << 31, PERMUTATIONS, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
_B: NDArray[np.uint32] = _random.randint(0, 1 << 32, PERMUTATIONS, dtype=np.uint32)


def signatures(offsets: NDArray[np.int64], shingles: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Returns uint32[documents, 128]; all ones for a document without shingles."""
    return _signatures(offsets, shingles, _A, _B)


def band_keys(signature: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Returns uint64[documents, 16]: a mix of the 8 values of each band and of the band's number."""
    return _band_keys(signature)


@kernel
def _signatures(
    offsets: NDArray[np.int64], shingles: NDArray[np.uint64], a: NDArray[np.uint32], b: NDArray[np.uint32]
) -> NDArray[np.uint32]:
    found = np.full((len(offsets) - 1, PERMUTATIONS), np.uint32(0xFFFFFFFF), np.uint32)
    for document in range(len(offsets) - 1):
        row = found[document]
        first, last = offsets[document], offsets[document + 1]
        i = first
        while i + 4 <= last:
            h0, h1 = _finalised(shingles[i]), _finalised(shingles[i + 1])
            h2, h3 = _finalised(shingles[i + 2]), _finalised(shingles[i + 3])
            for k in range(PERMUTATIONS):
                v0, v1 = np.uint32(a[k] * h0 + b[k]), np.uint32(a[k] * h1 + b[k])
                v2, v3 = np.uint32(a[k] * h2 + b[k]), np.uint32(a[k] * h3 + b[k])
                row[k] = min(row[k], min(min(v0, v1), min(v2, v3)))
            i += 4
        while i < last:
            h0 = _finalised(shingles[i])
            for k in range(PERMUTATIONS):
                row[k] = min(row[k], np.uint32(a[k] * h0 + b[k]))
            i += 1
    return found


@kernel
def _finalised(shingle: np.uint64) -> np.uint32:
    value = np.uint32(shingle & np.uint64(0xFFFFFFFF))
    value = np.uint32(value ^ (value >> np.uint32(16)))
    value = np.uint32(value * np.uint32(0x85EBCA6B))
    value = np.uint32(value ^ (value >> np.uint32(13)))
    value = np.uint32(value * np.uint32(0xC2B2AE35))
    return np.uint32(value ^ (value >> np.uint32(16)))


@kernel
def _band_keys(signature: NDArray[np.uint32]) -> NDArray[np.uint64]:
    keys = np.empty((len(signature), BANDS), np.uint64)
    for document in range(len(signature)):
        for band in range(BANDS):
            key = np.uint64(band)
            for k in range(band * ROWS, (band + 1) * ROWS):
                key = mix(key ^ np.uint64(signature[document, k]))
            keys[document, band] = key
    return keys
