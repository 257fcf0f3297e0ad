"""Folders of ``save_to_disk`` and datasets by name."""

import json
import subprocess
import sys

import pytest

from dataaudit.corpus import find_files
from dataaudit.errors import ReadError

datasets = pytest.importorskip("datasets")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved") / "set"
    splits = {
        "train": datasets.Dataset.from_dict({"id": [1, 2], "text": ["a", "b"]}),
        "test": datasets.Dataset.from_dict({"id": [3], "text": ["c"]}),
    }
    datasets.DatasetDict(splits).save_to_disk(str(folder))
    return folder


def test_a_saved_dataset_is_read_by_splits(saved, read):
    result = read(saved)
    assert [(each["file"], each["id"], each["text"]) for each in result.documents] == [
        ("test/data-00000-of-00001.arrow", "3", "c"),
        ("train/data-00000-of-00001.arrow", "1", "a"),
        ("train/data-00000-of-00001.arrow", "2", "b"),
    ]
    assert [note.file.source for note in result.plan.notes] == ["test", "train"]


def test_caches_in_a_saved_dataset_are_no_data(saved, read):
    shard = saved / "train" / "data-00000-of-00001.arrow"
    cache = saved / "train" / "cache-0123456789.arrow"
    cache.write_bytes(shard.read_bytes())
    try:
        assert sorted(read(saved).texts) == ["a", "b", "c"]
        assert str(cache) in [path for path, _ in find_files([str(saved)]).skipped]
    finally:
        cache.unlink()


@pytest.fixture(scope="module")
def by_name(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hub") / "mini"
    folder.mkdir()
    for split, texts in (("train", ["a", "b", None]), ("test", ["c"])):
        lines = [json.dumps({"id": n, "text": text}) for n, text in enumerate(texts)]
        (folder / f"{split}.jsonl").write_text("\n".join(lines))
    return folder


def test_a_dataset_by_name_is_streamed(by_name, read):
    result = read(f"hub:{by_name}")
    assert [(each["file"], each["record"], each["text"]) for each in result.documents] == [
        ("mini/test", 0, "c"),
        ("mini/train", 0, "a"),
        ("mini/train", 1, "b"),
    ]
    assert result.fault_places == [("mini/train", "without_text", 2, None)]
    assert {note.file.source for note in result.plan.notes} == {"mini"}
    assert read(f"hub:{by_name}:default:test").texts == ["c"]


def test_a_dataset_that_does_not_exist(tmp_path):
    with pytest.raises(ReadError, match=r"hub:.*none: cannot be read"):
        find_files([f"hub:{tmp_path}/none"])
    with pytest.raises(ReadError, match="expected hub:NAME"):
        find_files(["hub:"])


def test_reading_files_does_not_import_datasets():
    code = "import sys, dataaudit.corpus; sys.exit(bool({'datasets', 'pandas', 'numba'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
