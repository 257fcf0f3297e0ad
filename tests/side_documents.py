"""Documents of token ids with lists beside them: a plain reference for what is padding, and batches of them."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from dataaudit.signals import DocumentBatch, Lists, SpecialIds

PAIRS = st.tuples(*(st.sampled_from([-1, 0, 1, 2]) for _ in range(3)))
"""Start, end and padding ids, any of which may be missing or the same."""
IDS = st.lists(st.integers(-2, 6), max_size=12)


class Document(NamedTuple):
    ids: list[int]
    side: list[int] | None


def lists_of(values):
    """Lists of whole numbers, of which some are missing."""
    return st.lists(st.builds(Document, IDS, st.none() | st.lists(values, max_size=14)), max_size=5)


def flat(lists):
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return np.array([value for each in lists for value in each], np.int64), offsets


def batch_of(documents, special=(-1, -1, -1), **options):
    """A batch of lists of ids; *special* are the start, end and padding ids, -1 for none."""
    ids, offsets = flat(documents)
    known = None if special == (-1, -1, -1) else SpecialIds(*special)
    eos = None if special[1] < 0 else special[1]
    return DocumentBatch(ids=ids, id_offsets=offsets, given=True, special_ids=known, eos_id=eos, **options)


def side_of(documents):
    values, offsets = flat([each.side or [] for each in documents])
    return Lists(values, offsets, np.array([each.side is None for each in documents], np.bool_))


def content(ids, special):
    """The places of a document's tokens without the padding at its ends, as a range."""
    bos, eos, pad = special
    start, stop = 0, len(ids)
    if pad < 0:
        return range(start, stop)
    while stop and ids[stop - 1] == pad:
        stop -= 1
    if eos == pad and stop < len(ids):
        stop += 1
    while start < stop and ids[start] == pad:
        start += 1
    if bos == pad and start > 0:
        start -= 1
    return range(start, stop)


def counted(places):
    """How many places there are, and the first of them or None."""
    places = list(places)
    return len(places), places[0] if places else None
