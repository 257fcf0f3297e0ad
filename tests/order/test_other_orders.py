"""Orders of datasets, of files, of Megatron and of OLMo, and what all orders have in common."""

import json

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dataaudit.errors import ReadError, UsageError
from dataaudit.order import Setup, all_kinds, batches, parse_order
from dataaudit.order.listed import ListedOrder


def samples_of(order):
    """Every step's samples."""
    return [order.batch(step).samples.tolist() for step in range(order.first, order.last + 1)]


def read_by(order):
    """The samples of all steps in one list."""
    return [sample for samples in samples_of(order) for sample in samples]


@pytest.mark.parametrize("size", [1, 2, 23, 5000])
@pytest.mark.parametrize("seed", [0, 42, (1 << 32) + 5])
def test_a_shuffled_data_set(size, seed):
    theirs = datasets.Dataset.from_dict({"n": range(size)}).shuffle(seed=seed)["n"]
    order = parse_order(f"datasets-shuffle:{seed}", Setup(size, 4, epochs=2))
    found = read_by(order)
    assert found == [*theirs, *theirs]


def test_a_shuffled_data_set_that_is_sampled():
    theirs = datasets.Dataset.from_dict({"n": range(23)}).shuffle(seed=3)["n"]
    setup = Setup(23, 4, epochs=2)
    inner = read_by(parse_order("hf-trainer:7", setup))
    found = read_by(parse_order("datasets-shuffle:3+hf-trainer:7", setup))
    assert found == [theirs[each] for each in inner]


def test_the_sequential_order():
    order = parse_order("sequential", Setup(10, 2, 1, 2, epochs=2))
    assert samples_of(order) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]] * 2
    assert order.batch(1).ranks.tolist() == [0, 0, 1, 1]
    assert samples_of(parse_order("sequential", Setup(10, 2, 1, 2, drop_last=True))) == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_a_numpy_file_of_sample_numbers(tmp_path):
    np.save(tmp_path / "order.npy", np.array([3, 1, 4, 1, 5, 9, 2], np.int32))
    order = parse_order(f"file:{tmp_path}/order.npy", Setup(10, 2, 2))
    assert samples_of(order) == [[3, 1, 4, 1], [5, 9, 2]]
    assert order.batch(1).micro.tolist() == [0, 0, 1, 1]
    np.save(tmp_path / "steps.npy", np.array([[3, 1], [4, 1]], np.uint16))
    assert samples_of(parse_order(f"file:{tmp_path}/steps.npy", Setup(10, 64))) == [[3, 1], [4, 1]]


TABLE = {"step": [7, 5, 5, 7], "sample": [4, 1, 2, 3], "rank": [1, 0, 1, 0]}


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv", "parquet", "json"])
def test_a_table_of_steps(tmp_path, suffix):
    path = tmp_path / f"order.{suffix}"
    rows = [dict(zip(TABLE, row, strict=True)) for row in zip(*TABLE.values(), strict=True)]
    if suffix == "parquet":
        pq.write_table(pa.table(TABLE), path)
    elif suffix == "json":
        path.write_text(json.dumps(rows))
    elif suffix == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        joint = "\t" if suffix == "tsv" else ","
        path.write_text("\n".join(joint.join(map(str, line)) for line in [TABLE, *(row.values() for row in rows)]))
    order = parse_order(f"file:{path}", Setup(5, 1))
    assert (order.first, order.last) == (5, 7)
    assert order.batch(5).samples.tolist() == [1, 2]
    assert order.batch(7).samples.tolist() == [4, 3]
    assert order.batch(7).ranks.tolist() == [1, 0]
    with pytest.raises(UsageError, match=r"no step 6; it lists 2 steps from 5 to 7"):
        order.batch(6)


def test_ranks_of_a_list_of_samples_a_step(tmp_path):
    path = tmp_path / "order.jsonl"
    path.write_text('{"step": 1, "samples": [3, 1], "rank": [0, 1]}\n{"step": 2, "samples": [2], "rank": [1]}\n')
    order = parse_order(f"file:{path}", Setup(5, 1))
    assert samples_of(order) == [[3, 1], [2]]
    assert (order.batch(1).ranks.tolist(), order.batch(2).ranks.tolist()) == ([0, 1], [1])


