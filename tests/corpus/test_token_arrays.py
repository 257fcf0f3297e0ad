"""Megatron, nanoGPT and llm.c files: the documents that went in come out, wherever pieces are cut; faults are named."""

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dataaudit.corpus import ReadOptions, Tally, read_records
from dataaudit.corpus.token_arrays import sequences as sequences_module
from dataaudit.errors import ReadError
from tests.corpus.token_files import Documents, read_tokens, write_tokens

EOT = 9
GOLDEN_IDX = bytes.fromhex("4d4d49444944580000" + "0100000000000000" + "08" + "0300000000000000" + "0400000000000000")
few = settings(max_examples=40, deadline=None)


def documents_of(*, largest: int = 65_535, least: int = 0) -> st.SearchStrategy[Documents]:
    ids = st.integers(0, largest).filter(lambda each: each != EOT)
    return st.lists(st.lists(ids, min_size=least, max_size=8), min_size=1, max_size=20)


def at_end(documents: Documents) -> Documents:
    return [[*document, EOT] for document in documents]


def at_start(documents: Documents) -> Documents:
    return [[EOT, *document] for document in documents]


@few
@given(documents=documents_of(), target=st.integers(1, 200))
def test_megatron_comes_back_from_any_pieces(
    tmp_path_factory: pytest.TempPathFactory, documents: Documents, target: int
) -> None:
    for dtype in ("uint16", "int32", "int64"):
        main = write_tokens("megatron", tmp_path_factory.mktemp("m"), documents, dtype)
        found = read_tokens(main.parent, target_bytes=target)
        assert found.documents == documents
        assert [row["record"] for row in found.rows] == list(range(len(documents)))
        size = np.dtype(dtype).itemsize
        starts = np.cumsum([0, *map(len, documents)])[:-1] * size
        assert [row["offset"] for row in found.rows] == starts.tolist()
        tokens = sum(map(len, documents))
        facts = found.only_facts
        assert (facts.dtype, facts.tokens, facts.declared_tokens, facts.declared_by) == (dtype, tokens, tokens, "index")
        empty = sum(not document for document in documents)
        assert facts.problem_counts == ({"empty": empty} if empty else {})
        assert not found.faults
        assert not found.damage


@few
@example(documents=[[65_534]], target=1)  # a byte-order mark of UTF-16
@example(documents=[[0x8B1F, 8]], target=9)  # gzip's magic bytes
@given(documents=documents_of(), target=st.integers(1, 200))
def test_streams_come_back_from_any_pieces(
    tmp_path_factory: pytest.TempPathFactory, documents: Documents, target: int
) -> None:
    cases = [("nanogpt", "uint16", at_end), ("llmc", "uint16", at_start), ("llmc", "uint32", at_start)]
    for name, dtype, delimit in cases:
        wanted = delimit(documents)
        main = write_tokens(name, tmp_path_factory.mktemp("s"), wanted, dtype)
        found = read_tokens(main, target_bytes=target, eos_id=EOT)
        assert found.documents == wanted
        assert [row["record"] for row in found.rows] == list(range(len(wanted)))
        facts = found.only_facts
        assert facts.dtype == dtype
        assert facts.delimited_by == ("eos" if name == "nanogpt" else "bos")
        assert facts.tokens == sum(map(len, wanted))
        assert facts.declared_tokens == (facts.tokens if name == "llmc" else None)
        assert not facts.problem_counts


@few
@given(ids=st.lists(st.integers(0, 65_535), max_size=60), length=st.integers(1, 9), target=st.integers(2, 60))
def test_without_a_delimiter_sequences_have_one_length(
    tmp_path_factory: pytest.TempPathFactory, ids: list[int], length: int, target: int
) -> None:
    main = write_tokens("nanogpt", tmp_path_factory.mktemp("l"), [ids], "uint16")
    found = read_tokens(main, options=ReadOptions(format="nanogpt"), target_bytes=target, max_length=length)
    assert found.documents == [ids[at : at + length] for at in range(0, len(ids), length)]
    assert found.only_facts.delimited_by == "length"
    assert not found.problems


