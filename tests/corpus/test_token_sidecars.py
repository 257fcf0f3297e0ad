"""datatrove, OLMo and NumPy files: documents come back from any pieces; wrong sidecars and headers are named."""

import csv
import gzip
import io
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataaudit.corpus import ReadOptions, find_files
from tests.corpus.token_files import Documents, read_tokens, write_tokens

EOT = 9
DOCUMENTS = [[1, 700], [3, 4, 5], [6]]
few = settings(max_examples=40, deadline=None)


def lists(largest: int) -> st.SearchStrategy[Documents]:
    return st.lists(st.lists(st.integers(0, largest), max_size=8), min_size=1, max_size=20)


@few
@given(documents=lists(65_535), target=st.integers(1, 200))
def test_documents_come_back_from_any_pieces(
    tmp_path_factory: pytest.TempPathFactory, documents: Documents, target: int
) -> None:
    for name in ("datatrove", "olmo"):
        for dtype in ("uint16", "uint32"):
            main = write_tokens(name, tmp_path_factory.mktemp(name), documents, dtype)
            found = read_tokens(main.parent, target_bytes=target, vocab_size=70_000 if dtype == "uint32" else None)
            tokens = sum(map(len, documents))
            if tokens:
                assert found.documents == documents
                facts = found.only_facts
                assert (facts.dtype, facts.dtype_from, facts.delimited_by) == (dtype, "sidecar", "index")
                assert (facts.tokens, facts.declared_tokens) == (tokens, tokens)
                empty = sum(not document for document in documents)
                assert facts.problem_counts == ({"empty": empty} if empty else {})
            if name == "olmo" and tokens:
                assert [row["id"] for row in found.rows] == [f"id-{at}" for at in range(len(documents))]
            assert not found.faults
            assert not found.damage


@few
@given(
    rows=st.integers(0, 12),
    length=st.integers(1, 7),
    target=st.integers(1, 100),
    dtype=st.sampled_from(["<u2", ">u2", "<i4", ">i8", "|u1", "<u8"]),
)
def test_rows_of_numpy_come_back(
    tmp_path_factory: pytest.TempPathFactory, rows: int, length: int, target: int, dtype: str
) -> None:
    path = tmp_path_factory.mktemp("npy") / "tokens.npy"
    table = (np.arange(rows * length) % 251).reshape(rows, length).astype(dtype)
    np.save(path, table)
    found = read_tokens(path, target_bytes=target)
    assert found.documents == table.tolist()
    assert [row["record"] for row in found.rows] == list(range(rows))
    facts = found.only_facts
    assert (facts.dtype, facts.delimited_by) == (np.dtype(dtype).newbyteorder("=").name, "row")
    assert (facts.tokens, facts.declared_tokens) == (rows * length, rows * length)


@few
@given(documents=lists(60_000), target=st.integers(1, 200))
def test_a_stream_of_numpy_is_cut_at_the_id(
    tmp_path_factory: pytest.TempPathFactory, documents: Documents, target: int
) -> None:
    wanted = [[*(each for each in document if each != EOT), EOT] for document in documents]
    folder = tmp_path_factory.mktemp("npy")
    np.save(folder / "stream.npy", np.array([each for document in wanted for each in document], np.uint16))
    found = read_tokens(folder, target_bytes=target, eos_id=EOT)
    assert found.documents == wanted
    assert found.only_facts.delimited_by == "eos"


def test_ids_that_64_bits_with_a_sign_do_not_hold_are_faults(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[1, 2], [1 << 63, 3], [4, (1 << 63) - 1]], np.uint64))
    found = read_tokens(tmp_path)
    assert found.documents == [[1, 2], [4, (1 << 63) - 1]]
    (fault,) = found.faults
    assert (fault.kind, fault.record) == ("without_text", 1)
    assert fault.reason.startswith("token ids: 9223372036854775808, too large, at position 0")


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.array([1.0, float("nan")]), "array of float64"),
        (np.array([[1, 2], [3, 4]], order="F"), "column by column"),
        (np.array(5), "0 dimensions"),
        (np.zeros((2, 2, 2), np.int32), "3 dimensions"),
        (np.array([{"a": 1}], dtype=object), "pickle"),
        (np.array(["a"]), "array of <U1"),
    ],
)
def test_arrays_that_hold_no_ids_are_said(tmp_path: Path, array: np.ndarray, said: str) -> None:
    np.save(tmp_path / "a.npy", array)
    ((_, reason),) = read_tokens(tmp_path).plan.damaged
    assert said in reason


