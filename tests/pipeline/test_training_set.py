"""The documents of a training set, beside the run's own tables and the files that a filter wrote."""

import json
import random
from pathlib import Path

import numpy as np
import pyarrow.ipc
import pytest
from conftest import prose, write_jsonl

import dataaudit
from dataaudit.errors import RunError, UsageError
from dataaudit.pipeline.training_set import NO_SOURCE, load_training_set


@pytest.fixture(scope="module")
def run(tmp_path_factory, corpus, tokenizer_file, small_shards):
    """A run of several shards."""
    out = tmp_path_factory.mktemp("runs") / "run"
    dataaudit.audit(corpus, out, config=small_shards, tokenizer=tokenizer_file, workers=1)
    return out


def token_lists(run):
    """doc_id and token count of every document, from the token shards."""
    rows = []
    for path in sorted((run / "tokens").glob("*.arrow")):
        with pyarrow.ipc.open_stream(path) as stream:
            rows += stream.read_all().to_pylist()
    return {row["doc_id"]: len(row["input_ids"]) for row in rows}


def test_all_documents_of_a_run(run):
    found = load_training_set(run, None)
    assert (found.which, found.unit) == ("all", "tokens")
    assert len({doc_id >> 32 for doc_id in found.doc_ids.tolist()}) > 1
    assert dict(zip(found.doc_ids.tolist(), found.lengths.tolist(), strict=True)) == token_lists(run)
    assert found.doc_ids.tolist() == sorted(found.doc_ids.tolist())
    assert sorted(found.source_names) == ["books", "网页"]
    of_source = np.array(found.source_names)[found.sources]
    assert (of_source == "网页").sum() == (of_source == "books").sum() == 120
    assert found.values.shape == (240, len(found.signals))
    at = found.signals.index("token_count")
    assert found.values[:, at].tolist() == found.lengths.tolist()


def test_records_that_gave_no_document_are_empty(run):
    found = load_training_set(run, "records")
    assert len(found.doc_ids) == 241
    lost = np.flatnonzero(found.lengths == 0)
    assert len(lost) == 1
    assert found.source_names[found.sources[lost[0]]] == NO_SOURCE
    assert np.isnan(found.values[lost[0]]).all()
    everything = load_training_set(run, "all")
    kept = np.delete(np.arange(241), lost)
    assert found.doc_ids[kept].tolist() == everything.doc_ids.tolist()
    assert found.values[kept].tobytes() == everything.values.tobytes()


def test_documents_are_found_by_their_numbers_and_ids(run):
    found = load_training_set(run, None)
    assert found.numbering("id", np.array(["1-3", "0-0", "none"], object)).tolist() == [3, 120, -1]
    wanted = [int(found.doc_ids[7]), (1 << 32) - 1, -5, "7", int(found.doc_ids[0])]
    assert found.numbering("doc_id", np.array(wanted, object)).tolist() == [7, -1, -1, -1, 0]


def test_clean_documents_are_those_that_a_filter_writes(tmp_path, tokenizer_file):
    rng = random.Random(3)
    texts = [prose(rng) for _ in range(60)]
    texts[7], texts[21] = "a" * 3000, ""
    texts[40] = texts[39]
    corpus = write_jsonl(tmp_path / "corpus" / "a.jsonl", [{"id": at, "text": text} for at, text in enumerate(texts)])
    dataaudit.audit(corpus, tmp_path / "run", tokenizer=tokenizer_file, workers=1)
    dataaudit.filter(tmp_path / "run", tmp_path / "out", workers=1)
    [clean] = [path for path in (tmp_path / "out" / "clean").rglob("*") if path.is_file()]
    written = [json.loads(line)["id"] for line in clean.read_text().splitlines()]
    assert 50 < len(written) < 60
    filtered, judged = load_training_set(tmp_path / "out", None), load_training_set(tmp_path / "run", "clean")
    assert filtered.which == "clean"
    assert filtered.doc_ids.tolist() == judged.doc_ids.tolist() == written
    assert Path(filtered.run) == tmp_path / "run"
    assert len(load_training_set(tmp_path / "out", "all").doc_ids) == 60
    everything = load_training_set(tmp_path / "run", "records")
    assert len(everything.doc_ids) == 60
    assert everything.clusters[39] == everything.clusters[40] == 39


def test_a_run_without_tokens_counts_characters(tmp_path):
    corpus = write_jsonl(tmp_path / "a.jsonl", [{"text": "one two"}, {"text": "three"}])
    dataaudit.audit(corpus, tmp_path / "run", workers=1)
    found = load_training_set(tmp_path / "run", None)
    assert (found.unit, found.lengths.tolist()) == ("characters", [7, 5])
    assert "token_count" not in found.signals


def test_what_is_no_training_set(run, tmp_path):
    with pytest.raises(UsageError, match=r"--documents some: it is one of all, clean, records"):
        load_training_set(run, "some")
    with pytest.raises(RunError, match=r"report\.json"):
        load_training_set(tmp_path, None)
