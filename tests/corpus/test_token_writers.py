"""Token writers: what they write, read back by the published layouts and by NumPy and datasets themselves."""

import csv
import gzip
import struct
from pathlib import Path

import datasets
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.corpus.token_array import first_misfit, narrowed
from dataaudit.corpus.token_writers import Origin, Sequences, ShardFacts, token_format, token_formats
from dataaudit.errors import UsageError

Documents = list[list[int]]
BORDERS = [0, 1, 255, 256, 65_499, 65_500, 65_535, 65_536, (1 << 31) - 1]
GOLDEN_IDX = bytes.fromhex("4d4d494449445800000100000000000000080300000000000000" + "0400000000000000")
"""The header of a Megatron index of three sequences of uint16."""


def ids_below(limit: int) -> st.SearchStrategy[Documents]:
    one = st.one_of(st.integers(0, limit - 1), st.sampled_from([border for border in BORDERS if border < limit]))
    return st.lists(st.lists(one, max_size=6), max_size=12)


def sequences(documents: Documents, dtype: str) -> Sequences:
    ids = np.array([each for document in documents for each in document], np.int64)
    offsets = np.concatenate(([0], np.cumsum([len(document) for document in documents], dtype=np.int64)))
    origins = [Origin(f'id "{at}"', "a,b.jsonl", at) for at in range(len(documents))]
    return Sequences(narrowed(ids, dtype), offsets, np.arange(len(documents), dtype=np.uint64), origins)


def write(name: str, folder: Path, documents: Documents, dtype: str, batches: int = 1) -> Path:
    form = token_format(name)
    main = folder / form.name(0, 1)
    writer = form.open(main, ShardFacts(dtype, "tokenizer.json"))
    step = -(-len(documents) // batches) or 1
    for first in range(0, len(documents), step):
        writer.write(sequences(documents[first : first + step], dtype))
    writer.close()
    assert sorted(path.name for path in folder.iterdir()) == sorted([main.name, *form.sidecars(main.name)])
    return main


def cut(ids: np.ndarray, ends: list[int]) -> Documents:
    return [ids[start:end].tolist() for start, end in zip([0, *ends], ends, strict=False)]


def read_megatron(main: Path) -> Documents:
    data = main.with_suffix(".idx").read_bytes()
    magic, version, code, count, indices = struct.unpack("<9sQBQQ", data[:34])
    assert (magic, version, indices) == (b"MMIDIDX\0\0", 1, count + 1)
    dtype = {1: "u1", 4: "<i4", 5: "<i8", 8: "<u2"}[code]
    lengths = np.frombuffer(data, "<i4", count, 34)
    pointers = np.frombuffer(data, "<i8", count, 34 + 4 * count)
    assert np.frombuffer(data, "<i8", count + 1, 34 + 12 * count).tolist() == list(range(count + 1))
    assert len(data) == 34 + 12 * count + 8 * (count + 1)
    tokens = main.read_bytes()
    size = np.dtype(dtype).itemsize
    assert len(tokens) == size * lengths.sum()
    pairs = zip(lengths.tolist(), pointers.tolist(), strict=True)
    return [np.frombuffer(tokens, dtype, length, pointer).tolist() for length, pointer in pairs]


def read_datatrove(main: Path, size: int) -> Documents:
    """As datatrove's DatatroveFileDataset reads: the file as uint16 or uint32, the index as uint64."""
    ids = np.frombuffer(main.read_bytes(), np.uint16 if size == 2 else np.uint32)
    ends = np.frombuffer(Path(f"{main}.index").read_bytes(), np.uint64).tolist()
    tokenizer, count, _ = Path(f"{main}.metadata").read_text().split("\n")
    assert (tokenizer, int(count)) == (f"tokenizer.json|{size}", len(ids))
    return cut(ids, ends)


def read_olmo(main: Path, dtype: str) -> Documents:
    ids = np.fromfile(main, dtype)
    with gzip.open(main.with_suffix(".csv.gz"), "rt", newline="") as lines:
        rows = list(csv.reader(lines))
    assert all(row[2].startswith('id "') and row[3] == "a,b.jsonl" for row in rows)
    return [ids[int(row[0]) : int(row[1])].tolist() for row in rows]


@given(documents=ids_below(1 << 16), batches=st.integers(1, 3))
def test_megatron_comes_back(tmp_path_factory: pytest.TempPathFactory, documents: Documents, batches: int) -> None:
    folder = tmp_path_factory.mktemp("megatron")
    for dtype in ("uint16", "int32", "int64"):
        (folder / dtype).mkdir()
        assert read_megatron(write("megatron", folder / dtype, documents, dtype, batches)) == documents


@given(documents=ids_below(1 << 31), batches=st.integers(1, 3))
def test_datatrove_and_olmo_come_back(
    tmp_path_factory: pytest.TempPathFactory, documents: Documents, batches: int
) -> None:
    fits = all(each < 1 << 16 for document in documents for each in document)
    for dtype, size in [("uint16", 2)] * fits + [("uint32", 4)]:
        folder = tmp_path_factory.mktemp("ds")
        assert read_datatrove(write("datatrove", folder, documents, dtype, batches), size) == documents
        folder = tmp_path_factory.mktemp("npy")
        assert read_olmo(write("olmo", folder, documents, dtype, batches), dtype) == documents


@given(documents=ids_below(1 << 16))
def test_raw_streams_hold_the_ids_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, documents: Documents
) -> None:
    flat = [each for document in documents for each in document]
    main = write("nanogpt", tmp_path_factory.mktemp("nanogpt"), documents, "uint16")
    assert np.fromfile(main, np.uint16).tolist() == flat
    for dtype, magic, version in (("uint16", 20240520, 1), ("uint32", 20240801, 7)):
        data = write("llmc", tmp_path_factory.mktemp("llmc"), documents, dtype).read_bytes()
        assert np.frombuffer(data, "<i4", 256).tolist() == [magic, version, len(flat)] + [0] * 253
        assert np.frombuffer(data, dtype, offset=1024).tolist() == flat


