"""Compressed files: several members, damage and where it is."""

import bz2
import gzip
import json
import lzma
import random
import struct
import zlib
from itertools import pairwise

import pytest
import xxhash
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from dataaudit.corpus.compression import decompress

RANDOM = random.Random(5)
LINES = [json.dumps({"id": n, "text": RANDOM.randbytes(40).hex()}) + "\n" for n in range(400)]
DATA = "".join(LINES).encode()
BIG_LINES = [json.dumps({"id": n, "text": RANDOM.randbytes(60).hex()}) + "\n" for n in range(16_000)]
BIG = "".join(BIG_LINES).encode()
SKIPPABLE = struct.pack("<II", 0x184D2A53, 7) + b"ignored"


def zstd(data, **kwargs):
    return zstandard.ZstdCompressor(**kwargs).compress(data)


COMPRESS = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "zstd": lambda data: zstd(data, write_checksum=True),
    "bz2": bz2.compress,
    "xz": lambda data: lzma.compress(data, preset=0),
}


def write(folder, data, name="a.jsonl.gz"):
    path = folder / name
    path.write_bytes(data)
    return path


def ids(result):
    return [each["id"] for each in result.documents]


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a", "a.parquet.zst"])
def test_the_content_tells_the_compression_not_the_name(tmp_path, read, kind, name):
    data = COMPRESS[kind](DATA)
    if name == "a.parquet.zst":
        name = "a.bin"
    result = read(write(tmp_path, data, name))
    assert result.plan.notes[0].compression == kind
    assert len(result.documents) == 400
    assert not result.damage
    assert result.places[1][2] == len(LINES[0])
    assert result.tallies[0].digest == xxhash.xxh3_128(data).hexdigest()
    assert result.tallies[0].bytes_read == len(data)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("gzip", b"".join(gzip.compress(each) for each in (DATA[:99], b"", DATA[99:])) + b"\0" * 5000),
        ("zstd", SKIPPABLE + zstd(DATA[:99]) + SKIPPABLE + zstd(b"") + zstd(DATA[99:]) + SKIPPABLE),
        ("bz2", bz2.compress(DATA[:99]) + bz2.compress(b"") + bz2.compress(DATA[99:])),
        ("xz", lzma.compress(DATA[:99]) + b"\0" * 8 + lzma.compress(DATA[99:])),
    ],
)
def test_several_members_are_read_to_the_end(tmp_path, read, kind, data):
    result = read(write(tmp_path, data))
    assert result.plan.notes[0].compression == kind
    assert len(result.documents) == 400
    assert not result.damage


def test_plain_text_named_gz_is_read(tmp_path, read):
    assert len(read(write(tmp_path, DATA)).documents) == 400


@pytest.mark.parametrize("kind", COMPRESS)
def test_what_stands_before_a_cut_is_read(tmp_path, read, kind):
    data = COMPRESS[kind](BIG)
    cut = len(data) * 55 // 100
    path = write(tmp_path, data[:cut])
    result = read(path)
    assert f"end early, at byte {cut}" in result.damage["a.jsonl.gz"]
    assert not result.faults, "the last, incomplete record is no record"
    found = ids(result)
    assert found == [str(n) for n in range(len(found))]
    assert len(found) > 6000
    assert result.tallies[0].digest == xxhash.xxh3_128(data[:cut]).hexdigest()


