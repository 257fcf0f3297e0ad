"""Fixed phrases that several signals look for, found in one walk over the texts."""

import numpy as np

from dataaudit.kernels.c4 import POLICY_PHRASES
from dataaudit.kernels.patterns import LINE_FEED, Matches, count_matches, trie
from dataaudit.signals.batch import DocumentBatch

ELLIPSIS, LOREM_IPSUM, JAVASCRIPT, POLICY = range(4)
_GROUP_OF = {
    "\n": LINE_FEED,
    "...": ELLIPSIS,
    "…": ELLIPSIS,
    "lorem ipsum": LOREM_IPSUM,
    "javascript": JAVASCRIPT,
    **dict.fromkeys(POLICY_PHRASES, POLICY),
}


def phrases(batch: DocumentBatch) -> Matches:
    """Returns how often each group of phrases occurs, and in how many lines; ASCII letters in either case."""
    group_of = np.array(list(_GROUP_OF.values()), np.int64)
    return count_matches(batch.data, batch.offsets, trie(tuple(_GROUP_OF), ignore_case=True), group_of)