@settings(max_examples=20)
@given(documents=ids_below(1 << 31))
def test_datasets_opens_what_is_written(tmp_path_factory: pytest.TempPathFactory, documents: Documents) -> None:
    folder = tmp_path_factory.mktemp("hf")
    form, facts = token_format("hf-arrow"), ShardFacts("int32", None)
    writer = form.open(folder / form.name(0, 1), facts)
    writer.write(sequences(documents, "int32"))
    writer.close()
    for name, content in form.folder_files([form.name(0, 1)], facts, "0123456789abcdef0123").items():
        (folder / name).write_bytes(content)
    loaded = datasets.load_from_disk(str(folder))
    assert loaded["input_ids"][:] == documents
    assert loaded["doc_id"][:] == list(range(len(documents)))


def test_arrow_files_are_streams_of_small_batches(tmp_path: Path) -> None:
    main = write("hf-arrow", tmp_path, [[at] for at in range(2500)], "int32")
    with pa.ipc.open_stream(main) as reader:
        assert [batch.num_rows for batch in reader] == [1000, 1000, 500]


def test_headers_are_the_published_bytes(tmp_path: Path) -> None:
    documents = [[1, 2], [3], [4, 5, 6, 7]]
    for name in ("megatron", "a", "b"):
        (tmp_path / name).mkdir()
    main = write("megatron", tmp_path / "megatron", documents, "uint16")
    assert main.with_suffix(".idx").read_bytes()[:34] == GOLDEN_IDX
    assert main.read_bytes() == bytes([1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0])
    first = write("llmc", tmp_path / "a", documents, "uint16").read_bytes()
    assert first[:12].hex() == "88d834010100000007000000"
    second = write("llmc", tmp_path / "b", documents, "uint32").read_bytes()
    assert second[:12].hex() == "a1d934010700000007000000"
    assert second[1024:1028] == bytes([1, 0, 0, 0])


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        *((0, "0.00 T"), (7, "7.00 T"), (42, "42.0 T"), (999, "999 T"), (1500, "1.50 kT"), (132_584, "133 kT")),
        (999_600, "1.00 MT"),
    ],
)
def test_the_size_in_words_is_that_of_datatrove(tmp_path: Path, tokens: int, said: str) -> None:
    main = write("datatrove", tmp_path, [[5] * tokens], "uint16")
    assert Path(f"{main}.metadata").read_text() == f"tokenizer.json|2\n{tokens}\n{said}"


def test_types_are_those_that_the_tools_choose() -> None:
    spaces = (65_499, 65_500, 65_536, 65_537)
    chosen = {(name, ids): token_format(name).usual(ids) for name in token_formats() for ids in spaces}
    assert [chosen["megatron", ids] for ids in (65_499, 65_500, 65_536)] == ["uint16", "int32", "int32"]
    for name in ("datatrove", "llmc", "olmo"):
        assert [chosen[name, ids] for ids in (65_500, 65_536, 65_537)] == ["uint16", "uint16", "uint32"]
    assert {chosen["hf-arrow", ids] for ids in (65_499, 65_537)} == {"int32"}
    for name in token_formats():
        assert {kind for (each, _), kind in chosen.items() if each == name} <= set(token_format(name).dtypes)


def test_an_unknown_format_is_told_the_others() -> None:
    with pytest.raises(UsageError, match=r"Did you mean 'megatron'\? There are: datatrove, hf-arrow, llmc"):
        token_format("megatrn")


@given(
    values=st.lists(st.integers(-(1 << 63), (1 << 63) - 1), min_size=1, max_size=20),
    dtype=st.sampled_from(["uint8", "uint16", "uint32", "int32", "int64"]),
)
def test_narrowing_keeps_every_number_or_refuses(values: list[int], dtype: str) -> None:
    ids = np.array(values, np.int64)
    limit = int(np.iinfo(dtype).max)
    wrong = [at for at, value in enumerate(values) if not 0 <= value <= limit]
    found = first_misfit(ids, np.array([0, len(values)]), limit)
    if wrong:
        assert found is not None
        assert (found.document, found.position, found.id) == (0, wrong[0], values[wrong[0]])
        if dtype != "int64":
            with pytest.raises(OverflowError):
                narrowed(ids, dtype)
    else:
        assert found is None
        assert narrowed(ids, dtype).tolist() == values


def test_a_writer_takes_no_ids_of_another_type(tmp_path: Path) -> None:
    writer = token_format("nanogpt").open(tmp_path / "train.bin", ShardFacts("uint16", None))
    with pytest.raises(ValueError, match="int64"):
        writer.write(Sequences(np.array([70_000]), np.array([0, 1]), np.zeros(1, np.uint64)))
    writer.close()