def test_a_list_of_documents_a_step(tmp_path):
    path = tmp_path / "order.jsonl"
    path.write_text('{"step": 1, "ids": ["b", "a"]}\n{"step": 2, "ids": ["c"]}\n')
    known = {"a": 0, "b": 1, "c": 2}

    def numbering(column, values):
        assert column == "id"
        return np.array([known.get(each, -1) for each in values], np.int64)

    assert samples_of(parse_order(f"file:{path}", Setup(3, 1, numbering=numbering))) == [[1, 0], [2]]
    path.write_text('{"step": 1, "ids": ["b", "x"]}\n')
    with pytest.raises(ReadError, match=r"1 of 2 entries name no document .* 'x'"):
        parse_order(f"file:{path}", Setup(3, 1, numbering=numbering))


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.npy", b"no numpy", r"no \.npy file"),
        ("a.npy", b"\x93NUMPY", r"damaged"),
        ("a.jsonl", b'{"step": 1}\n', r"no column sample, doc_id or id.*It has: step"),
        ("a.jsonl", b'{"stap": 1, "sample": 1}\n', r"no column step\. Did you mean 'stap'"),
        ("a.jsonl", b'{"step": 1, "sample": 5}\n', r"entry 0 is sample 5, but the training set has 5"),
        ("a.jsonl", b'{"step": 1.5, "sample": 1}\n', r"step must be whole numbers"),
        ("a.jsonl", b'{"step": 1, "id": "a"}\n', r"samples of a run without packing"),
        ("a.jsonl", b"not json\n", r"cannot be read as jsonl"),
        ("a.jsonl", b'{"step": 1, "samples": [[1, 2], [3]]}\n', r"samples must be whole numbers; entry 0"),
        ("a.jsonl", b'{"step": 1, "samples": [1, 2], "rank": [0]}\n', r"more or fewer values in rank than in samples"),
        ("a.jsonl", b'{"step": 1, "sample": 1, "rank": 4294967296}\n', r"rank must be whole numbers from 0 to"),
        ("a.json", b"[1, 2]", r"expected an object a step"),
        ("a.json", b"[" * 100_000, r"cannot be read as json"),
        ("a.npy", b"\x93NUMPY\x01\x00\x05\x00((((\n", r"cannot be read as numbers"),
        ("a.txt", b"1 2\n", r"an order is a \.npy"),
        ("missing.npy", None, r"cannot be opened \(No such file"),
        ("missing.csv", None, r"cannot be opened"),
    ],
)
def test_a_file_that_is_no_order(tmp_path, name, content, says):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ReadError, match=says):
        parse_order(f"file:{tmp_path}/{name}", Setup(5, 1))


def test_a_pickle_is_not_read(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{"a": 1}], object), allow_pickle=True)
    with pytest.raises(ReadError, match="cannot be read as numbers"):
        parse_order(f"file:{tmp_path}/a.npy", Setup(5, 1))


@pytest.mark.parametrize("has_header", [False, True])
def test_the_indices_of_olmo(tmp_path, has_header):
    """OLMo writes a bare memory map under the name of a .npy file; a rank reads every world_size-th of it."""
    indices = np.random.Generator(np.random.PCG64(seed=6)).permutation(41).astype(np.uint32)
    path = tmp_path / "global_indices.npy"
    if has_header:
        np.save(path, indices)
    else:
        mapped = np.memmap(path, dtype=np.uint32, mode="w+", shape=indices.shape)
        mapped[:] = indices
        mapped.flush()
    order = parse_order(f"olmo:{path}", Setup(41, 2, 2, 2))
    for rank in range(2):
        of_rank = indices[rank::2].tolist()
        found = []
        for step in range(order.first, order.last + 1):
            batch = order.batch(step)
            found += batch.samples[batch.ranks == rank].tolist()
        assert found == of_rank
    assert not order.repeats
    with pytest.raises(UsageError, match=r"no step 7: its steps are 1 to 6 \(one epoch\)\.$"):
        order.batch(7)
    path.write_bytes(indices.tobytes()[:-1])
    with pytest.raises(ReadError):
        parse_order(f"olmo:{path}", Setup(41, 2, 2, 2))


