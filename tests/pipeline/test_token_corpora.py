"""Corpora of token arrays from the files to the run folder: hints, what is said, the same bytes, resuming."""

import json
import struct
from pathlib import Path

import datasets
import pyarrow.parquet as pq
import pytest
from corpus.token_files import read_tokens, write_tokens
from tests_support import contents
from tokenizers import Tokenizer, models, processors

import dataaudit
from dataaudit.config.load import load_config
from dataaudit.config.override import override
from dataaudit.errors import NoDocumentsError
from dataaudit.pipeline.audit import run_audit
from dataaudit.pipeline.listener import Silent
from dataaudit.pipeline.prepare import token_hints

EOT = 9
DOCUMENTS = [[at % 50 + 10, at % 7 + 100, 300, EOT] for at in range(200)]


class Notes(Silent):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def ids_of(run: Path) -> list[list[int]]:
    parts = sorted((run / "tokens").glob("*.arrow"))
    return [row["input_ids"] for part in parts for row in datasets.Dataset.from_file(str(part))]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    for name in ("datatrove", "megatron", "nanogpt", "olmo"):
        write_tokens(name, folder / name, DOCUMENTS, "uint16")
    write_tokens("llmc", folder / "llmc", [[EOT, *each[:-1]] for each in DOCUMENTS], "uint32")
    return folder


def test_all_formats_in_one_run_and_the_same_bytes_for_any_workers(corpus: Path, tmp_path: Path) -> None:
    config = tmp_path / "c.yaml"
    config.write_text("version: 1\nextends: default\nread: {shard_bytes: 4096}\nduplicates: {enabled: false}\n")
    for workers in (1, 2):
        result = dataaudit.audit(corpus, tmp_path / str(workers), config=str(config), eos_id=EOT, workers=workers)
        assert (result.corpus.records, result.corpus.documents) == (1000, 1000)
        assert {file.format for file in result.files} == {"datatrove", "llmc", "megatron", "nanogpt", "olmo"}
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
    starts = [[EOT, *each[:-1]] for each in DOCUMENTS]
    assert ids_of(tmp_path / "1") == [*DOCUMENTS, *starts, *DOCUMENTS, *DOCUMENTS, *DOCUMENTS]


def test_it_is_said_how_ids_are_read(corpus: Path, tmp_path: Path) -> None:
    told = Notes()
    loaded = override(load_config(), max_length=16)
    run_audit([str(corpus)], tmp_path / "run", loaded, told, workers=1)
    found = {note.partition("): ")[2] for note in told.notes if note.startswith("found")}
    length = (
        "sequences of 16 tokens, for no id is known to delimit documents. "
        "Give --eos-id or --bos-id to cut it into documents, or --max-length for another length"
    )
    assert found == {
        "datatrove, uint16 ids, by what lies beside it, a document is a sequence of the index",
        "olmo, uint16 ids, by what lies beside it, a document is a sequence of the index",
        "megatron, uint16 ids, by its header, a document is a sequence of the index",
        f"llmc, uint32 ids, by its header, {length}",
        f"nanogpt, uint16 ids, by habit, {length}",
    }


def test_the_tokenizer_says_what_the_model_does_not(tmp_path: Path) -> None:
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "<e>": 1, "<b>": 2, "?": 3}, unk_token="?"))
    tokenizer.post_processor = processors.TemplateProcessing("<b> $A", special_tokens=[("<b>", 2)])
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"eos_token": "<e>"}))
    loaded = override(load_config(), tokenizer=str(tmp_path))
    hints = token_hints(loaded)
    assert (hints.vocab_size, hints.bos_id, hints.eos_id) == (4, 2, 1)
    hints = token_hints(override(loaded, vocab_size=70_000, eos_id=8, bos_id=7, token_dtype="uint32", max_length=5))
    assert (hints.dtype, hints.vocab_size, hints.bos_id, hints.eos_id, hints.max_length) == ("uint32", 70_000, 7, 8, 5)


