"""The sample and the interval of its estimate."""

from itertools import pairwise

import numpy as np
import pytest

from dataaudit.duplicates.partitions import PARTITION_RECORDS, band_partitions, digest_partitions
from dataaudit.duplicates.sample import bottom_sample, wilson


def test_the_sample_does_not_depend_on_how_documents_are_cut() -> None:
    documents = np.arange(10_000, dtype=np.uint64) * np.uint64(7)
    whole = bottom_sample([documents], 500)
    assert len(whole) == 500
    assert bottom_sample(np.array_split(documents, 13)[::-1], 500).tolist() == whole.tolist()
    assert bottom_sample([documents[:3]], 500).tolist() == documents[:3].tolist()


def test_the_sample_is_spread_over_the_corpus() -> None:
    sample = bottom_sample([np.arange(100_000, dtype=np.uint64)], 10_000)
    counts = np.histogram(sample, bins=10, range=(0, 100_000))[0]
    assert counts.min() > 900 and counts.max() < 1100


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (50, 1000, 0.0381, 0.0653)],
)
def test_wilson(hits: int, of: int, low: float, high: float) -> None:
    found = wilson(hits, of)
    assert found is not None
    assert found.share == hits / of
    assert (found.low, found.high) == pytest.approx((low, high), abs=6e-5)


def test_nothing_has_no_share() -> None:
    assert wilson(0, 0) is None


@pytest.mark.parametrize("documents", [0, 1, 300_000, 5_000_000, 10**9])
def test_partitions_cover_every_key_once(documents: int) -> None:
    parts = band_partitions(documents)
    for band in range(16):
        ranges = sorted((part.least, part.most) for part in parts if band in part.bands)
        assert ranges[0][0] == 0 and ranges[-1][1] == 2**64 - 1
        assert all(before[1] + 1 == after[0] for before, after in pairwise(ranges))
    assert 16 * documents <= len(parts) * PARTITION_RECORDS
    assert documents <= len(digest_partitions(documents)) * PARTITION_RECORDS


def test_a_billion_documents_make_some_thousand_tasks() -> None:
    assert len(band_partitions(10**9)) == 4096
    assert len(digest_partitions(10**9)) == 256
