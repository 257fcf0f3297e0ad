"""MosaicML shards that the library itself wrote (scripts/make_token_fixtures.py), whole and damaged."""

import json
import shutil
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.corpus import ReadOptions, Tally, find_files, read_records
from tests.corpus.token_files import read_tokens

FIXTURES = Path(__file__).parent.parent / "fixtures/tokens/mds"
DOCUMENTS = json.loads((FIXTURES / "documents.json").read_text())
few = settings(max_examples=40, deadline=None)


@pytest.fixture
def mds(tmp_path: Path) -> Path:
    shutil.copytree(FIXTURES, tmp_path / "mds")
    return tmp_path / "mds"


@pytest.mark.parametrize("target", [1, 300, 1 << 20])
def test_shards_of_the_library_read_right(target: int) -> None:
    for name, dtype in (("declared", "int32"), ("undeclared", "int64"), ("bytes", "int64")):
        found = read_tokens(FIXTURES / name, target_bytes=target)
        assert found.documents == DOCUMENTS
        assert not found.plan.damaged
        assert not found.damage
        assert not found.faults
        for facts in found.facts.values():
            assert (facts.dtype, facts.delimited_by, facts.problem_counts) == (dtype, "sample", {})
            assert facts.dtype_from == ("default" if name == "bytes" else "header")
        assert sum(facts.tokens for facts in found.facts.values()) == sum(map(len, DOCUMENTS))
    declared = read_tokens(FIXTURES / "declared", target_bytes=target)
    assert [row["labels"] for row in declared.rows] == DOCUMENTS
    assert [row["id"] for row in declared.rows] == [f"d{at}" for at in range(6)]
    undeclared = read_tokens(FIXTURES / "undeclared", target_bytes=target)
    assert [row["id"] for row in undeclared.rows] == [str(at) for at in range(6)]


def test_texts_are_read_as_text() -> None:
    found = read_tokens(FIXTURES / "texts", options=ReadOptions(number_columns=("n",)))
    assert [row["text"] for row in found.rows] == ["one", "zwei \u2013 drei", "", "four\nlines", "five", "six"]
    assert [row["n"] for row in found.rows] == [0, 0.5, 1, 1.5, 2, 2.5]
    assert not found.facts


def test_pickles_are_refused() -> None:
    damaged = read_tokens(FIXTURES / "pickled").plan.damaged
    assert len(damaged) == 3
    assert all("'tokens' is stored as a pickle (pkl), which is never loaded" in reason for _, reason in damaged)


def test_the_index_belongs_to_the_shards(mds: Path) -> None:
    found = find_files([str(mds / "declared")])
    assert [file.name for file in found.files] == [f"shard.0000{at}.mds" for at in range(3)]
    assert found.skipped == [(str(mds / "declared/index.json"), "belongs to shard.00000.mds")]


def test_a_missing_shard_is_said_once(mds: Path) -> None:
    (mds / "declared/shard.00001.mds").unlink()
    found = read_tokens(mds / "declared")
    assert found.damage == ["index.json names shards that are missing (1), such as shard.00001.mds"]
    assert found.documents == [*DOCUMENTS[:4], DOCUMENTS[-1]]


def test_names_with_paths_are_said_and_never_opened(mds: Path) -> None:
    index = mds / "declared/index.json"
    content = json.loads(index.read_text())
    content["shards"][1]["raw_data"]["basename"] = "../undeclared/shard.00000.mds"
    index.write_text(json.dumps(content))
    found = read_tokens(mds / "declared")
    assert found.damage == ["index.json names shards by what is no plain file name (1)"]
    assert found.documents == DOCUMENTS


def test_an_index_that_does_not_fit_is_named(mds: Path) -> None:
    index = mds / "declared/index.json"
    content = json.loads(index.read_text())
    content["shards"][0]["samples"] = 7
    content["shards"][2]["raw_data"]["bytes"] = "many"
    index.write_text(json.dumps(content))
    counts = {name: facts.problem_counts for name, facts in read_tokens(mds / "declared").facts.items()}
    assert counts == {"shard.00000.mds": {"sidecar": 1}, "shard.00001.mds": {}, "shard.00002.mds": {"sidecar": 1}}
    index.write_text("[" * 100_000)
    assert read_tokens(mds / "declared").documents == DOCUMENTS


def test_an_unpacked_shard_goes_before_its_packed_one(mds: Path) -> None:
    shutil.copy(mds / "declared/shard.00000.mds", mds / "declared/shard.00000.mds.zstd")
    found = find_files([str(mds / "declared")])
    assert len(found.files) == 3
    assert (str(mds / "declared/shard.00000.mds.zstd"), "belongs to shard.00000.mds") in found.skipped