def test_text_around_delimiters_is_kept(tmp_path: Path) -> None:
    """What stands before the first start and after the last end is a document too."""
    main = write_tokens("llmc", tmp_path / "a", [[1, 2], [EOT, 3], [EOT]], "uint16")
    assert read_tokens(main, bos_id=EOT).documents == [[1, 2], [EOT, 3], [EOT]]
    main = write_tokens("nanogpt", tmp_path / "b", [[700, EOT], [EOT], [4, 5]], "uint16")
    assert read_tokens(main, eos_id=EOT).documents == [[700, EOT], [EOT], [4, 5]]


def test_bos_delimits_a_stream_without_eos(tmp_path: Path) -> None:
    main = write_tokens("nanogpt", tmp_path, [[1, 700], [1, 5, 6]], "uint16")
    found = read_tokens(main, bos_id=1)
    assert found.documents == [[1, 700], [1, 5, 6]]
    assert found.only_facts.delimited_by == "bos"


def test_a_delimiter_that_does_not_occur_is_said(tmp_path: Path) -> None:
    main = write_tokens("nanogpt", tmp_path, [[7] * 5], "uint16")
    found = read_tokens(main, eos_id=50_256, max_length=2)
    assert found.documents == [[7, 7], [7, 7], [7]]
    (problem,) = found.only_facts.problems
    assert (problem.kind, problem.position) == ("delimiter", 0)
    assert "id 50256" in problem.message
    assert read_tokens(main, eos_id=-3, max_length=2).problems == {"delimiter": 1}


def test_the_type_of_raw_ids(tmp_path: Path) -> None:
    main = tmp_path / "train.bin"
    np.array([1, 70_000, EOT], "<u4").tofile(main)
    by_vocabulary = read_tokens(main, vocab_size=65_537, eos_id=EOT)
    assert by_vocabulary.documents == [[1, 70_000, EOT]]
    assert by_vocabulary.only_facts.dtype_from == "vocab_size"
    by_option = read_tokens(main, dtype="int32", vocab_size=100, eos_id=EOT)
    assert by_option.documents == [[1, 70_000, EOT]]
    assert (by_option.only_facts.dtype, by_option.only_facts.dtype_from) == ("int32", "option")
    by_habit = read_tokens(main, max_length=9)
    assert by_habit.documents == [[1, 0, 4464, 1, EOT, 0]]
    assert (by_habit.only_facts.dtype, by_habit.only_facts.dtype_from) == ("uint16", "default")


def test_bytes_after_the_last_id_are_counted(tmp_path: Path) -> None:
    main = write_tokens("nanogpt", tmp_path, at_end([[300, 2], [3]]), "uint16")
    main.write_bytes(main.read_bytes() + b"\x07")
    found = read_tokens(main, eos_id=EOT, target_bytes=4)
    assert found.only_facts.extra_bytes == 1
    assert found.documents == at_end([[300, 2], [3]])


def test_a_very_long_document_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequences_module, "MOST_TOKENS", 4)
    documents = at_end([[300], list(range(1000, 1010)), [5]])
    for name in ("nanogpt", "megatron"):
        found = read_tokens(write_tokens(name, tmp_path / name, documents, "uint16"), eos_id=EOT)
        assert found.documents == [
            documents[0],
            documents[1][:4],
            documents[1][4:8],
            documents[1][8:],
            documents[2],
        ]
        assert [row["record"] for row in found.rows] == [0, 1, 1, 1, 2]
        assert [row["offset"] for row in found.rows] == [0, 4, 12, 20, 26]


def test_batches_are_bounded(tmp_path: Path) -> None:
    documents = at_end([[300] * 10] * 50)
    main = write_tokens("nanogpt", tmp_path, documents, "uint16")
    found = read_tokens(main, eos_id=EOT, options=ReadOptions(batch_bytes=8 * 25, batch_rows=3))
    assert found.documents == documents


def test_number_columns_are_null(tmp_path: Path) -> None:
    main = write_tokens("megatron", tmp_path, [[1]], "uint16")
    assert read_tokens(main, options=ReadOptions(number_columns=("loss",))).rows[0]["loss"] is None


# Megatron's index: what is wrong in it.


