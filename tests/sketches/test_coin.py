"""The coin of a document against the library that defines its hash."""

import numpy as np
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from dataaudit.sketches.coin import coins


@given(st.lists(st.integers(0, 2**64 - 1), max_size=50))
def test_a_coin_is_the_lowest_bit_of_xxh64(doc_ids: list[int]) -> None:
    expected = [xxhash.xxh64_intdigest(each.to_bytes(8, "little")) & 1 for each in doc_ids]
    assert coins(np.array(doc_ids, np.uint64)).tolist() == expected
