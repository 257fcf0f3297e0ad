"""Records that are too long to be held: located, counted, read past."""

import gzip
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataaudit.corpus import ReadOptions, Tally, read_records
from dataaudit.corpus.json_scan import values
from dataaudit.corpus.lines import line_blocks, lines_of
from dataaudit.corpus.long_records import LongRecord
from dataaudit.corpus.stream import Stream

LIMIT = 10_000
OPTIONS = ReadOptions(max_record_bytes=LIMIT, document_per="line")
TEXTS = ["a", "x" * (LIMIT + 1), "b", 'q"\\}],{[' * 300_000, "c", "y" * (LIMIT - 12)]
"""The second and the fourth are too long, the fourth longer than what is read at once; the last one just fits."""


def line_file(folder):
    lines = [json.dumps({"text": text}) for text in TEXTS]
    assert len(lines[5]) == LIMIT
    (folder / "a.jsonl").write_text("\n".join(lines) + "\n")
    return folder / "a.jsonl", [len("\n".join(lines[:at])) + bool(at) for at in range(6)], list(range(1, 7))


def array_file(folder):
    elements = [json.dumps({"text": text}) for text in TEXTS]
    (folder / "a.json").write_text("[" + ", ".join(elements) + "]")
    return folder / "a.json", [len(", ".join(elements[:at])) + 2 * bool(at) + 1 for at in range(6)], list(range(6))


def csv_file(folder):
    quoted = ['"{}"'.format(text.replace('"', '""')) for text in TEXTS]
    (folder / "a.csv").write_text("text\n" + "\n".join(quoted) + "\n")
    return folder / "a.csv", [len("text\n" + "\n".join(quoted[:at])) + bool(at) for at in range(6)], list(range(2, 8))


def text_file(folder):
    (folder / "a.txt").write_text("\n".join(TEXTS))
    return folder / "a.txt", [len("\n".join(TEXTS[:at])) + bool(at) for at in range(6)], list(range(1, 7))


@pytest.mark.parametrize("make", [line_file, array_file, csv_file, text_file])
@pytest.mark.parametrize("packed", [False, True])
def test_they_cost_only_themselves(make, packed, tmp_path, read):
    path, offsets, numbers = make(tmp_path)
    if packed:
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
        path = path.with_name(path.name + ".gz")
    result = read(path, options=OPTIONS)
    assert result.texts == [TEXTS[0], TEXTS[2], TEXTS[4], TEXTS[5]]
    assert not result.damage
    assert [fault[1:] for fault in result.fault_places] == [
        ("unreadable", numbers[1], offsets[1]),
        ("unreadable", numbers[3], offsets[3]),
    ]
    assert [each[1:] for each in result.places] == [(numbers[at], offsets[at]) for at in (0, 2, 4, 5)]
    first = result.faults[0][1]
    assert first.raw[:20] in path.read_bytes() or packed
    assert len(first.raw) == 4096
    assert "read.max_record_bytes" in first.reason


@pytest.mark.parametrize("make", [line_file, array_file, csv_file, text_file])
def test_as_records_they_are_lost_under_the_same_row_numbers(make, tmp_path, read):
    path, *_ = make(tmp_path)
    (piece,) = read(path, options=OPTIONS).plan.pieces
    tally = Tally()
    batches = list(read_records(piece, OPTIONS, tally))
    rows = [row for batch in batches for row in (batch.records or [None] * batch.length)]
    assert [row is None for row in rows] == [False, True, False, True, False, False]
    assert tally.records == 6
    assert all("max_record_bytes" in batch.reason for batch in batches if batch.records is None)
    wanted = read(path, options=OPTIONS).tallies[0]
    assert (tally.digest, tally.bytes_read) == (wanted.digest, wanted.bytes_read)


def test_a_plain_text_that_is_too_long_is_one_unreadable_record(tmp_path, read):
    (tmp_path / "a.txt").write_text("z" * (LIMIT + 1))
    (tmp_path / "b.txt").write_text("z" * LIMIT)
    result = read(tmp_path, options=ReadOptions(max_record_bytes=LIMIT))
    assert result.fault_places == [("a.txt", "unreadable", 1, 0)]
    assert result.texts == ["z" * LIMIT]


def test_a_quoted_cell_does_not_swallow_a_row_that_is_too_long(tmp_path, read):
    long = "w" * (LIMIT + 1)
    (tmp_path / "a.csv").write_text(f'text\n"open\n{long}\nplain\n')
    result = read(tmp_path / "a.csv", options=OPTIONS)
    assert result.texts == ["plain"]
    assert [(fault.record, fault.reason.split(" ")[0]) for _, fault in result.faults] == [(2, "a"), (3, "the")]


def cut(data: bytes, seed: int) -> list[bytes]:
    rng = random.Random(seed)
    places = sorted(rng.sample(range(len(data) + 1), min(len(data), rng.randint(0, 6))))
    return [data[first:stop] for first, stop in zip([0, *places], [*places, len(data)], strict=True) if first < stop]


JSON = st.recursive(
    st.none() | st.integers(-9, 99) | st.text('ab"\\,[]{}\n\u00e9', max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("k", max_size=1), inner, max_size=2),
    max_leaves=8,
)


@given(st.lists(JSON, max_size=6), st.integers(1, 40), st.integers(0, 1000), st.sampled_from(["array", "objects"]))
def test_values_do_not_depend_on_where_the_bytes_are_cut(elements, longest, seed, shape):
    if shape == "objects":
        elements = [each if isinstance(each, dict) else {"x": each} for each in elements]
    texts = [json.dumps(each, ensure_ascii=False).encode() for each in elements]
    data = b"[" + b" , ".join(texts) + b"]" if shape == "array" else b"\n ".join(texts)
    tally = Tally()
    found = list(values(iter(cut(data, seed)), 7, tally, longest))
    assert tally.damage is None
    for value, text in zip(found, texts, strict=True):
        assert data[value.offset - 7 :].startswith(text)
        if isinstance(value.data, bytes):
            assert value.data == text
            assert len(text) <= longest
        else:
            assert text.startswith(value.data.head.rstrip())
            assert len(text) <= value.data.size <= len(text) + 1, "a space behind it may count"
            assert value.data.size > longest


@given(st.lists(st.text("ab\u00e9", max_size=30), min_size=1), st.integers(1, 20), st.integers(0, 1000))
def test_lines_do_not_depend_on_where_the_bytes_are_cut(texts, longest, seed):
    lines = [text.encode() for text in texts]
    found = list(lines_of(line_blocks(Stream(iter(cut(b"\n".join(lines), seed)), 0), Tally(), longest)))
    expected = [line if len(line) <= longest else LongRecord(line, len(line)) for line in lines]
    assert found == (expected[:-1] if not lines[-1] else expected)