def npy(header: str, data: bytes = b"") -> bytes:
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<u2', 'fortran_order': False, 'shape': (4611686018427387904, 4), }",
        "{'descr': '<u2', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<u2', 'fortran_order': False, 'shape': (3, -1), }",
        "__import__('os').system('true')",
        "((((",
        "'''",
        "(" * 117,
        "{'descr': (), 'fortran_order': False, 'shape': (3,), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }",
    ],
)
def test_hostile_headers_are_refused(tmp_path: Path, header: str) -> None:
    (tmp_path / "a.npy").write_bytes(npy(header, bytes(10)))
    ((_, reason),) = read_tokens(tmp_path).plan.damaged
    assert "NumPy array" in reason


def test_a_table_that_ends_early_loses_what_is_missing(tmp_path: Path) -> None:
    header = "{'descr': '<u2', 'fortran_order': False, 'shape': (1000000000000, 3), }"
    (tmp_path / "a.npy").write_bytes(npy(header, struct.pack("<7H", 1, 2, 3, 4, 5, 6, 7)))
    found = read_tokens(tmp_path)
    assert found.documents == [[1, 2, 3], [4, 5, 6]]
    assert [fault.record for fault in found.faults] == [2]
    assert found.damage == ["the file ends at byte 142; 999,999,999,997 of its 1,000,000,000,000 rows are lost"]
    assert (found.only_facts.tokens, found.only_facts.declared_tokens) == (7, 3_000_000_000_000)


def test_a_shard_of_datatrove_itself_reads_right() -> None:
    """Written by scripts/make_token_fixtures.py; 3 is its end-of-text id."""
    folder = Path(__file__).parent.parent / "fixtures/tokens/datatrove"
    found = read_tokens(folder)
    assert found.documents == [[0, 1, 2, 3], [2, 2, 3], [1, 3], [0, 0, 0, 0, 0, 4, 3]]
    facts = found.only_facts
    assert (facts.dtype, facts.dtype_from, facts.problem_counts) == ("uint16", "sidecar", {})
    assert not found.plan.damaged


# datatrove: what is wrong in the files beside it.


def test_losses_become_labels(tmp_path: Path) -> None:
    main = write_tokens("datatrove", tmp_path, DOCUMENTS, "uint16")
    Path(f"{main}.loss").write_bytes(bytes([0, 1, 1, 1, 0, 1]))
    for target in (1, 1000):
        found = read_tokens(tmp_path, target_bytes=target)
        assert found.documents == DOCUMENTS
        assert [row["labels"] for row in found.rows] == [[-100, 700], [3, 4, -100], [6]]
    Path(f"{main}.loss").write_bytes(bytes([1, 1, 1]))
    found = read_tokens(tmp_path)
    assert [row["labels"] for row in found.rows] == [None, None, None]
    assert found.problems == {"sidecar": 1}


def index(main: Path, *ends: int) -> None:
    Path(f"{main}.index").write_bytes(struct.pack(f"<{len(ends)}Q", *ends))


@pytest.mark.parametrize(
    ("ends", "problems", "documents"),
    [
        ([2, 5, 6], {}, DOCUMENTS),
        ([2, 2, 6], {"empty": 1}, [[1, 700], [], [3, 4, 5, 6]]),
        ([2, 5], {"last": 1}, [[1, 700], [3, 4, 5]]),
        ([5, 2, 6], {"order": 1}, [[1, 700, 3, 4, 5], [3, 4, 5, 6]]),
        ([2, 5, 99], {"last": 1}, [[1, 700], [3, 4, 5]]),
        ([2, 5, (1 << 64) - 1], {"last": 1}, [[1, 700], [3, 4, 5]]),
    ],
)
def test_the_index_of_datatrove(
    tmp_path: Path, ends: list[int], problems: dict[str, int], documents: Documents
) -> None:
    main = write_tokens("datatrove", tmp_path, DOCUMENTS, "uint16")
    index(main, *ends)
    for target in (4, 1000):
        found = read_tokens(tmp_path, target_bytes=target)
        assert found.problems == problems
        assert found.documents == documents
        assert len(found.faults) == 3 - len(documents) - (len(ends) == 2)
        assert found.only_facts.tokens == 6