def test_everything_before_a_cut_gzip_is_read_to_the_byte(tmp_path, read):
    data = gzip.compress(DATA)
    for cut in (len(data) // 2, len(data) - 9, len(data) - 4):
        plain = zlib.decompressobj(31).decompress(data[:cut])
        result = read(write(tmp_path, data[:cut]))
        assert ids(result) == [str(n) for n in range(plain.count(b"\n"))]
        assert result.damage


@pytest.mark.parametrize("kind", COMPRESS)
def test_damage_in_the_middle_is_named_and_what_stands_before_is_read(tmp_path, read, kind):
    data = bytearray(COMPRESS[kind](BIG))
    at = len(data) * 3 // 4
    data[at : at + 64] = b"\xff" * 64
    other = tmp_path / "b.jsonl"
    other.write_bytes(DATA)
    result = read(write(tmp_path, bytes(data)), other)
    assert "damaged" in result.damage["a.jsonl.gz"]
    found = [each["id"] for each in result.documents if each["file"] == "a.jsonl.gz"]
    certain = 6000 if kind == "bz2" else 11_500
    assert found[:certain] == [str(n) for n in range(certain)]
    assert sum(each["file"] == "b.jsonl" for each in result.documents) == 400
    assert result.tallies[0].digest == xxhash.xxh3_128(bytes(data)).hexdigest()


def test_a_wrong_checksum_is_damage_but_costs_no_record(tmp_path, read):
    data = bytearray(gzip.compress(DATA))
    data[-8] ^= 1
    result = read(write(tmp_path, bytes(data)))
    assert len(result.documents) == 400
    assert "damaged at byte" in result.damage["a.jsonl.gz"]


def test_bytes_after_the_last_member_are_damage(tmp_path, read):
    data = gzip.compress(DATA)
    result = read(write(tmp_path, data + b"garbage"))
    assert len(result.documents) == 400
    assert result.damage["a.jsonl.gz"] == f"bytes that are no gzip data follow at byte {len(data)}"


@pytest.mark.parametrize("kind", COMPRESS)
def test_an_empty_compressed_file_has_no_documents(tmp_path, read, kind):
    result = read(write(tmp_path, COMPRESS[kind](b"")))
    assert (result.documents, result.damage, result.plan.damaged) == ([], {}, [])
    assert len(result.plan.notes) == 1


def test_a_file_cut_right_after_its_magic_bytes(tmp_path, read):
    for cut in (2, 5, 11):
        result = read(write(tmp_path, gzip.compress(DATA)[:cut]))
        assert not result.documents
        assert result.damage or result.plan.damaged


def test_a_small_file_that_is_very_large_inside_is_read_in_steps(tmp_path, read):
    data = (json.dumps({"text": "x" * 1000}) + "\n").encode() * 20_000
    for kind in ("gzip", "zstd"):
        result = read(write(tmp_path, COMPRESS[kind](data)))
        assert len(result.documents) == 20_000
        assert not result.damage


@pytest.mark.parametrize("kind", ["a Parquet file", "an Arrow IPC file"])
def test_tables_inside_a_compressed_file_are_named(tmp_path, read, kind):
    magic = b"PAR1" if "Parquet" in kind else b"ARROW1\0\0"
    result = read(write(tmp_path, gzip.compress(magic + b"\0" * 50)))
    assert result.plan.damaged[0][1] == f"{kind} inside gzip; decompress it first"


@given(st.binary(max_size=3000), st.lists(st.integers(0, 3000), max_size=4), st.integers(1, 700))
def test_any_frames_come_back(data, cuts, step):
    bounds = sorted({0, len(data), *(min(cut, len(data)) for cut in cuts)})
    parts = [data[start:stop] for start, stop in pairwise(bounds)] or [data]
    for kind, compress in COMPRESS.items():
        stored = b"".join(compress(part) for part in parts)
        chunks = (stored[at : at + step] for at in range(0, len(stored), step))
        assert b"".join(decompress(chunks, kind)) == data


@pytest.mark.parametrize("level", [-5, 1, 19])
@pytest.mark.parametrize("options", [{}, {"write_content_size": False}, {"write_checksum": True}, {"threads": 2}])
def test_zstd_frames_of_every_shape(level, options):
    for data in (b"", b"a", b"ab" * 200, DATA, b"\0" * 300_000, DATA * 8):
        streamed = zstandard.ZstdCompressor(level=level, **options).compressobj()
        stored = streamed.compress(data[:500]) + streamed.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        stored += streamed.compress(data[500:]) + streamed.flush() + zstd(data, level=level, **options)
        assert b"".join(decompress(iter([stored]), "zstd")) == data * 2
