"""Narrow integer types never wrap an id."""

import numpy as np
import pytest

from dataaudit.errors import TokenizerError
from dataaudit.tokenize import id_dtype, narrow


@pytest.mark.parametrize(
    ("id_space", "expected"),
    [(0, np.uint16), (1, np.uint16), (65536, np.uint16), (65537, np.uint32), (1 << 31, np.uint32)],
)
def test_id_dtype(id_space, expected):
    assert id_dtype(id_space) is expected


def test_narrow_keeps_values():
    ids = np.array([0, 1, 65535], np.uint32)
    narrowed = narrow(ids, np.uint16)
    assert narrowed.dtype == np.uint16
    assert narrowed.tolist() == ids.tolist()
    assert narrow(ids, np.uint32) is ids
    assert narrow(np.zeros(0, np.int64), np.uint16).dtype == np.uint16


@pytest.mark.parametrize("bad", [70000, 65536, -1])
def test_narrow_refuses_to_wrap(bad):
    with pytest.raises(TokenizerError, match=f"token id {bad} does not fit uint16"):
        narrow(np.array([5, bad, 7], np.int64), np.uint16)