def test_an_order_problem_has_its_place(tmp_path: Path) -> None:
    main = write_tokens("datatrove", tmp_path, DOCUMENTS, "uint16")
    index(main, 5, 2, 6)
    (problem,) = read_tokens(tmp_path).only_facts.problems
    assert (problem.kind, problem.sequence, problem.position) == ("order", 1, 5)
    assert problem.message == "the index goes back from 5 to 2"


def test_metadata_that_do_not_fit_are_named(tmp_path: Path) -> None:
    main = write_tokens("datatrove", tmp_path, DOCUMENTS, "uint16")
    Path(f"{main}.metadata").write_text("tokenizer.json|4\n7\n7 T")
    found = read_tokens(tmp_path)
    assert found.documents == DOCUMENTS, "the index and the size of the file agree on two bytes an id"
    assert found.problems == {"sidecar": 2}
    for text in ("", "no bar\n\n", "a|4" * 100_000):
        Path(f"{main}.metadata").write_text(text)
        assert read_tokens(tmp_path).documents == DOCUMENTS


def test_the_size_of_an_id_by_the_metadata(tmp_path: Path) -> None:
    main = write_tokens("datatrove", tmp_path, DOCUMENTS, "uint32")
    main.write_bytes(main.read_bytes() + bytes(4))
    facts = read_tokens(tmp_path).only_facts
    assert (facts.dtype, facts.dtype_from, facts.tokens, facts.declared_tokens) == ("uint32", "sidecar", 7, 6)


def test_ds_without_its_index_is_a_stream(tmp_path: Path) -> None:
    main = write_tokens("datatrove", tmp_path, [[1, EOT], [700, EOT]], "uint16")
    Path(f"{main}.index").unlink()
    found = read_tokens(tmp_path, eos_id=EOT)
    assert found.documents == [[1, EOT], [700, EOT]]
    assert found.problems == {"sidecar": 1}


def test_sidecars_alone_are_said(tmp_path: Path) -> None:
    main = write_tokens("datatrove", tmp_path, DOCUMENTS, "uint16")
    assert sorted(reason for _, reason in find_files([str(tmp_path)]).skipped) == [f"belongs to {main.name}"] * 2
    main.unlink()
    damaged = read_tokens(tmp_path).plan.damaged
    assert [file.name for file, _ in damaged] == [f"{main.name}.index", f"{main.name}.metadata"]
    assert all(f"{main.name}, which is missing" in reason for _, reason in damaged)


# OLMo: what is wrong in the lines beside it.


def lines(main: Path, *rows: tuple[object, ...]) -> None:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    main.with_suffix(".csv.gz").write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))


@pytest.mark.parametrize(
    ("rows", "problems", "documents"),
    [
        ([(0, 2, "a"), (2, 5, "b\nc"), (5, 6, 'd"')], {}, DOCUMENTS),
        ([(0, 2), (2, 5)], {"last": 1}, [[1, 700], [3, 4, 5]]),
        ([(0, 2), (3, 6)], {"pointer": 1}, [[1, 700], [4, 5, 6]]),
        ([(0, 2), (1, 6)], {"pointer": 1}, [[1, 700], [700, 3, 4, 5, 6]]),
        ([(1, 6)], {"pointer": 1}, [[700, 3, 4, 5, 6]]),
        ([(0, 2), ("x", 5), (2, 6)], {"sidecar": 1}, [[1, 700], [3, 4, 5, 6]]),
        ([(0, 2), (-1, 5), (2, 6)], {"sidecar": 1}, [[1, 700], [3, 4, 5, 6]]),
        ([(0, 2), (2, 9)], {"last": 1}, [[1, 700]]),
        ([(0, 2), (2, 10**30)], {"sidecar": 1, "last": 1}, [[1, 700]]),
    ],
)
def test_the_lines_of_olmo(
    tmp_path: Path, rows: list[tuple[object, ...]], problems: dict[str, int], documents: Documents
) -> None:
    main = write_tokens("olmo", tmp_path, DOCUMENTS, "uint16")
    lines(main, *rows)
    for target in (4, 1000):
        found = read_tokens(tmp_path, target_bytes=target)
        assert found.problems == problems
        assert found.documents == documents
        assert len(found.rows) + len(found.faults) == len(rows)
        assert found.only_facts.tokens == 6


