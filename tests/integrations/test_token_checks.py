"""dataaudit.TokenChecks and token_checks.keep in datasets, against a plain-Python reading of the same rules."""

import os
import subprocess
import sys
from typing import Any

import datasets
import numpy as np
import pyarrow as pa
import pytest
from datasets.fingerprint import Hasher
from hypothesis import given
from hypothesis import strategies as st

import dataaudit
from dataaudit import TokenChecks, token_checks
from dataaudit.errors import UsageError

GOOD = [1, 5, 6, 2]
ROWS: list[dict[str, Any]] = [
    {"input_ids": GOOD},
    {"input_ids": [1, 5, 100, 2]},
    {"input_ids": [1, -3, 2]},
    {"input_ids": [1] * 9},
    {"input_ids": []},
    {"input_ids": None},
    {"input_ids": [1, 99, 2]},
]
FAULTS = [[], ["id-out-of-range"], ["negative-id"], ["too-long"], ["empty"], ["no-ids"], []]
KEPT = [0, 6]
CHECKS = TokenChecks(vocab_size=100, max_length=8)


@pytest.fixture(autouse=True)
def quiet():
    datasets.disable_progress_bars()
    datasets.disable_caching()
    yield
    datasets.enable_caching()


def dataset(rows=ROWS, kind=None):
    table = pa.table({"input_ids": pa.array([row["input_ids"] for row in rows], pa.list_(kind or pa.int64()))})
    return datasets.Dataset(table.append_column("key", pa.array(range(len(rows)))))


@pytest.mark.parametrize("processes", [None, 2])
@pytest.mark.parametrize("form", [None, "arrow", "numpy"])
def test_filter_and_map(form, processes):
    ds = dataset().with_format(form)
    kept = ds.filter(CHECKS.keep, batched=True, batch_size=3, num_proc=processes).with_format(None)
    assert kept["key"][:] == KEPT
    told = ds.map(CHECKS.annotate, batched=True, batch_size=3, num_proc=processes).with_format(None)
    assert told["dataaudit_token_faults"][:] == FAULTS


@pytest.mark.parametrize(("form", "batched"), [(None, True), (None, False), ("numpy", False), ("arrow", True)])
def test_the_function_of_the_module_with_fn_kwargs(form, batched):
    settings = {"vocab_size": 100, "max_length": 8}
    kept = dataset().with_format(form).filter(token_checks.keep, batched=batched, fn_kwargs=settings)
    assert kept.with_format(None)["key"][:] == KEPT


@pytest.mark.parametrize("form", [None, "arrow"])
@pytest.mark.parametrize("batched", [True, False])
def test_streaming(form, batched):
    stream = dataset().to_iterable_dataset(num_shards=2).with_format(form)
    kept = stream.filter(CHECKS.keep, batched=batched, batch_size=2).with_format(None)
    assert [int(row["key"]) for row in kept] == KEPT


def test_one_example_and_a_batch():
    assert dataaudit.token_checks.keep({"input_ids": GOOD}, vocab_size=100) is True
    assert token_checks.keep({"input_ids": np.array(GOOD)}, vocab_size=6) is False
    assert token_checks.keep({"input_ids": [GOOD, [200]]}, vocab_size=100) == [True, False]
    assert token_checks.keep({"input_ids": [GOOD, None, []]}) == [True, False, False]
    assert token_checks.keep({"input_ids": [None, None]}) == [False, False]
    assert token_checks.keep({"input_ids": []}) is False
    assert token_checks.faults({"input_ids": [1, None]}) == ["no-ids"]
    assert token_checks.faults({"input_ids": None}) == ["no-ids"]
    assert token_checks.faults({"input_ids": [1.0, 2.0]}) == ["no-ids"]
    assert token_checks.faults({"input_ids": [[1, 2**63], [True], [0]]}) == [["no-ids"], ["no-ids"], []]


LABELLED = [
    ({"input_ids": GOOD, "labels": [-100, 5, 6, 2], "attention_mask": [1, 1, 1, 1]}, []),
    ({"input_ids": GOOD, "labels": [-100] * 4, "attention_mask": [1] * 4}, ["all-labels-masked"]),
    ({"input_ids": GOOD, "labels": [5, 6], "attention_mask": [1] * 4}, ["label-count"]),
    ({"input_ids": GOOD, "labels": None, "attention_mask": [1] * 4}, ["label-count"]),
    ({"input_ids": GOOD, "labels": [1, -1, 6, 2], "attention_mask": [1] * 4}, ["label-out-of-range"]),
    ({"input_ids": GOOD, "labels": [1, 100, 6, 2], "attention_mask": [1] * 4}, ["label-out-of-range"]),
    ({"input_ids": GOOD, "labels": GOOD, "attention_mask": [1, 1, 1]}, ["mask-count"]),
    ({"input_ids": GOOD, "labels": GOOD, "attention_mask": [1, 2, 1, 1]}, ["mask-values"]),
    ({"input_ids": [*GOOD, 0], "labels": [*GOOD, -100], "attention_mask": [1] * 5}, ["mask-padding"]),
    ({"input_ids": [*GOOD, 0], "labels": [*GOOD, -100], "attention_mask": [1, 1, 1, 1, 0]}, []),
    ({"input_ids": [5, 6, 2], "labels": [5, 6, 2], "attention_mask": [1] * 3}, ["bos-missing"]),
    ({"input_ids": [1, 5, 6], "labels": [1, 5, 6], "attention_mask": [1] * 3}, ["eos-missing"]),
]


