"""The records that pass between the steps, as NumPy structures; files hold them as they are.

A document is named by its doc_id, ``shard << 32 | row``: 8 bytes, in corpus order.
"""

import numpy as np

ROW_BITS = 32
ROW_MASK = (1 << ROW_BITS) - 1
NONE = np.uint64(2**64 - 1)
"""No document."""

COPY = np.dtype([("document", "<u8"), ("first", "<u8"), ("count", "<u8")])
"""A document of a group with the same normal form: the group's first document, and how many there are."""

EDGE = np.dtype([("document", "<u8"), ("partner", "<u8"), ("shared", "<u4"), ("united", "<u4")])
"""A document that is verified to be like an earlier one, and the sizes of intersection and union."""

MISS = np.dtype([("document", "<u8"), ("unverified", "u1")])
"""A document that shares a bucket with an earlier one and was verified to be like none there; *unverified* when the
bucket has more representatives than it was compared with."""

MEMBER = np.dtype(
    [
        ("document", "<u8"),
        ("copy_of", "<u8"),
        ("copies", "<u8"),
        ("near", "<u8"),
        ("shared", "<u4"),
        ("united", "<u4"),
        ("root", "<u8"),
        ("size", "<u8"),
    ]
)
"""A document of a cluster: what it is an exact copy of (NONE: of nothing earlier) and how many copies there are, the
kept document that it is near to (NONE: to none) with the sizes, and its cluster's first document and size."""