def test_another_sidecar_is_another_corpus(tmp_path: Path) -> None:
    main = write_tokens("megatron", tmp_path / "in", [[1, 2], [3, 4]], "uint16")
    dataaudit.audit(main, tmp_path / "run", workers=1)
    index = main.with_suffix(".idx")
    data = bytearray(index.read_bytes())
    struct.pack_into("<2i2q", data, 34, 1, 3, 0, 2)
    index.write_bytes(bytes(data))
    dataaudit.audit(main, tmp_path / "run", workers=1)
    assert ids_of(tmp_path / "run") == [[1], [2, 3, 4]]


def test_a_format_can_be_forced_from_python(tmp_path: Path) -> None:
    main = write_tokens("megatron", tmp_path, DOCUMENTS[:3], "uint16")
    result = dataaudit.audit(main, tmp_path / "run", input_format="nanogpt", eos_id=EOT, workers=1)
    assert [file.format for file in result.files] == ["nanogpt"]
    assert ids_of(tmp_path / "run") == DOCUMENTS[:3]


def test_sequences_that_cannot_be_read_stand_in_the_ledger(tmp_path: Path) -> None:
    main = write_tokens("megatron", tmp_path / "in", DOCUMENTS[:3], "uint16")
    main.write_bytes(main.read_bytes()[:-2])
    result = dataaudit.audit(main, tmp_path / "run", workers=1)
    assert (result.corpus.records, result.corpus.documents, result.corpus.unreadable) == (3, 2, 1)
    (line,) = (tmp_path / "run/ledger/part-00000.jsonl").read_text().splitlines()
    fault = json.loads(line)
    assert (fault["kind"], fault["record"], fault["offset"]) == ("unreadable", 2, 16)


def test_files_that_cannot_be_read_at_all_end_the_audit(tmp_path: Path) -> None:
    main = write_tokens("megatron", tmp_path / "in", DOCUMENTS[:3], "uint16")
    main.unlink()
    with pytest.raises(NoDocumentsError, match=r"the one file found cannot be read.\n.*which is missing"):
        dataaudit.audit(tmp_path / "in", tmp_path / "run", workers=1)


def test_what_is_exported_reads_back(tmp_path: Path) -> None:
    documents = [[at % 90 + 10, 300 + at % 5, EOT] for at in range(150)]
    lines = "".join(json.dumps({"input_ids": each}) + "\n" for each in documents)
    (tmp_path / "in.jsonl").write_text(lines)
    dataaudit.audit(tmp_path / "in.jsonl", tmp_path / "run", eos_id=EOT, vocab_size=400, workers=1)
    for name in ("datatrove", "hf-arrow", "llmc", "megatron", "nanogpt", "olmo"):
        out = tmp_path / name
        dataaudit.export(tmp_path / "run", out, format=name)
        found = read_tokens(out, eos_id=EOT, target_bytes=300)
        stream = [each for document in documents for each in document]
        if name == "llmc":
            assert [each for row in found.rows for each in row["input_ids"] if each != EOT] == [
                each for each in stream if each != EOT
            ]
        else:
            assert found.documents == documents
        assert all(not facts.problem_counts for facts in found.facts.values())


def test_files_with_and_without_labels_and_masks_lie_in_one_shard(tmp_path: Path) -> None:
    sides = {"a": {"labels": [1, 2, 3]}, "b": {}, "c": {"attention_mask": [1, 1, 0]}}
    (tmp_path / "in").mkdir()
    for name, beside in sides.items():
        row = json.dumps({"id": name, "input_ids": [1, 2, 3], **beside})
        (tmp_path / "in" / f"{name}.jsonl").write_text(f"{row}\n" * 3)
    for workers in (1, 2):
        result = dataaudit.audit(tmp_path / "in", tmp_path / str(workers), workers=workers)
    assert (result.corpus.shards, result.corpus.documents) == (1, 9)
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
    rows = pq.read_table(tmp_path / "1/signals/part-00000.parquet").to_pylist()
    found = {row["id"]: (row["label_count"], row["mask_count"], row["masked_label_ratio"]) for row in rows}
    assert found == {"a": (3, None, 0.0), "b": (None, None, None), "c": (None, 3, None)}