@pytest.mark.parametrize(
    ("order", "says"),
    [
        ("torsh:1", r"no order 'torsh'\. Did you mean 'torch'"),
        ("", r"no order ''"),
        ("torch", r"takes a whole number as seed"),
        ("torch:x", r"found 'x'"),
        ("torch:1,generator=sampel", r"not 'sampel'\. Did you mean 'sampler'"),
        ("torch:1,persistant-workers", r"Did you mean 'persistent-workers'"),
        ("torch:1,persistent-workers=yes", r"takes no value"),
        ("torch:1,rank-offset=-1", r"whole number from 0"),
        ("torch:1+hf-trainer:2", r"only datasets-shuffle can be followed"),
        ("datasets-shuffle:-1", r"a seed from 0"),
        ("datasets-shuffle:1+nothing", r"no order 'nothing'"),
        ("hf-trainer:99999999999999999999", r"at most 64 bits"),
        ("sequential:1,fast", r"no option 'fast'"),
    ],
)
def test_an_order_that_is_not_written_well(order, says):
    with pytest.raises(UsageError, match=says):
        parse_order(order, Setup(10, 2))


@pytest.mark.parametrize("field", ["batch_size", "grad_accum", "world_size", "epochs"])
def test_a_setup_of_nothing(field):
    with pytest.raises(UsageError, match=field.replace("_", "-")):
        parse_order("sequential", Setup(10, 2)._replace(**{field: 0}))


def test_every_kind_says_what_it_is():
    for kind in all_kinds().values():
        assert kind.form.startswith(kind.name)
        assert kind.about.endswith(".")


@pytest.mark.parametrize(
    "order", ["sequential", "torch:1", "torch:1,rank-offset=1", "distributed:1", "hf-trainer:1", "datasets-shuffle:1"]
)
@pytest.mark.parametrize("at_once", [1, 30, 1 << 20])
@pytest.mark.parametrize("drop_last", [False, True])
def test_blocks_hold_what_batches_do(monkeypatch, order, at_once, drop_last):
    monkeypatch.setattr("dataaudit.order.epochs.BLOCK_SAMPLES", at_once)
    order = parse_order(order, Setup(101, 3, 2, 3, drop_last=drop_last, epochs=3))
    assert_blocks_are_batches(order)


@pytest.mark.parametrize("at_once", [1, 30, 1 << 20])
def test_blocks_of_a_table(monkeypatch, at_once):
    monkeypatch.setattr("dataaudit.order.listed.BLOCK_SAMPLES", at_once)
    rng = np.random.default_rng(1)
    counts = rng.integers(1, 50, 20)
    total = int(counts.sum())
    order = ListedOrder(
        "file:x",
        np.arange(20) * 3 + 1,
        np.concatenate([[0], np.cumsum(counts)]),
        rng.integers(0, 9, total),
        rng.integers(0, 2, total).astype(np.int32),
        np.zeros(total, np.int32),
    )
    assert_blocks_are_batches(order)


def assert_blocks_are_batches(order):
    """Blocks of any range hold the batches of its steps."""
    for first, last in ((order.first, order.last), (order.first + 3, order.last - 4), (-5, order.last + 9)):
        found = {}
        for block in order.blocks(first, last):
            assert isinstance(block, batches.Block)
            for at, step in enumerate(block.steps.tolist()):
                part = slice(block.offsets[at], block.offsets[at + 1])
                found[step] = (block.samples[part].tolist(), block.ranks[part].tolist())
        for step, (samples, ranks) in found.items():
            batch = order.batch(step)
            assert (batch.samples.tolist(), batch.ranks.tolist()) == (samples, ranks)
        steps = range(max(first, order.first), min(last, order.last) + 1)
        assert sorted(found) == [step for step in steps if not hasattr(order, "steps") or step in order.steps]
