"""Signals of document starts and ends against a plain reference."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from side_documents import IDS, PAIRS, batch_of, content, counted

from dataaudit.signals import all_signals, measure

FAMILY = [name for name, each in all_signals().items() if each.family == "boundaries" and each.needs == "pooled"]


def values(documents, special):
    found = measure(batch_of(documents, special, pooled_counts=np.ones(8, np.int64)), ["pooled"])
    return found.select([name for name in FAMILY if name in found.schema.names]).to_pylist()


def expected(ids, special):
    found, inside = {}, list(content(ids, special))
    bos, eos, pad = special
    if pad >= 0:
        found["padding_token_count"] = len(ids) - len(inside)
    if eos >= 0:
        found["inner_eos_count"], found["inner_eos_start"] = counted(i for i in inside[:-1] if ids[i] == eos)
    if special != (-1, -1, -1):
        found["first_content_token_id"] = ids[inside[0]] if inside else None
        found["last_content_token_id"] = ids[inside[-1]] if inside else None
        doubled = [i for i in inside[1:] if ids[i] == ids[i - 1] and ids[i] >= 0 and ids[i] in (bos, eos)]
        found["double_special_count"], found["double_special_start"] = counted(doubled)
        if bos < 0 and eos < 0:
            found["double_special_count"] = None
    return found


@settings(deadline=None, max_examples=300)
@given(st.lists(IDS, max_size=5), PAIRS)
def test_they_equal_the_plain_reference(documents, special):
    found = values(documents, special)
    if special == (-1, -1, -1):
        assert all(not row for row in found)
    else:
        assert found == [expected(each, special) for each in documents]


def test_padding_that_is_the_end_token_ends_a_document_once():
    (found,) = values([[1, 5, 6, 2, 2, 2]], (1, 2, 2))
    assert (found["inner_eos_count"], found["last_content_token_id"], found["double_special_count"]) == (0, 2, 0)


def test_a_doubled_template_is_counted_with_its_place():
    (found,) = values([[1, 1, 5, 2, 2]], (1, 2, -1))
    assert (found["double_special_count"], found["double_special_start"]) == (2, 1)
    assert (found["inner_eos_count"], found["inner_eos_start"]) == (1, 3)
