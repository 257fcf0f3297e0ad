"""Token files of every format, audited: clean ones are quiet, and each planted fault is found, named and located."""

import struct
from pathlib import Path

import numpy as np
import pytest
from token_corpora import BOS, EOS, VOCABULARY, audit_ids, documents, loud

import dataaudit
from dataaudit.corpus.token_array import narrowed
from dataaudit.corpus.token_writers import Origin, Sequences, ShardFacts, token_format
from dataaudit.result import Finding

FORMATS = {"megatron": ["uint16", "int32"], "nanogpt": ["uint16"], "llmc": ["uint16", "uint32"]}
FORMATS |= {"datatrove": ["uint16", "uint32"], "olmo": ["uint16", "uint32"]}
CASES = [(name, dtype) for name, dtypes in FORMATS.items() for dtype in dtypes]
FAULTY = 17


def write(folder: Path, name: str, dtype: str, lists: list[list[int]]) -> Path:
    """A file of a format with its sidecars; returns the file of the ids."""
    folder.mkdir(parents=True, exist_ok=True)
    form = token_format(name)
    path = folder / form.name(0, 1)
    writer = form.open(path, ShardFacts(dtype, None))
    offsets = np.cumsum([0, *map(len, lists)])
    origins = [Origin(f"d{row}", "a.jsonl", row + 1) for row in range(len(lists))] if form.origins else None
    ids = narrowed(np.array([token for each in lists for token in each], np.int64), dtype)
    writer.write(Sequences(ids, offsets, np.arange(len(lists), dtype=np.uint64), origins))
    writer.close()
    return path


def lists_for(name: str, seed: int = 5) -> list[list[int]]:
    """Documents delimited as the format's readers look for it: llm.c starts each with the end token."""
    inner = [each[1:-1] for each in documents(60, seed)]
    return [[EOS, *each] if name == "llmc" else [BOS, *each, EOS] for each in inner]


def model_for(name: str) -> dict[str, int]:
    return {"vocab_size": VOCABULARY, "eos_id": EOS} | ({} if name == "llmc" else {"bos_id": BOS})


def audit(folder: Path, name: str) -> tuple[dict[str, Finding], dataaudit.AuditResult]:
    result = audit_ids(folder / "in", folder, model_for(name))
    return loud(result), result


def header(name: str) -> int:
    return 1024 if name == "llmc" else 0


@pytest.mark.parametrize("seed", [5, 6])
@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_a_clean_file_is_quiet(tmp_path: Path, name: str, dtype: str, seed: int) -> None:
    write(tmp_path / "in", name, dtype, lists_for(name, seed))
    found, result = audit(tmp_path, name)
    assert found == {}
    assert result.corpus.documents == 60
    judged = {finding.id: finding.status for finding in result.findings}
    assert judged["token-size"] == judged["token-index"] == judged["token-range"] == "pass"


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_an_id_past_the_table_has_sequence_and_position(tmp_path: Path, name: str, dtype: str) -> None:
    lists = lists_for(name)
    lists[FAULTY][7] = VOCABULARY
    path = write(tmp_path / "in", name, dtype, lists)
    found, _ = audit(tmp_path, name)
    assert set(found) == {"token-range"}
    (example,) = found["token-range"].examples
    assert (example.file, example.record, example.position) == (path.name, FAULTY, 7)


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_a_byte_more_is_a_file_of_another_size(tmp_path: Path, name: str, dtype: str) -> None:
    path = write(tmp_path / "in", name, dtype, lists_for(name))
    path.write_bytes(path.read_bytes() + b"\1")
    options = {"token_dtype": dtype} if name == "olmo" else {}
    found = loud(audit_ids(tmp_path / "in", tmp_path, model_for(name), **options))
    assert set(found) == {"token-size"}
    assert found["token-size"].details["files"][0]["file"] == path.name


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_a_byte_order_is_told_in_every_format(tmp_path: Path, name: str, dtype: str) -> None:
    path, skip = write(tmp_path / "in", name, dtype, lists_for(name)), header(name)
    data = path.read_bytes()
    path.write_bytes(data[:skip] + np.frombuffer(data[skip:], dtype).byteswap().tobytes())
    found, _ = audit(tmp_path, name)
    assert "token-byte-order" in found
    assert not {"token-size", "zero-tail", "token-wrap"} & set(found)


@pytest.mark.parametrize(("name", "dtype"), [case for case in CASES if case[1] == "uint16"])
def test_a_type_too_small_for_the_vocabulary_is_told(tmp_path: Path, name: str, dtype: str) -> None:
    write(tmp_path / "in", name, dtype, lists_for(name))
    model = model_for(name) | {"vocab_size": 128_256}
    options = {"token_dtype": "uint16"} if name in ("nanogpt", "olmo") else {}
    found = loud(audit_ids(tmp_path / "in", tmp_path, model, **options))
    assert set(found) == {"token-wrap"}


@pytest.mark.parametrize("name", ["nanogpt", "olmo"])
def test_wide_ids_read_as_narrow_ones_are_told(tmp_path: Path, name: str) -> None:
    write(tmp_path / "in", name, "uint16", [[token for id_ in each for token in (id_, 0)] for each in lists_for(name)])
    found, _ = audit(tmp_path, name)
    assert "token-width" in found


@pytest.mark.parametrize("name", ["nanogpt", "olmo"])
def test_a_tail_that_was_never_written_is_told(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "in", name, "uint16", lists_for(name))
    tokens = path.stat().st_size // 2
    path.write_bytes(path.read_bytes() + bytes(4096))
    found, _ = audit(tmp_path, name)
    assert "zero-tail" in found
    assert f"position {tokens:,}" in found["zero-tail"].message


def test_a_pointer_of_megatron_that_leads_elsewhere_is_named(tmp_path: Path) -> None:
    lists = lists_for("megatron")
    index = write(tmp_path / "in", "megatron", "uint16", lists).with_suffix(".idx")
    data = bytearray(index.read_bytes())
    at = 34 + 4 * len(lists) + 8 * FAULTY
    (pointer,) = struct.unpack_from("<q", data, at)
    struct.pack_into("<q", data, at, pointer - 2)
    index.write_bytes(data)
    found, _ = audit(tmp_path, "megatron")
    assert "token-index" in found
    assert FAULTY in {place["sequence"] for place in found["token-index"].details["places"]}


def test_a_header_of_llmc_that_promises_more_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "in", "llmc", "uint16", lists_for("llmc"))
    data = bytearray(path.read_bytes())
    (tokens,) = struct.unpack_from("<i", data, 8)
    struct.pack_into("<i", data, 8, tokens + 1)
    path.write_bytes(data)
    found, _ = audit(tmp_path, "llmc")
    assert "token-size" in found
    assert f"declares {tokens + 1:,}" in found["token-size"].message
