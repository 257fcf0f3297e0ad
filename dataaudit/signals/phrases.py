"""Fixed phrases that several signals look for, found in one walk over the texts."""

import numpy as np

from dataaudit.kernels.patterns import LINE_FEED, Matches, count_matches, trie
from dataaudit.signals.batch import DocumentBatch

ELLIPSIS, LOREM_IPSUM, JAVASCRIPT, POLICY = range(4)
_GROUP_OF = {
    "\n": LINE_FEED,
    "...": ELLIPSIS,
    "…": ELLIPSIS,
    "lorem ipsum": LOREM_IPSUM,
    "javascript": JAVASCRIPT,
    "terms of use": POLICY,
    "privacy policy": POLICY,
    "cookie policy": POLICY,
    "uses cookies": POLICY,
    "use of cookies": POLICY,
    "use cookies": POLICY,
}


def phrases(batch: DocumentBatch) -> Matches:
    """Returns how often each group of phrases occurs, and in how many lines; ASCII letters in either case."""
    group_of = np.array(list(_GROUP_OF.values()), np.int64)
    return count_matches(batch.data, batch.offsets, trie(tuple(_GROUP_OF), ignore_case=True), group_of)