def test_bytes_of_another_type(mds: Path) -> None:
    found = read_tokens(mds / "bytes", dtype="int32")
    assert found.documents[0] == [1, 0, 2, 0, 3, 0]
    assert {facts.dtype_from for facts in found.facts.values()} == {"option"}


def test_a_truncated_shard_loses_what_is_missing(mds: Path) -> None:
    path = mds / "declared/shard.00000.mds"
    path.write_bytes(path.read_bytes()[:-10])
    found = read_tokens(path)
    assert found.documents == DOCUMENTS[:3]
    assert [(fault.kind, fault.record) for fault in found.faults] == [("unreadable", 3)]


def test_a_packed_shard_that_is_damaged_is_said(mds: Path) -> None:
    path = mds / "bytes/shard.00001.mds.zstd"
    path.write_bytes(path.read_bytes()[:-30])
    found = read_tokens(path)
    assert found.plan.damaged or found.damage


def offsets(path: Path, at: int, value: int) -> None:
    data = bytearray(path.read_bytes())
    data[4 + 4 * at : 8 + 4 * at] = struct.pack("<I", value)
    path.write_bytes(data)


@pytest.mark.parametrize("value", [0, 5, 1 << 31, (1 << 32) - 1])
def test_hostile_offsets_are_faults(mds: Path, value: int) -> None:
    path = mds / "declared/shard.00000.mds"
    offsets(path, 1, value)
    found = read_tokens(path)
    assert len(found.rows) + len(found.faults) == 4
    assert found.faults
    assert all(fault.kind == "unreadable" for fault in found.faults)
    assert all(row["input_ids"] in DOCUMENTS for row in found.rows)


@pytest.mark.parametrize("count", [0, 1, 4, 1 << 20, (1 << 32) - 1])
def test_hostile_counts_are_bounded(mds: Path, count: int) -> None:
    path = mds / "declared/shard.00000.mds"
    offsets(path, -1, count)
    found = read_tokens(path)
    assert len(found.plan.damaged) + len(found.plan.pieces) == 1


@few
@given(data=st.binary(max_size=60), at=st.integers(0, 446))
def test_noise_never_raises(tmp_path_factory: pytest.TempPathFactory, data: bytes, at: int) -> None:
    folder = tmp_path_factory.mktemp("noise")
    whole = (FIXTURES / "declared/shard.00000.mds").read_bytes()
    (folder / "a.mds").write_bytes(whole[:at] + data + whole[at + len(data) :])
    (folder / "b.mds").write_bytes(data)
    shutil.copy(FIXTURES / "declared/shard.00001.mds", folder / "c.mds")  # a file with a column, whatever the noise is
    found = read_tokens(folder)
    assert len({piece.file.name for piece in found.plan.pieces}) + len(found.plan.damaged) == 3


@few
@given(
    arrays=st.lists(st.lists(st.integers(-5, 1 << 40), min_size=1, max_size=300), min_size=1, max_size=5),
    dtype=st.sampled_from([65, 64, 33, 16]),
)
def test_arrays_by_the_published_layout(
    tmp_path_factory: pytest.TempPathFactory, arrays: list[list[int]], dtype: int
) -> None:
    """Against bytes that are put together here, as the format is published."""
    kind = {65: "<i8", 64: "<u8", 33: "<i4", 16: "<u2"}[dtype]
    wanted = [(np.array(each, np.int64) % 60_000).astype(kind) for each in arrays]
    samples = []
    for each in wanted:
        shape = struct.pack("<BB", 4, len(each)) if len(each) < 256 else struct.pack("<BH", 5, len(each))
        value = bytes([dtype]) + shape + each.tobytes()
        samples.append(struct.pack("<I", len(value)) + value)
    header = json.dumps({"column_names": ["tokens"], "column_encodings": ["ndarray"], "column_sizes": [None]}).encode()
    begin = 4 + 4 * (len(samples) + 1) + len(header)
    places = np.cumsum([begin, *map(len, samples)]).astype("<u4")
    path = tmp_path_factory.mktemp("mds") / "shard.00000.mds"
    path.write_bytes(struct.pack("<I", len(samples)) + places.tobytes() + header + b"".join(samples))
    assert read_tokens(path).documents == [each.tolist() for each in wanted]


def test_records_have_all_columns(mds: Path) -> None:
    for name in ("declared", "texts"):
        plan = read_tokens(mds / name).plan
        rows, digests = [], []
        for piece in plan.pieces:
            tally = Tally()
            rows += [row for batch in read_records(piece, ReadOptions(), tally) for row in batch.records.to_pylist()]
            digests.append(tally.digest)
        assert len(rows) == 6
        assert digests == read_tokens(mds / name).digests
        if name == "texts":
            assert rows[3] == {"meta": b'{"at": 3}', "n": 1.5, "text": b"four\nlines"}
