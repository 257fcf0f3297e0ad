"""LitData chunks that the library itself wrote (scripts/make_token_fixtures.py), whole and damaged."""

import json
import shutil
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.corpus import find_files
from tests.corpus.token_files import read_tokens

FIXTURES = Path(__file__).parent.parent / "fixtures/tokens/litdata"
DOCUMENTS = json.loads((FIXTURES / "documents.json").read_text())


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    shutil.copytree(FIXTURES / "tokens", tmp_path / "tokens")
    return tmp_path / "tokens"


def patch(path: Path, at: int, value: int) -> None:
    data = bytearray(path.read_bytes())
    data[4 * at : 4 * at + 4] = struct.pack("<I", value)
    path.write_bytes(data)


def change(folder: Path, **values: object) -> None:
    """Changes the config of an index, and in it the first chunk."""
    path = folder / "index.json"
    content = json.loads(path.read_text())
    for key, value in values.items():
        (content["chunks"][0] if key in content["chunks"][0] else content["config"])[key] = value
    path.write_text(json.dumps(content))


@pytest.mark.parametrize("target", [1, 100, 1 << 20])
def test_chunks_of_the_library_read_right(target: int) -> None:
    found = read_tokens(FIXTURES / "tokens", target_bytes=target)
    assert found.documents == DOCUMENTS
    assert not found.plan.damaged
    assert not found.faults
    assert not found.damage
    facts = found.only_facts
    tokens = sum(map(len, DOCUMENTS))
    assert (facts.dtype, facts.dtype_from, facts.delimited_by) == ("int32", "sidecar", "sample")
    assert (facts.tokens, facts.declared_tokens, facts.problem_counts) == (tokens, tokens, {})


def test_the_index_is_no_file_of_the_corpus(tokens: Path) -> None:
    assert find_files([str(tokens)]).skipped == [(str(tokens / "index.json"), "belongs to chunk-0-0.bin")]


@pytest.mark.parametrize(("name", "said"), [("items", "for PyTreeLoader"), ("compressed", "with compression (zstd)")])
def test_chunks_of_other_kinds_are_said(name: str, said: str) -> None:
    damaged = read_tokens(FIXTURES / name).plan.damaged
    assert len(damaged) == 2
    assert all(said in reason for _, reason in damaged)


@pytest.mark.parametrize(
    ("data_format", "dtype"),
    [("no_header_tensor:17", "int64"), ("no_header_numpy:5", "uint16"), ("no_header_tensor:20", "uint16")],
)
def test_the_type_of_the_ids_is_that_of_the_index(tokens: Path, data_format: str, dtype: str) -> None:
    change(tokens, data_format=[data_format])
    assert read_tokens(tokens).only_facts.dtype == dtype


@pytest.mark.parametrize("data_format", [["no_header_tensor:0"], ["str"], ["int", "str"], {"a": 1}, None, ["x:y"]])
def test_items_that_are_no_ids_are_said(tokens: Path, data_format: object) -> None:
    change(tokens, data_format=data_format)
    ((_, reason),) = read_tokens(tokens).plan.damaged
    assert "not one array of whole numbers each" in reason


def test_an_index_that_does_not_fit_is_named(tokens: Path) -> None:
    change(tokens, chunk_size=7, chunk_bytes=1281, dim=311)
    facts = read_tokens(tokens).only_facts
    assert facts.problem_counts == {"sidecar": 2}
    assert (facts.tokens, facts.declared_tokens) == (312, 311)


def test_a_missing_chunk_is_said(tokens: Path) -> None:
    content = json.loads((tokens / "index.json").read_text())
    content["chunks"] += [{"filename": "chunk-0-1.bin"}, {"filename": "../../etc/passwd"}]
    (tokens / "index.json").write_text(json.dumps(content))
    (damage,) = read_tokens(tokens).damage
    assert damage == (
        "index.json names shards that are missing (1), such as chunk-0-1.bin; "
        "index.json names shards by what is no plain file name (1)"
    )


def test_a_truncated_chunk_loses_what_is_missing(tokens: Path) -> None:
    path = tokens / "chunk-0-0.bin"
    path.write_bytes(path.read_bytes()[:-6])
    found = read_tokens(tokens)
    assert found.documents == DOCUMENTS[:5]
    assert [fault.record for fault in found.faults] == [5]
    assert found.problems == {"sidecar": 1}


@pytest.mark.parametrize("value", [0, 33, 1 << 31, (1 << 32) - 1])
def test_hostile_offsets_are_faults(tokens: Path, value: int) -> None:
    patch(tokens / "chunk-0-0.bin", 2, value)
    found = read_tokens(tokens, target_bytes=40)
    assert len(found.rows) + len(found.faults) == 6
    assert found.faults
    assert all(document in DOCUMENTS or value == 0 for document in found.documents)


@pytest.mark.parametrize("count", [0, 3, 1 << 20, (1 << 32) - 1])
def test_hostile_counts_are_bounded(tokens: Path, count: int) -> None:
    patch(tokens / "chunk-0-0.bin", 0, count)
    found = read_tokens(tokens)
    assert len(found.rows) + len(found.faults) <= 320


@settings(max_examples=40, deadline=None)
@given(data=st.binary(max_size=60))
def test_noise_never_raises(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("noise")
    shutil.copy(FIXTURES / "tokens/index.json", folder)
    (folder / "chunk-0-0.bin").write_bytes(data)
    found = read_tokens(folder)
    assert len(found.plan.pieces) + len(found.plan.damaged) == 1


@settings(max_examples=40, deadline=None)
@given(
    items=st.lists(st.lists(st.integers(0, 60_000), max_size=9), min_size=1, max_size=12), target=st.integers(1, 100)
)
def test_chunks_by_the_published_layout(
    tmp_path_factory: pytest.TempPathFactory, items: list[list[int]], target: int
) -> None:
    folder = tmp_path_factory.mktemp("lit")
    shutil.copy(FIXTURES / "tokens/index.json", folder)
    arrays = [np.array(item, "<u2").tobytes() for item in items]
    places = np.cumsum([4 * (len(items) + 2), *map(len, arrays)]).astype("<u4")
    chunk = struct.pack("<I", len(items)) + places.tobytes() + b"".join(arrays)
    (folder / "chunk-0-0.bin").write_bytes(chunk)
    tokens = sum(map(len, items))
    change(folder, data_format=["no_header_numpy:5"], chunk_size=len(items), chunk_bytes=len(chunk), dim=tokens)
    found = read_tokens(folder, target_bytes=target)
    assert found.documents == items
    empty = sum(not item for item in items)
    assert found.problems == ({"empty": empty} if empty else {})
