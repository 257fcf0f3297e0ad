"""What a document is compared by: a digest of its normal form or ids, a set of shingles, and the set's signature."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from dataaudit.kernels.decode import Decoded, decode
from dataaudit.kernels.minhash import band_keys, signatures
from dataaudit.kernels.normal import normal
from dataaudit.kernels.shingles import ShingleSets, shingle_sets
from dataaudit.kernels.token_shingles import token_shingle_sets


class Fingerprints(NamedTuple):
    """The fingerprints of a batch of documents.

    Attributes:
        digests: uint64[documents, 2], the upper and the lower half of the xxh3-128 digest of the normal form, in UTF-32
            of little endian, or of the token ids, 8 bytes of little endian each; meaningless for an empty one.
        filled: bool[documents], whether anything is left in normal form, or there is an id.
        sets: their shingles.
        signatures: uint32[documents, 128].
        keys: uint64[documents, 16], the key of each band; meaningless without shingles.
    """

    digests: NDArray[np.uint64]
    filled: NDArray[np.bool_]
    sets: ShingleSets
    signatures: NDArray[np.uint32]
    keys: NDArray[np.uint64]


def fingerprint(characters: Decoded, shingle_units: int) -> Fingerprints:
    """Returns the fingerprints of texts."""
    texts = normal(characters)
    found = digests(texts.codepoints.astype("<u4", copy=False), texts.offsets)
    return _fingerprints(found, texts.offsets, shingle_sets(texts, shingle_units))


def fingerprint_ids(offsets: NDArray[np.int64], ids: NDArray[np.int64], shingle_units: int) -> Fingerprints:
    """Returns the fingerprints of documents that came as token ids; a shingle is so many consecutive ids."""
    found = digests(ids.astype("<i8", copy=False), offsets)
    return _fingerprints(found, offsets, token_shingle_sets(offsets, ids, shingle_units))


def _fingerprints(found: NDArray[np.uint64], offsets: NDArray[np.int64], sets: ShingleSets) -> Fingerprints:
    signature = signatures(sets.offsets, sets.hashes)
    return Fingerprints(found, np.diff(offsets) > 0, sets, signature, band_keys(signature))


def shingles(text: str, units: int = 5) -> NDArray[np.uint64]:
    """Returns the hashes of a text's shingles, distinct and ascending: what an audit compares documents by.

    Two texts are near duplicates when ``len(np.intersect1d(a, b)) / len(np.union1d(a, b))`` is at least the threshold.
    The low 32 bits of each hash are what the run's MinHash signatures are made of. How they are computed:
    ``dataaudit.kernels.shingles``. At most the first 1,048,576 shingles count.

    Args:
        text: any text; empty, or without a word, it has no shingles.
        units: words, or characters of scripts without spaces, in a shingle.
    """
    if units < 1:
        raise ValueError(f"a shingle of {units} units. Expected at least 1.")
    data = np.frombuffer(text.encode("utf-8", "replace"), np.uint8)
    return shingle_sets(normal(decode(data, np.array([0, len(data)], np.int64))), units).hashes


def digests(values: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Returns the xxh3-128 digest of each document's values as they lie in memory, as in ``Fingerprints``."""
    raw = values.view(np.uint8).data
    ends = (offsets * values.itemsize).tolist()
    digest = xxhash.xxh3_128_digest
    found = b"".join([digest(raw[start:end]) for start, end in pairwise(ends)])
    return np.frombuffer(found, ">u8").astype(np.uint64).reshape(-1, 2)
