"""Clean files of every format of token ids, whole and in pieces, here and behind an address: no problem, no fault."""

import json
import random
import shutil
from pathlib import Path

import fsspec
import numpy as np
import pytest

from tests.corpus.token_files import Documents, read_tokens, write_tokens

FIXTURES = Path(__file__).parent.parent / "fixtures/tokens"
EOT = 50_256


def documents_of(seed: int) -> Documents:
    rng = random.Random(seed)
    return [[rng.randrange(1, 50_000) for _ in range(rng.randrange(1, 400))] + [EOT] for _ in range(60)]


def at_start(documents: Documents) -> Documents:
    return [[EOT, *document[:-1]] for document in documents]


def save_rows(folder: Path, documents: Documents, dtype: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    stream = [each for document in documents for each in document]
    np.save(folder / "rows.npy", np.array(stream[: len(stream) // 64 * 64], dtype).reshape(-1, 64))
    return folder / "rows.npy"


WRITTEN = [
    *(("megatron", dtype) for dtype in ("uint16", "int32", "int64")),
    *(("datatrove", dtype) for dtype in ("uint16", "uint32")),
    *(("olmo", dtype) for dtype in ("uint16", "uint32", "uint64")),
    *(("llmc", dtype) for dtype in ("uint16", "uint32")),
    ("nanogpt", "uint16"),
]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("name", "dtype"), WRITTEN)
def test_clean_files_have_no_problem(tmp_path: Path, name: str, dtype: str, seed: int) -> None:
    documents = documents_of(seed)
    documents = at_start(documents) if name == "llmc" else documents
    write_tokens(name, tmp_path, documents, dtype)
    read = [read_tokens(tmp_path, eos_id=EOT, target_bytes=target) for target in (3000, 1 << 20)]
    for found in read:
        assert found.documents == documents
        facts = found.only_facts
        assert facts.dtype == dtype
        assert facts.tokens == sum(map(len, documents))
        assert facts.declared_tokens in (None, facts.tokens)
        assert (facts.problem_counts, facts.extra_bytes, facts.trailing_zeros) == ({}, 0, 0)
        assert not found.faults
        assert not found.damage
        assert not found.plan.damaged
    assert len(read[0].digests) > len(read[1].digests) == 1
    assert read[0].only_facts == read[1].only_facts, "the facts of a file do not depend on where it is cut"


@pytest.mark.parametrize("dtype", ["<u2", ">u4", "<i8"])
def test_clean_tables_of_numpy_have_no_problem(tmp_path: Path, dtype: str) -> None:
    path = save_rows(tmp_path, documents_of(3), dtype)
    for target in (3000, 1 << 20):
        found = read_tokens(path, target_bytes=target)
        assert found.documents == np.load(path).tolist()
        assert not found.problems


@pytest.mark.parametrize(("name", "dtype"), [("megatron", "int32"), ("datatrove", "uint16"), ("olmo", "uint32")])
def test_files_behind_an_address(tmp_path: Path, name: str, dtype: str) -> None:
    documents = documents_of(4)
    write_tokens(name, tmp_path, documents, dtype)
    memory = fsspec.filesystem("memory")
    memory.put(f"{tmp_path}/", f"/{name}-corpus/", recursive=True)
    found = read_tokens(f"memory://{name}-corpus", target_bytes=3000)
    assert found.documents == documents
    assert found.problems == {}
    assert not found.plan.damaged


def test_shards_behind_an_address(tmp_path: Path) -> None:
    memory = fsspec.filesystem("memory")
    for name, place in (("mds/declared", "mds"), ("litdata/tokens", "lit")):
        shutil.copytree(FIXTURES / name, tmp_path / place)
        memory.put(f"{tmp_path / place}/", f"/{place}-corpus/", recursive=True)
        found = read_tokens(f"memory://{place}-corpus")
        assert found.documents == json.loads((FIXTURES / name).parent.joinpath("documents.json").read_text())
        assert not found.plan.damaged
        assert not found.damage


def test_a_table_without_text_beside_ids_is_said_and_no_error(tmp_path: Path) -> None:
    write_tokens("nanogpt", tmp_path, [[300, EOT]], "uint16")
    (tmp_path / "meta.json").write_text('{"vocab_size": 50257}')
    found = read_tokens(tmp_path, eos_id=EOT)
    assert [row.get("input_ids") for row in found.rows] == [[300, EOT]]
    assert [fault.kind for fault in found.faults] == ["without_text"]