def test_lines_that_end_early_give_what_is_there(tmp_path: Path) -> None:
    documents = [[at % 60_000] * (at % 5 + 1) for at in range(20_000)]
    main = write_tokens("olmo", tmp_path, documents, "uint16")
    packed = main.with_suffix(".csv.gz")
    packed.write_bytes(packed.read_bytes()[: packed.stat().st_size // 2])
    for target in (1000, 1 << 20):
        found = read_tokens(tmp_path, target_bytes=target)
        assert 1000 < len(found.documents) < 20_000
        assert found.documents == documents[: len(found.documents)]
        (damage,) = found.damage
        assert damage.startswith(f"the .csv.gz is damaged after line {len(found.documents)}: ")
        assert found.only_facts.tokens == sum(map(len, documents))


@pytest.mark.parametrize("data", [b"", b"no gzip", gzip.compress(b"x" * (3 << 20)), gzip.compress(b'"' * (1 << 18))])
def test_hostile_lines_never_raise(tmp_path: Path, data: bytes) -> None:
    main = write_tokens("olmo", tmp_path, DOCUMENTS, "uint16")
    main.with_suffix(".csv.gz").write_bytes(data)
    found = read_tokens(tmp_path, max_length=4)
    assert found.only_facts.tokens == 6


def test_a_zero_tail_is_measured(tmp_path: Path) -> None:
    """A writer that was killed leaves the zeros that it began with."""
    main = write_tokens("olmo", tmp_path, DOCUMENTS, "uint16")
    main.write_bytes(main.read_bytes() + bytes(2 * 5000))
    found = read_tokens(tmp_path, target_bytes=4)
    assert found.documents == DOCUMENTS
    facts = found.only_facts
    assert (facts.tokens, facts.declared_tokens, facts.trailing_zeros) == (5006, 6, 5000)
    assert facts.problem_counts == {"last": 1}


def test_npy_without_lines_is_a_stream(tmp_path: Path) -> None:
    main = write_tokens("olmo", tmp_path, [[1, EOT], [700, EOT]], "uint16")
    main.with_suffix(".csv.gz").unlink()
    found = read_tokens(tmp_path, eos_id=EOT)
    assert found.documents == [[1, EOT], [700, EOT]]
    assert found.plan.pieces[0].format == "olmo"


def test_csv_without_ids_beside_it_stays_csv(tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"text\nhello\n"))
    assert [piece.format for piece in read_tokens(tmp_path, options=ReadOptions()).plan.pieces] == ["csv"]


@few
@given(data=st.binary(max_size=80), beside=st.binary(max_size=60))
def test_noise_never_raises(tmp_path_factory: pytest.TempPathFactory, data: bytes, beside: bytes) -> None:
    folder = tmp_path_factory.mktemp("noise")
    (folder / "a.ds").write_bytes(data)
    (folder / "a.ds.index").write_bytes(beside)
    (folder / "a.ds.loss").write_bytes(beside)
    (folder / "a.ds.metadata").write_bytes(beside)
    (folder / "b.npy").write_bytes(data)
    (folder / "b.csv.gz").write_bytes(gzip.compress(beside))
    (folder / "c.npy").write_bytes(b"\x93NUMPY" + data)
    found = read_tokens(folder, eos_id=0)
    files = {piece.file.name for piece in found.plan.pieces} | {file.name for file, _ in found.plan.damaged}
    assert files == {"a.ds", "b.npy", "c.npy"}
