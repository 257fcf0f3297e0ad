"""Token shards: the same bytes each time, mapped into memory, opened by datasets."""

import io

import datasets
import numpy as np
import pyarrow as pa
import pytest

from dataaudit.errors import RunError
from dataaudit.tokenize import TokenShardWriter, read_token_shard, token_shard_metadata

BATCHES = [[[1, 2, 3], [], [65535]], [], [[7]], [[], []]]


def arrays(documents: list[list[int]], dtype):
    offsets = np.zeros(len(documents) + 1, np.int64)
    np.cumsum([len(each) for each in documents], out=offsets[1:])
    return np.array([n for each in documents for n in each], dtype), offsets


def write(sink, dtype, metadata=None):
    first = 5 << 32
    with TokenShardWriter(sink, dtype, metadata or {"tokenizer": "abc", "engine": "fastokens"}) as writer:
        for documents in BATCHES:
            ids, offsets = arrays(documents, dtype)
            writer.write(np.arange(first, first + len(documents), dtype=np.uint64), ids, offsets)
            first += len(documents)


@pytest.mark.parametrize("dtype", [np.uint16, np.uint32, np.int64])
def test_round_trip(tmp_path, dtype):
    path = tmp_path / "part.arrow"
    write(path, dtype)
    batches = list(read_token_shard(path))
    assert [len(batch.doc_ids) for batch in batches] == [3, 0, 1, 2]
    for batch, documents in zip(batches, BATCHES, strict=True):
        assert batch.ids.dtype == dtype
        assert batch.offsets.dtype == np.int64
        assert [batch.ids[a:b].tolist() for a, b in zip(batch.offsets, batch.offsets[1:], strict=False)] == documents
    assert np.concatenate([batch.doc_ids for batch in batches]).tolist() == list(range(5 << 32, (5 << 32) + 6))
    assert token_shard_metadata(path) == {"tokenizer": "abc", "engine": "fastokens"}


def test_the_ids_are_views_of_the_file(tmp_path):
    path = tmp_path / "part.arrow"
    write(path, np.uint32)
    before = pa.total_allocated_bytes()
    batches = list(read_token_shard(path))
    assert pa.total_allocated_bytes() - before < 64
    assert not batches[0].ids.flags.owndata
    assert not batches[0].ids.flags.writeable


def test_datasets_opens_it(tmp_path):
    path = tmp_path / "part.arrow"
    write(path, np.uint16)
    dataset = datasets.Dataset.from_file(str(path))
    assert dataset.column_names == ["doc_id", "input_ids"]
    assert dataset.features["input_ids"].feature.dtype == "uint16"
    assert dataset.features["doc_id"].dtype == "uint64"
    assert dataset[:]["input_ids"] == [[1, 2, 3], [], [65535], [7], [], []]
    assert dataset[3]["doc_id"] == (5 << 32) + 3


def test_bytes_depend_on_the_arguments_alone(tmp_path):
    path = tmp_path / "part.arrow"
    write(path, np.uint16, {"b": "2", "a": "1"})
    sink = io.BytesIO()
    write(sink, np.uint16, {"a": "1", "b": "2"})
    assert not sink.closed
    assert sink.getvalue() == path.read_bytes()


def test_mistakes_of_the_caller(tmp_path):
    with TokenShardWriter(tmp_path / "part.arrow", np.uint16, {}) as writer:
        doc_ids = np.zeros(1, np.uint64)
        with pytest.raises(ValueError, match="narrow them first"):
            writer.write(doc_ids, np.zeros(2, np.uint32), np.array([0, 2]))
        with pytest.raises(ValueError, match="do not belong together"):
            writer.write(doc_ids, np.zeros(2, np.uint16), np.array([0, 1]))
        with pytest.raises(ValueError, match="do not belong together"):
            writer.write(doc_ids, np.zeros(2, np.uint16), np.array([0, 1, 2]))


def test_damaged_shards(tmp_path):
    path = tmp_path / "part.arrow"
    with pytest.raises(RunError, match="cannot read this token shard"):
        list(read_token_shard(path))
    path.write_bytes(b"no arrow here, only text")
    with pytest.raises(RunError, match="cannot read this token shard"):
        list(read_token_shard(path))
    with pytest.raises(RunError, match="cannot read this token shard"):
        token_shard_metadata(path)
    table = pa.table({"other": [1]})
    with pa.ipc.new_stream(str(path), table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(RunError, match=r"expected doc_id and input_ids, found \['other'\]"):
        list(read_token_shard(path))


def test_a_shard_cut_in_the_middle_of_a_batch(tmp_path):
    path = tmp_path / "part.arrow"
    write(path, np.uint32)
    path.write_bytes(path.read_bytes()[:-500])
    with pytest.raises(RunError, match="cannot read this token shard"):
        list(read_token_shard(path))