def megatron(tmp_path: Path, documents: Documents | None = None) -> Path:
    return write_tokens("megatron", tmp_path, documents or [[1, 2], [3], [4, 5, 6, 7]], "uint16")


def patch(path: Path, at: int, form: str, *values: int) -> None:
    data = bytearray(path.read_bytes())
    data[at : at + struct.calcsize(form)] = struct.pack(form, *values)
    path.write_bytes(data)


def test_the_golden_header_is_read(tmp_path: Path) -> None:
    (tmp_path / "x.idx").write_bytes(
        GOLDEN_IDX + struct.pack("<3i", 2, 1, 1) + struct.pack("<3q", 0, 4, 6) + struct.pack("<4q", 0, 1, 2, 3)
    )
    (tmp_path / "x.bin").write_bytes(struct.pack("<4H", 10, 20, 30, 40))
    found = read_tokens(tmp_path)
    assert found.documents == [[10, 20], [30], [40]]
    assert found.problems == {}


@pytest.mark.parametrize("pointer", [-4, 1 << 40, (1 << 63) - 1, -1 << 63, 6])
def test_a_wrong_pointer_is_followed_and_named(tmp_path: Path, pointer: int) -> None:
    main = megatron(tmp_path)
    patch(main.with_suffix(".idx"), 34 + 12 + 8, "<q", pointer)
    found = read_tokens(main, target_bytes=4)
    (problem,) = found.only_facts.problems
    assert (problem.kind, problem.sequence, problem.position) == ("pointer", 1, 2)
    assert f"byte {pointer:,}" in problem.message
    assert "starts at byte 4" in problem.message
    if pointer == 6:  # a trainer reads there too
        assert found.documents == [[1, 2], [4], [4, 5, 6, 7]]
    else:
        assert found.documents == [[1, 2], [4, 5, 6, 7]]
        (fault,) = found.faults
        assert (fault.kind, fault.record) == ("unreadable", 1)
        assert "bytes 0 to 14" in fault.reason
    assert found.only_facts.tokens == 7


def test_a_pointer_between_two_ids_is_read_as_it_stands(tmp_path: Path) -> None:
    main = megatron(tmp_path)
    patch(main.with_suffix(".idx"), 34 + 12 + 8, "<q", 3)
    assert read_tokens(main).documents == [[1, 2], [0x0300], [4, 5, 6, 7]]


def test_a_truncated_bin_loses_only_what_is_missing(tmp_path: Path) -> None:
    main = megatron(tmp_path)
    main.write_bytes(main.read_bytes()[:-3])
    found = read_tokens(main)
    assert found.documents == [[1, 2], [3]]
    assert [(fault.record, fault.offset) for fault in found.faults] == [(2, 6)]
    facts = found.only_facts
    assert (facts.tokens, facts.extra_bytes, facts.declared_tokens) == (5, 1, 7)


def test_more_ids_than_the_index_says_are_counted(tmp_path: Path) -> None:
    main = megatron(tmp_path)
    main.write_bytes(main.read_bytes() + bytes(2 * 3000))
    facts = read_tokens(main, target_bytes=4).only_facts
    assert (facts.tokens, facts.declared_tokens, facts.trailing_zeros) == (3007, 7, 3000)