@pytest.mark.parametrize("form", [None, "arrow"])
def test_labels_and_masks_beside_the_ids(form):
    checks = TokenChecks(vocab_size=100, bos_id=1, eos_id=2, pad_id=0)
    ds = datasets.Dataset.from_list([row for row, _ in LABELLED]).with_format(form)
    told = ds.map(checks.annotate, batched=True, batch_size=5).with_format(None)
    assert told["dataaudit_token_faults"][:] == [expected for _, expected in LABELLED]
    for row, expected in LABELLED:
        assert checks.faults(row) == expected


def test_other_and_dotted_columns():
    rows = [{"data": {"tokens": GOOD}}, {"data": {"tokens": [500]}}, {"data": None}]
    checks = TokenChecks(vocab_size=100, ids_column="data.tokens")
    ds = datasets.Dataset.from_list(rows)
    for form in (None, "arrow"):
        assert len(ds.with_format(form).filter(checks.keep, batched=True)) == 1
    assert [checks.keep(row) for row in rows[:2]] == [True, False]


def expected(ids: list[int] | None, vocab_size: int | None, max_length: int | None) -> list[str]:
    if ids is None:
        return ["no-ids"]
    found = ["empty"] if not ids else []
    found += ["negative-id"] if any(each < 0 for each in ids) else []
    found += ["id-out-of-range"] if vocab_size is not None and any(each >= vocab_size for each in ids) else []
    return found + (["too-long"] if max_length is not None and len(ids) > max_length else [])


IDS = st.one_of(st.none(), st.lists(st.one_of(st.integers(-2, 12), st.integers(-(2**63), 2**63 - 1)), max_size=6))


@given(st.lists(IDS, min_size=1, max_size=6), *[st.one_of(st.none(), st.integers(1, 10))] * 2)
def test_faults_are_those_of_plain_python(documents, vocab_size, max_length):
    checks = TokenChecks(vocab_size=vocab_size, max_length=max_length)
    told = [expected(ids, vocab_size, max_length) for ids in documents]
    assert checks.faults(pa.table({"input_ids": pa.array(documents, pa.list_(pa.int64()))})) == told
    if any(each is not None for each in documents):
        assert checks.faults({"input_ids": documents}) == told


@pytest.mark.parametrize("kind", [pa.uint8(), pa.uint16(), pa.int32(), pa.uint32(), pa.uint64()])
def test_every_width_of_ids(kind):
    rows = [row for row in ROWS if row["input_ids"] is None or min(row["input_ids"], default=0) >= 0]
    assert dataset(rows, kind).with_format("arrow").filter(CHECKS.keep, batched=True).num_rows == 2


HASH = """
from dataaudit import TokenChecks
from datasets.fingerprint import Hasher
checks = TokenChecks(vocab_size=100, max_length=8)
{use}
print(Hasher.hash(checks), Hasher.hash(checks.keep), Hasher.hash(checks.annotate))
"""


def hashes(seed: str, use: str = "") -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", HASH.format(use=use)]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


def test_fingerprints_are_stable_and_those_of_the_settings(monkeypatch):
    first = hashes("0")
    assert len(set(first.split())) == 3
    assert hashes("77", "checks.keep({'input_ids': [[1]]})") == first
    assert Hasher.hash(CHECKS.keep) != Hasher.hash(TokenChecks(vocab_size=101, max_length=8).keep)
    monkeypatch.setattr(token_checks, "SIGNALS", token_checks.SIGNALS[1:])
    assert Hasher.hash(CHECKS.keep) != Hasher.hash(TokenChecks(vocab_size=100, max_length=8).keep)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: TokenChecks(vocab_size=0), "vocab_size=0 is no setting"),
        (lambda: TokenChecks(max_length="8"), "max_length='8' is no setting"),
        (lambda: CHECKS.keep({"ids": [[1]]}), "no column 'input_ids' for the token ids"),
        (lambda: CHECKS.keep({"input_ids": ["text", "more"]}), "holds str, not lists of whole numbers"),
        (lambda: CHECKS.keep(pa.table({"input_ids": [1, 2]})), "holds int, not lists of whole numbers"),
        (lambda: TokenChecks(ids_column="a.b").keep({"a": [{"c": [1]}]}), "'b' is no field"),
        (lambda: TokenChecks(ids_column="a.b").keep(pa.table({"a": [{"c": [1]}]})), "'b' is no field of struct"),
    ],
)
def test_faults_of_settings_and_datasets_are_told(act, message):
    with pytest.raises(UsageError, match=message):
        act()
