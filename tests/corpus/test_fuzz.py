"""Any bytes in any format: no exception, no endless loop, and every record is accounted for.

DATAAUDIT_FUZZ_EXAMPLES=N looks at N new examples a format instead of a few that are always the same; scripts/fuzz.py
searches by coverage.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dataaudit.corpus import ReadOptions
from dataaudit.corpus.readers import reader_names
from tests.corpus.fuzzing import KINDS, SEEDS, Change, damaged, read_and_account, seed

EXAMPLES = int(os.environ.get("DATAAUDIT_FUZZ_EXAMPLES", "0"))
ENDLESS = 120
"""Seconds after which reading some hundred bytes counts as endless, on however busy a machine."""
UNREADABLE = ("litdata compressed", "litdata items", "mds pickled")
fuzzed = settings(
    max_examples=EXAMPLES or 25,
    derandomize=not EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
changes = st.lists(
    st.builds(
        Change,
        st.integers(0, len(KINDS) - 1),
        st.integers(0, 3),
        st.integers(0, 65_535),
        st.integers(0, 65_535),
    ),
    min_size=1,
    max_size=4,
)
options = st.builds(
    ReadOptions,
    number_columns=st.sampled_from([(), ("n",)]),
    batch_rows=st.sampled_from([1, 5, 8192]),
    batch_bytes=st.sampled_from([1, 100, 4 << 20]),
    document_per=st.sampled_from(["file", "line"]),
    max_record_bytes=st.sampled_from([16, 100, 1 << 30]),
)


@contextmanager
def ended() -> Iterator[None]:
    """Turns an endless loop into an error."""

    def ring(*_: object) -> None:
        raise TimeoutError(f"still reading after {ENDLESS} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(ENDLESS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).write_bytes(data)


def test_every_reader_has_a_valid_input(tmp_path: Path) -> None:
    seen = set()
    for name in SEEDS:
        (folder := tmp_path / name).mkdir()
        write(folder, seed(name))
        plan = read_and_account(folder, ReadOptions(), 1 << 27)
        assert plan.records or name in UNREADABLE, name
        seen |= {note.format for note in plan.notes}
    assert seen == set(reader_names()) - {"hub"}


@pytest.mark.parametrize("name", SEEDS)
def test_no_bytes_are_an_exception(tmp_path: Path, name: str) -> None:
    @fuzzed
    @given(changes, st.sampled_from(SEEDS), options, st.sampled_from([1, 60, 1 << 27]))
    def fuzz(damage: list[Change], other: str, how: ReadOptions, target_bytes: int) -> None:
        write(tmp_path, damaged(seed(name), damage, b"".join(seed(other).values())))
        with ended():
            read_and_account(tmp_path, how, target_bytes)

    fuzz()