@pytest.mark.parametrize("kept", [34, 38, 45, 50, 60])
def test_a_truncated_index_loses_only_what_it_lost(tmp_path: Path, kept: int) -> None:
    main = megatron(tmp_path)
    index = main.with_suffix(".idx")
    index.write_bytes(index.read_bytes()[:kept])
    found = read_tokens(main)
    known = min(3, (kept - 34) // 4)
    assert found.documents == [[1, 2], [3], [4, 5, 6, 7]][:known]
    assert found.problems == {"sidecar": 1}
    lost = [f"the .idx ends at byte {kept}; {3 - known} of its 3 sequences are lost"] if known < 3 else []
    assert found.damage == lost


@pytest.mark.parametrize(("sequences", "entries"), [(1 << 62, 4), (3, 1 << 62), ((1 << 64) - 1, (1 << 64) - 1)])
def test_huge_counts_are_bounded_by_the_file(tmp_path: Path, sequences: int, entries: int) -> None:
    main = megatron(tmp_path)
    patch(main.with_suffix(".idx"), 18, "<QQ", sequences, entries)
    found = read_tokens(main)
    assert found.documents[:3] == [[1, 2], [3], [4, 5, 6, 7]]
    assert found.problems["sidecar"] == 1


def test_a_negative_length_is_a_fault_of_its_sequence(tmp_path: Path) -> None:
    main = megatron(tmp_path)
    patch(main.with_suffix(".idx"), 34 + 4, "<i", -1)
    found = read_tokens(main, target_bytes=4)
    assert found.problems == {"length": 1, "pointer": 1}
    assert found.documents == [[1, 2], [4, 5, 6, 7]]
    assert [(fault.record, fault.reason) for fault in found.faults] == [(1, "its length in the .idx is -1")]


@pytest.mark.parametrize(
    ("entries", "problems"),
    [
        ([0, 1, 2, 3], {}),
        ([1, 1, 2, 3], {"first": 1, "hollow": 1}),
        ([0, 2, 1, 3], {"order": 1}),
        ([0, 1, 2, 2], {"last": 1, "hollow": 1}),
        ([0, 3, 3, 3], {"hollow": 2}),
    ],
)
def test_the_document_index(tmp_path: Path, entries: list[int], problems: dict[str, int]) -> None:
    main = megatron(tmp_path)
    patch(main.with_suffix(".idx"), 34 + 36, "<4q", *entries)
    found = read_tokens(main, target_bytes=4)
    assert found.problems == problems
    assert found.documents == [[1, 2], [3], [4, 5, 6, 7]]


def test_modes_at_the_end_are_no_fault(tmp_path: Path) -> None:
    main = megatron(tmp_path)
    index = main.with_suffix(".idx")
    index.write_bytes(index.read_bytes() + bytes(3))
    assert read_tokens(main).problems == {}


@pytest.mark.parametrize(
    ("at", "form", "value", "said"),
    [
        (9, "<Q", 2, "version 2"),
        (17, "<B", 7, "float32"),
        (17, "<B", 99, "type code 99"),
        (0, "<B", 0, "no Megatron-LM index"),
    ],
)
def test_an_index_that_cannot_be_read_is_said(tmp_path: Path, at: int, form: str, value: int, said: str) -> None:
    main = megatron(tmp_path)
    patch(main.with_suffix(".idx"), at, form, value)
    ((_, reason),) = read_tokens(main).plan.damaged
    assert said in reason


def test_thousands_of_problems_are_counted_and_twenty_kept(tmp_path: Path) -> None:
    main = megatron(tmp_path, [[1]] * 5000)
    index = main.with_suffix(".idx")
    patch(index, 34 + 4 * 5000, "<5000q", *([2] * 5000))
    facts = read_tokens(main, target_bytes=1000).only_facts
    assert facts.problem_counts == {"pointer": 4999}
    assert len(facts.problems) == 20


# What belongs to what.


def test_an_index_alone_is_said(tmp_path: Path) -> None:
    main = megatron(tmp_path)
    main.unlink()
    ((file, reason),) = read_tokens(tmp_path).plan.damaged
    assert file.name.endswith(".idx")
    assert "tokens_document.bin, which is missing" in reason


def test_a_bin_without_its_index_is_said(tmp_path: Path) -> None:
    main = megatron(tmp_path)
    main.with_suffix(".idx").unlink()
    ((_, reason),) = read_tokens(tmp_path).plan.damaged
    assert "there is no .idx beside it" in reason
    forced = ReadOptions(format="nanogpt")
    assert read_tokens(tmp_path, options=forced, max_length=9).documents == [[1, 2, 3, 4, 5, 6, 7]]


def test_a_folder_is_read_once_and_sidecars_are_named(tmp_path: Path) -> None:
    from dataaudit.corpus import find_files

    main = megatron(tmp_path)
    found = find_files([str(tmp_path)])
    assert [file.name for file in found.files] == [main.name]
    assert found.skipped == [(str(main.with_suffix(".idx")), f"belongs to {main.name}")]
    assert [file.name for file in find_files([f"{tmp_path}/*"]).files] == [main.name]


def test_a_bin_that_is_text_stays_text(tmp_path: Path) -> None:
    (tmp_path / "notes.bin").write_text('{"text": "one"}\n{"text": "two"}\n')
    assert [piece.format for piece in read_tokens(tmp_path).plan.pieces] == ["jsonl"]


def test_a_forced_format_that_does_not_fit_is_said(tmp_path: Path) -> None:
    (tmp_path / "train.bin").write_bytes(bytes(2000))
    for name, said in (("megatron", "no .idx beside"), ("llmc", "begins with 0")):
        ((_, reason),) = read_tokens(tmp_path, options=ReadOptions(format=name)).plan.damaged
        assert said in reason
    with pytest.raises(ReadError, match=r"Formats: .*llmc.*megatron.*nanogpt"):
        read_tokens(tmp_path, options=ReadOptions(format="nanogtp"))


def test_an_index_that_names_the_file_again_and_again_is_bounded(tmp_path: Path) -> None:
    main = megatron(tmp_path, [[at + 1] for at in range(1000)])
    patch(main.with_suffix(".idx"), 34, "<1000i", *([1000] * 1000))
    patch(main.with_suffix(".idx"), 34 + 4000, "<1000q", *([0] * 1000))
    found = read_tokens(main)
    assert len(found.rows) == 4
    assert len(found.faults) == 996
    assert "overlap" in found.faults[0].reason
    assert found.only_facts.tokens == 1000
    assert (found.problems, found.only_facts.declared_tokens) == ({"pointer": 999}, 1_000_000)


# llm.c's header.


@pytest.mark.parametrize(("dtype", "known"), [("uint16", 50_256), ("uint32", 128_000)])
def test_the_delimiter_of_llm_c_is_known_by_its_number(tmp_path: Path, dtype: str, known: int) -> None:
    documents = [[known, 1, 2], [known], [known, 3]]
    main = write_tokens("llmc", tmp_path, documents, dtype)
    assert read_tokens(main).documents == documents
    found = read_tokens(main, eos_id=2)
    assert found.documents == [[known, 1], [2, known, known, 3]], "what is said goes before what is usual"
    main = write_tokens("llmc", tmp_path, [[1, 2, 3]], dtype)
    found = read_tokens(main, max_length=2)
    assert found.documents == [[1, 2], [3]]
    assert found.problems == {}


def test_headers_of_llm_c(tmp_path: Path) -> None:
    main = write_tokens("llmc", tmp_path, at_start([[1, 2], [3]]), "uint16")
    patch(main, 4, "<2i", 3, 77)
    facts = read_tokens(main, eos_id=EOT).only_facts
    assert (facts.tokens, facts.declared_tokens) == (5, 77)
    assert facts.problem_counts == {"header": 1}
    patch(main, 0, "<i", 20240522)
    ((_, reason),) = read_tokens(main).plan.damaged
    assert "evaluation" in reason


@few
@given(data=st.binary(max_size=80))
def test_noise_never_raises(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("noise")
    (folder / "a.bin").write_bytes(data)
    (folder / "a.idx").write_bytes(GOLDEN_IDX + data)
    (folder / "b.bin").write_bytes(struct.pack("<3i", 20240801, 7, 5) + bytes(1012) + data)
    (folder / "c.bin").write_bytes(data)
    found = read_tokens(folder, eos_id=0)
    assert len(found.plan.pieces) + len(found.plan.damaged) == 3


def test_records_are_rows_with_the_digest_of_reading(tmp_path: Path) -> None:
    for name in ("nanogpt", "megatron"):
        main = write_tokens(name, tmp_path / name, at_end([[300, 1], [2]]), "uint16")
        found = read_tokens(main, eos_id=EOT)
        (piece,) = found.plan.pieces
        tally = Tally()
        rows = [row for batch in read_records(piece, ReadOptions(), tally) for row in batch.records.to_pylist()]
        assert [row["input_ids"] for row in rows] == found.documents
        assert tally.records == 2
        assert [tally.digest] == found.digests
